// SPDX-License-Identifier: MIT
// Grants stay as they are, and no memory gets shorter, whatever a client does with the descriptors
// that it gets.
#include "server/sharing/arena.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <memory>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace governor::server {
namespace {

/// The same open file under another number, as a client gets it.
UniqueFd passed(int fd) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        const UniqueFd from(ends[0]);
        const UniqueFd to(ends[1]);
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
        char byte = 0;
        iovec data{&byte, 1};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        auto* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
        EXPECT_EQ(::sendmsg(from.get(), &message, 0), 1);
        EXPECT_EQ(::recvmsg(to.get(), &message, MSG_CMSG_CLOEXEC), 1);
        int received = -1;
        std::memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(received));
        return UniqueFd(received);
}

/// Another open file of the same memory: what was passed may have been opened for reading only,
/// this is not.
UniqueFd reopened(int fd) {
        EXPECT_TRUE(::fchmod(fd, 0777) == 0 || errno == EPERM);
        return UniqueFd(
                ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDWR | O_CLOEXEC));
}

class ArenaSealsTest : public testing::TestWithParam<UniqueFd (*)(int)> {
protected:
        ArenaSealsTest() : grants_(GetParam()(arena_.grants_fd())) {}

        [[nodiscard]] int fd() const { return grants_.get(); }

        Arena arena_{64, 64};
        UniqueFd grants_;
};

constexpr std::size_t kPage = 4096;

TEST_P(ArenaSealsTest, GrantsCannotBeMappedForWriting) {
        ASSERT_GE(fd(), 0);
        EXPECT_EQ(::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd(), 0), MAP_FAILED);
        EXPECT_EQ(errno, EPERM);
        EXPECT_EQ(::mmap(nullptr, kPage, PROT_WRITE, MAP_SHARED_VALIDATE, fd(), 0), MAP_FAILED);
}

TEST_P(ArenaSealsTest, AMappingOfGrantsCannotBeMadeWritable) {
        void* mapping = ::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd(), 0);
        ASSERT_NE(mapping, MAP_FAILED);
        EXPECT_LT(::mprotect(mapping, kPage, PROT_READ | PROT_WRITE), 0);
        EXPECT_EQ(errno, EACCES);
        EXPECT_LT(::madvise(mapping, kPage, MADV_REMOVE), 0);
        ::munmap(mapping, kPage);
}

TEST_P(ArenaSealsTest, APrivateMappingOfGrantsIsTheClientsOwn) {
        void* mapping = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd(), 0);
        ASSERT_NE(mapping, MAP_FAILED);
        std::memset(mapping, 0xff, kPage);
        std::uint64_t magic = 0;
        ASSERT_EQ(::pread(arena_.grants_fd(), &magic, sizeof(magic), 0),
                  static_cast<ssize_t>(sizeof(magic)));
        EXPECT_EQ(magic, GOVERNOR_ARENA_MAGIC);
        ::munmap(mapping, kPage);
}

TEST_P(ArenaSealsTest, GrantsCannotBeWritten) {
        const char nonsense[] = "nonsense";
        EXPECT_LT(::write(fd(), nonsense, sizeof(nonsense)), 0);
        EXPECT_EQ(errno, EPERM);
        EXPECT_LT(::pwrite(fd(), nonsense, sizeof(nonsense), 0), 0);
        EXPECT_EQ(errno, EPERM);
}

TEST_P(ArenaSealsTest, GrantsCannotChangeTheirSizeOrLoseTheirPages) {
        EXPECT_LT(::ftruncate(fd(), 0), 0);
        EXPECT_LT(::ftruncate(fd(), 1 << 20), 0);
        EXPECT_LT(::fallocate(fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kPage), 0);
        EXPECT_EQ(errno, EPERM);
        EXPECT_LT(::fallocate(fd(), 0, 0, 1 << 20), 0);
        EXPECT_LT(::fallocate(fd(), FALLOC_FL_ZERO_RANGE, 0, kPage), 0);
}

TEST_P(ArenaSealsTest, NoSealCanBeAdded) {
        const int before = ::fcntl(fd(), F_GET_SEALS);
        EXPECT_LT(::fcntl(fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
        EXPECT_LT(::fcntl(fd(), F_ADD_SEALS, 0), 0);
        EXPECT_EQ(::fcntl(fd(), F_GET_SEALS), before);
        EXPECT_EQ(before & (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL),
                  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

TEST_P(ArenaSealsTest, TheDaemonGoesOnWriting) {
        arena_.publish(0, {});
        governor_grant_header header{};
        ASSERT_EQ(::pread(fd(), &header, sizeof(header), 0), static_cast<ssize_t>(sizeof(header)));
        std::uint64_t word = 0;
        ASSERT_EQ(::pread(fd(), &word, sizeof(word), static_cast<off_t>(header.slots_offset)),
                  static_cast<ssize_t>(sizeof(word)));
        EXPECT_EQ(word, governor_word(1, 1, 0));
}

INSTANTIATE_TEST_SUITE_P(Descriptors, ArenaSealsTest, testing::Values(&passed, &reopened),
                         [](const auto& kind) { return kind.index == 0 ? "Passed" : "Reopened"; });

TEST(ArenaReportSealsTest, ReportsCanBeWrittenButNeitherResizedNorSealed) {
        const Arena arena(64, 64);
        for (const auto& fd : {passed(arena.reports_fd()), reopened(arena.reports_fd())}) {
                void* mapping =
                        ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
                ASSERT_NE(mapping, MAP_FAILED);
                ::munmap(mapping, kPage);
                EXPECT_LT(::ftruncate(fd.get(), 0), 0);
                EXPECT_LT(::ftruncate(fd.get(), 1 << 20), 0);
                EXPECT_LT(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
                EXPECT_LT(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
        }
}

/// A process that is inside of a write to `fd` for ever: its bytes are in a page that never comes.
/// It holds the lock of the file meanwhile. -1: this kernel does not let us make one.
pid_t endless_writer(int fd) {
        const pid_t pid = ::fork();
        if (pid != 0)
                return pid;
        const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
        void* page =
                ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const int faults = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC));
        uffdio_api api{UFFD_API, 0, 0};
        uffdio_register all{};
        all.range = {reinterpret_cast<std::uintptr_t>(page), size};
        all.mode = UFFDIO_REGISTER_MODE_MISSING;
        if (faults < 0 || ::ioctl(faults, UFFDIO_API, &api) < 0 ||
            ::ioctl(faults, UFFDIO_REGISTER, &all) < 0)
                ::_exit(1);
        (void)!::pwrite(fd, page, 512, 0);
        ::_exit(2);
}

TEST(ArenaSeals, AClientThatWritesForEverKeepsNobodyWaiting) {
        auto arena = std::make_unique<Arena>(1, 64);
        const pid_t writer = endless_writer(arena->reports_fd());
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
        if (::waitpid(writer, nullptr, WNOHANG) == writer)
                GTEST_SKIP() << "this kernel does not let us keep a page from coming";
        (void)arena->renew(0);
        (void)arena->report(0);
        arena.reset();
        EXPECT_EQ(::waitpid(writer, nullptr, WNOHANG), 0) << "it writes still";
        ::kill(writer, SIGKILL);
        ::waitpid(writer, nullptr, 0);
}

}  // namespace
}  // namespace governor::server
