// SPDX-License-Identifier: MIT
// /proc/PID/comm and /proc/PID/exe.
#include "probe/program.hpp"

#include "probe/file_reader.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <linux/capability.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace governor::probe {

namespace {

/// The kernel appends this where the file has been removed meanwhile.
constexpr std::string_view kDeleted = " (deleted)";

std::string folder_of(const std::string& root, std::uint32_t pid) {
        return root + "/proc/" + std::to_string(pid) + "/";
}

}  // namespace

std::string read_program_name(const std::string& root, std::uint32_t pid) {
        FileReader files;
        std::string_view name;
        if (files.read_short(folder_of(root, pid) + "comm", name) < 0)
                return {};
        return std::string(name.substr(0, name.find('\n')));
}

std::string read_executable(const std::string& root, std::uint32_t pid) {
        std::array<char, PATH_MAX> path;
        const auto n = ::readlink((folder_of(root, pid) + "exe").c_str(), path.data(), path.size());
        std::string_view text(path.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
        if (text.ends_with(kDeleted))
                text.remove_suffix(kDeleted.size());
        return std::string(text.starts_with('/') ? text : std::string_view());
}

bool sees_others_executables() {
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
        if (::syscall(SYS_capget, &header, sets.data()) < 0)
                return false;
        return (sets[0].effective & (1U << CAP_SYS_PTRACE)) != 0;
}

int read_nice(std::uint32_t pid) {
        errno = 0;
        const int nice = ::getpriority(PRIO_PROCESS, pid);
        return errno == 0 ? nice : 0;
}

}  // namespace governor::probe
