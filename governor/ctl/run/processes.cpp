// SPDX-License-Identifier: MIT
// /proc/PID/task/TID/children costs by the size of the tree; a list of all processes would cost by
// that of the machine.
#include "run/processes.hpp"

#include "outside/one_cpu.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ctl::run {

namespace {

constexpr std::size_t kMostThreads = outside::kMostThreads;
/// In /proc/PID/stat, where the name is field 2.
constexpr int kFieldOfStart = 22;

pid_t parse_pid(std::string_view text) {
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
        return error == std::errc{} && end == text.data() + text.size() && pid > 0 ? pid : 0;
}

struct Stat {
        pid_t parent = 0;  // 0: it has none, or has ended
        std::uint64_t started_ticks = 0;
};

Stat stat_of(pid_t pid) {
        Stat stat;
        char path[32];
        std::snprintf(path, sizeof(path), "/proc/%d/stat", pid);
        const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return stat;
        char text[512];
        const auto n = ::read(fd, text, sizeof(text) - 1);
        ::close(fd);
        if (n <= 0)
                return stat;
        text[n] = '\0';
        // "PID (NAME) STATE PPID ...", where the name may hold anything.
        const char* at = std::strrchr(text, ')');
        if (at == nullptr || std::sscanf(at, ") %*c %d", &stat.parent) != 1)
                return stat;
        for (int field = 2; at != nullptr && field < kFieldOfStart; field++)
                at = std::strchr(at + 1, ' ');
        if (at != nullptr)
                stat.started_ticks = std::strtoull(at + 1, nullptr, 10);
        return stat;
}

std::vector<pid_t> threads_of(pid_t pid) {
        std::vector<pid_t> threads;
        const auto path = "/proc/" + std::to_string(pid) + "/task";
        const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
        if (!directory)
                return threads;
        while (const auto* entry = ::readdir(directory.get()))
                if (const auto tid = parse_pid(entry->d_name);
                    tid > 0 && threads.size() < kMostThreads)
                        threads.push_back(tid);
        return threads;
}

int open_children(pid_t pid, pid_t tid) {
        char path[64];
        std::snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
        return ::open(path, O_RDONLY | O_CLOEXEC);
}

struct Child {
        pid_t pid;
        pid_t parent;
};

void add_children(pid_t pid, pid_t tid, std::vector<Child>& to) {
        const int fd = open_children(pid, tid);
        if (fd < 0)
                return;
        std::string text;
        char chunk[4096];
        for (ssize_t n = 0; (n = ::read(fd, chunk, sizeof(chunk))) > 0;)
                text.append(chunk, static_cast<std::size_t>(n));
        ::close(fd);
        for (std::size_t begin = 0; begin < text.size() && to.size() < kMostThreads;) {
                const auto end = text.find(' ', begin);
                if (end == text.npos)
                        break;
                if (const auto child = parse_pid(std::string_view(text).substr(begin, end - begin)))
                        to.push_back({child, pid});
                begin = end + 1;
        }
}

}  // namespace

bool descends_from(pid_t pid, pid_t root) {
        // As many as walk() may find above each other.
        for (std::size_t i = 0; i < kMostThreads && pid > 0; i++) {
                pid = stat_of(pid).parent;
                if (pid == root)
                        return true;
        }
        return false;
}

void walk(pid_t root, const Visit& visit) {
        std::vector<Child> open;
        for (const auto tid : threads_of(root))
                add_children(root, tid, open);
        for (std::size_t looked_at = 0; !open.empty() && looked_at < kMostThreads;) {
                const auto [pid, parent] = open.back();
                open.pop_back();
                // It may have ended, and its number be a stranger's by now.
                const auto stat = stat_of(pid);
                if (stat.parent == 0 || (stat.parent != parent && stat.parent != root &&
                                         !descends_from(stat.parent, root)))
                        continue;
                const auto threads = threads_of(pid);
                looked_at += threads.size() + 1;
                if (!visit({static_cast<std::uint32_t>(pid), stat.started_ticks}, threads))
                        continue;
                for (const auto tid : threads)
                        add_children(pid, tid, open);
        }
}

bool can_walk() {
        const int fd = open_children(::getpid(), ::getpid());
        if (fd >= 0)
                ::close(fd);
        return fd >= 0;
}

}  // namespace ctl::run
