// SPDX-License-Identifier: MIT
// The kernel's clock of a process, or a file.
#include "probe/process_clock.hpp"

#include "probe/pid_stat.hpp"
#include <algorithm>

#include <cerrno>
#include <ctime>
#include <unistd.h>

namespace governor::probe {

namespace {

using std::chrono::nanoseconds;

/// The clock that clock_getcpuclockid(3) makes of a pid. That function also asks the kernel whether
/// there is such a process, which reading the clock does anyway.
clockid_t clock_of(std::uint32_t pid) {
        constexpr std::uint32_t kCpuclockSched = 2;
        return static_cast<clockid_t>(~pid << 3U | kCpuclockSched);
}

int read_kernel_clock(std::uint32_t pid, nanoseconds& ret_cpu_time) {
        constexpr std::uint32_t kMostPids = 1U << 22U;  // the kernel's own limit
        timespec time{};
        // Pid 0 would be the daemon itself.
        if (pid == 0 || pid > kMostPids)
                return -ESRCH;
        // The clock of a process that is not there is invalid.
        if (::clock_gettime(clock_of(pid), &time) < 0)
                return errno == EINVAL ? -ESRCH : -errno;
        ret_cpu_time = std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
        return 0;
}

}  // namespace

std::uint64_t time_to_ticks(nanoseconds time, std::uint64_t ticks_per_second) {
        constexpr std::uint64_t kSecond = 1'000'000'000;
        const auto ns = static_cast<std::uint64_t>(std::max(time.count(), nanoseconds::rep{0}));
        return ns / kSecond * ticks_per_second + ns % kSecond * ticks_per_second / kSecond;
}

nanoseconds ticks_to_time(std::uint64_t ticks, std::uint64_t ticks_per_second) {
        constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
        return nanoseconds{
                static_cast<std::int64_t>(ticks * (kNanosecondsPerSecond / ticks_per_second))};
}

ProcessClock::ProcessClock(std::string root)
        : root_(std::move(root)),
          ticks_per_second_(static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))) {}

int ProcessClock::read(std::uint32_t pid, nanoseconds& ret_cpu_time) {
        if (root_.empty())
                return read_kernel_clock(pid, ret_cpu_time);
        std::string_view text;
        const int error = files_.read_short(root_ + "/proc/" + std::to_string(pid) + "/stat", text);
        if (error < 0)
                return error == -ENOENT ? -ESRCH : error;
        const auto stat = parse_pid_stat(text);
        if (!stat)
                return -EBADMSG;
        ret_cpu_time = ticks_to_time(stat->own_ticks(), ticks_per_second_);
        return 0;
}

}  // namespace governor::probe
