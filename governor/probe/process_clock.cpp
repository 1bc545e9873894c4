// SPDX-License-Identifier: MIT
// clock_getcpuclockid(3), or a file.
#include "probe/process_clock.hpp"

#include "probe/pid_stat.hpp"

#include <cerrno>
#include <ctime>
#include <unistd.h>

namespace governor::probe {

namespace {

using std::chrono::nanoseconds;

int read_kernel_clock(std::uint32_t pid, nanoseconds& ret_cpu_time) {
        clockid_t clock{};
        timespec time{};
        // Pid 0 would be the daemon itself.
        if (pid == 0 || pid > INT32_MAX ||
            ::clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0)
                return -ESRCH;
        // The clock of a process that went meanwhile is no valid one any more.
        if (::clock_gettime(clock, &time) < 0)
                return errno == EINVAL ? -ESRCH : -errno;
        ret_cpu_time = std::chrono::seconds{time.tv_sec} + nanoseconds{time.tv_nsec};
        return 0;
}

}  // namespace

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
        const int error = files_.read(root_ + "/proc/" + std::to_string(pid) + "/stat", text);
        if (error < 0)
                return error == -ENOENT ? -ESRCH : error;
        const auto stat = parse_pid_stat(text);
        if (!stat)
                return -EBADMSG;
        ret_cpu_time = ticks_to_time(stat->own_ticks(), ticks_per_second_);
        return 0;
}

}  // namespace governor::probe
