// SPDX-License-Identifier: MIT
// Files below the descriptor of /proc/PID, which the kernel ties to the process.
#include "outside/held_process.hpp"

#include "probe/pid_stat.hpp"
#include "probe/text.hpp"

#include <array>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::outside {

std::optional<HeldProcess> HeldProcess::open(const std::string& root, std::uint32_t pid) {
        const auto path = root + "/proc/" + std::to_string(pid);
        const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd >= 0 ? std::optional(HeldProcess(fd, pid)) : std::nullopt;
}

std::optional<HeldProcess> HeldProcess::open(const ProcessId& process) {
        auto held = open("", process.pid);
        return held && held->id() == process ? std::move(held) : std::nullopt;
}

HeldProcess::~HeldProcess() {
        if (fd_ >= 0)
                ::close(fd_);
}

bool HeldProcess::is_own() const {
        struct stat about {};
        return ::fstat(fd_, &about) == 0 && about.st_uid == ::geteuid();
}

std::optional<ProcessId> HeldProcess::id() const {
        const auto text = read("stat");
        const auto stat = text ? governor::probe::parse_pid_stat(*text) : std::nullopt;
        return stat ? std::optional(ProcessId{pid_, stat->started_ticks}) : std::nullopt;
}

bool HeldProcess::executes(const std::string& file) const {
        struct stat own {};
        struct stat other {};
        return ::fstatat(fd_, "exe", &own, 0) == 0 && ::stat(file.c_str(), &other) == 0 &&
               own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

std::vector<std::uint32_t> HeldProcess::threads() const {
        std::vector<std::uint32_t> threads;
        const int fd = ::openat(fd_, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const std::unique_ptr<DIR, int (*)(DIR*)> tasks(fd < 0 ? nullptr : ::fdopendir(fd),
                                                        ::closedir);
        if (!tasks && fd >= 0)
                ::close(fd);
        while (tasks && threads.size() < kMostThreads) {
                const auto* entry = ::readdir(tasks.get());
                if (entry == nullptr)
                        break;
                const auto thread = governor::probe::parse_number<std::uint32_t>(
                        static_cast<const char*>(entry->d_name));
                if (thread)
                        threads.push_back(*thread);
        }
        return threads;
}

bool HeldProcess::has_thread(std::uint32_t thread) const {
        return ::faccessat(fd_, ("task/" + std::to_string(thread)).c_str(), F_OK, 0) == 0;
}

std::optional<std::string> HeldProcess::read(const char* name) const {
        std::array<char, 4096> text;
        const int fd = ::openat(fd_, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return std::nullopt;
        const auto n = ::read(fd, text.data(), text.size());
        ::close(fd);
        return n >= 0 ? std::optional(std::string(text.data(), static_cast<std::size_t>(n)))
                      : std::nullopt;
}

int HeldProcess::write(const char* name, std::string_view text) const {
        const int fd = ::openat(fd_, name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        const auto n = ::write(fd, text.data(), text.size());
        const int error = n < 0 ? -errno : 0;
        ::close(fd);
        return error;
}

}  // namespace ctl::outside
