// SPDX-License-Identifier: MIT
// Texts in the form of the kernel's.
#include "false_machine.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::uint32_t kThreadsPerCore = 2;
constexpr std::uint32_t kPerPackage = 64;
constexpr double kBefore = 100'000;  // ticks that the machine was up, and idle

void write(const std::string& path, const std::string& text) {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        const bool good = fd >= 0 && ::pwrite(fd, text.data(), text.size(), 0) ==
                                             static_cast<ssize_t>(text.size());
        const int error = errno;
        if (fd >= 0)
                ::close(fd);
        if (!good)
                throw std::system_error(error, std::generic_category(), path);
}

/// The line is always as long, so that a reader that comes in the middle finds a number.
std::string stat_line(pid_t pid, std::uint64_t ticks) {
        std::array<char, 256> line;
        const int n = std::snprintf(
                line.data(), line.size(),
                "%d (program) R 1 1 1 0 -1 4194304 91 0 3 0 %012llu 0 0 0 20 0 1 0 %d 5722112 441 "
                "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                pid, static_cast<unsigned long long>(ticks), 100 + pid);
        return {line.data(), static_cast<std::size_t>(n)};
}

}  // namespace

FalseMachine::FalseMachine(std::string root, std::uint32_t cpus)
        : root_(std::move(root)), cpus_(cpus), everywhere_("0-" + std::to_string(cpus - 1)),
          ticks_(kBefore), busy_(cpus) {
        std::filesystem::create_directories(root_ + "/proc");
        for (std::uint32_t cpu = 0; cpu < cpus; cpu++) {
                const auto folder =
                        root_ + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology";
                std::filesystem::create_directories(folder);
                write(folder + "/core_id",
                      std::to_string(cpu % kPerPackage / kThreadsPerCore) + "\n");
                write(folder + "/physical_package_id", std::to_string(cpu / kPerPackage) + "\n");
                const auto first = cpu / kThreadsPerCore * kThreadsPerCore;
                write(folder + "/core_cpus_list",
                      std::to_string(first) + "-" + std::to_string(first + 1) + "\n");
        }
        for (std::uint32_t first = 0; first < cpus; first += kPerPackage) {
                const auto folder = root_ + "/sys/devices/system/node/node" +
                                    std::to_string(first / kPerPackage);
                std::filesystem::create_directories(folder);
                const auto last = std::min(first + kPerPackage, cpus) - 1;
                write(folder + "/cpulist",
                      std::to_string(first) + "-" + std::to_string(last) + "\n");
        }
        write_stat();
}

void FalseMachine::add(pid_t pid) const {
        const auto folder = root_ + "/proc/" + std::to_string(pid);
        const auto task = folder + "/task/" + std::to_string(pid);
        std::filesystem::create_directories(task);
        write(folder + "/stat", stat_line(pid, 0));
        write(folder + "/comm", "program\n");
        write(folder + "/cgroup", "0::/\n");
        write(task + "/status", "Name:\tprogram\nThreads:\t1\nCpus_allowed_list:\t" + everywhere_ +
                                        "\nMems_allowed_list:\t0\n");
}

void FalseMachine::remove(pid_t pid) const {
        std::filesystem::remove_all(root_ + "/proc/" + std::to_string(pid));
}

void FalseMachine::used(pid_t pid, std::uint64_t ticks) const {
        write(root_ + "/proc/" + std::to_string(pid) + "/stat", stat_line(pid, ticks));
}

void FalseMachine::pass(std::uint32_t busy, std::uint64_t ticks) {
        std::vector<double> each(cpus_, 0.0);
        std::fill_n(each.begin(), std::min(busy, cpus_), static_cast<double>(ticks));
        pass(each, static_cast<double>(ticks));
}

void FalseMachine::pass(std::span<const double> busy, double ticks) {
        ticks_ += ticks;
        for (std::uint32_t cpu = 0; cpu < std::min<std::size_t>(busy.size(), cpus_); cpu++)
                busy_[cpu] += busy[cpu];
        write_stat();
}

/// The file is renamed: a reader finds the whole of one moment.
void FalseMachine::write_stat() const {
        std::string text = "cpu  0 0 0 0 0 0 0 0 0 0\n";
        const auto up = static_cast<std::uint64_t>(ticks_);
        for (std::uint32_t cpu = 0; cpu < cpus_; cpu++) {
                const auto busy = std::min(static_cast<std::uint64_t>(busy_[cpu]), up);
                text += "cpu" + std::to_string(cpu) + " " + std::to_string(busy) + " 0 0 " +
                        std::to_string(up - busy) + " 0 0 0 0 0 0\n";
        }
        text += "intr 0\nctxt 0\n";
        std::filesystem::remove(root_ + "/proc/stat.new");
        write(root_ + "/proc/stat.new", text);
        std::filesystem::rename(root_ + "/proc/stat.new", root_ + "/proc/stat");
}

}  // namespace bench
