// SPDX-License-Identifier: MIT
//
// old_kernel COMMAND...: runs a command as on a kernel before 6.16, which does not know
// SO_PASSRIGHTS (83). setsockopt() and getsockopt() of it fail with ENOPROTOOPT, in the command and
// in all that it starts. Needs no privilege; takes the right to gain any by set-user-ID programs.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr unsigned kPassRights = 83;

/// An argument's lower half; level and name of an option are ints.
constexpr unsigned argument(unsigned number) {
        constexpr bool kIsLittle = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
        return static_cast<unsigned>(offsetof(seccomp_data, args)) + 8 * number +
               (kIsLittle ? 0 : 4);
}

constexpr sock_filter load(unsigned offset) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, offset}; }

/// Skips so many instructions.
constexpr sock_filter skip_if_equal(unsigned value, unsigned char equal, unsigned char other) {
        return {BPF_JMP | BPF_JEQ | BPF_K, equal, other, value};
}

constexpr sock_filter answer(unsigned value) { return {BPF_RET | BPF_K, 0, 0, value}; }

bool forget_the_option() {
        std::array program{
                load(offsetof(seccomp_data, nr)),    skip_if_equal(SYS_getsockopt, 1, 0),
                skip_if_equal(SYS_setsockopt, 0, 5), load(argument(1)),
                skip_if_equal(SOL_SOCKET, 0, 3),     load(argument(2)),
                skip_if_equal(kPassRights, 0, 1),    answer(SECCOMP_RET_ERRNO | ENOPROTOOPT),
                answer(SECCOMP_RET_ALLOW),
        };
        const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
        return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

int main(int argc, char** argv) {
        if (argc < 2) {
                std::fprintf(stderr, "usage: old_kernel COMMAND...\n");
                return 2;
        }
        if (!forget_the_option())
                std::perror("old_kernel: seccomp");
        else if (::execvp(argv[1], argv + 1) < 0)
                std::perror(argv[1]);
        return 126;
}
