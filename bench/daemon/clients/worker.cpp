// SPDX-License-Identifier: MIT
// Time of the made-up machine, where no wake is late.
#include "worker.hpp"

#include "descriptors.hpp"
#include "futex.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// The library's call in front of a region takes longer only when the program waits for its turn.
constexpr std::int64_t kWaited = 2'000'000;

void sleep_until(Desk& desk, std::int64_t at_ns) {
        const timespec at{at_ns / kNanoseconds, at_ns % kNanoseconds};
        while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) != 0) {
        }
        const auto late_ns = now_ns() - at_ns;
        desk.late_ns += late_ns;
        desk.latest_ns = std::max(desk.latest_ns, late_ns);
        desk.wakes++;
}

/// The library reads these when it opens.
void set_environment(const simulation::Program& program, const std::string& governor) {
        using governor::policy::fair::Class;
        ::setenv("THREADCOUNT_SOCKET", governor.c_str(), 1);
        ::setenv("THREADCOUNT_LABEL", program.name.c_str(), 1);
        ::setenv("THREADCOUNT_CLASS",
                 program.scheduling_class == Class::Batch ? "batch" : "interactive", 1);
        const auto job = program.job.empty() ? std::to_string(::getpid()) : program.job;
        ::setenv("THREADCOUNT_JOB", job.c_str(), 1);
}

class Worker {
public:
        Worker(Desk& desk, const simulation::Program& program, threadcount_handle* handle)
                : desk_(desk), program_(program), handle_(handle), at_ns_(now_ns()) {}

        void run() {
                for (auto left = program_.regions; left > 0;)
                        left -= regions(left);
                desk_.note({at_ns_, 0, {}});
        }

private:
        /// Runs some with the same team, and returns their number.
        std::uint64_t regions(std::uint64_t left) {
                const auto team = begin();
                const double each_ns =
                        static_cast<double>(program_.region.count()) / program_.speedup.of(team);
                const auto count = regions_at_once(each_ns, left);
                at_ns_ += std::llround(static_cast<double>(count) * each_ns);
                sleep_until(desk_, at_ns_);
                // More may be lost while the program sleeps for what it has lost.
                for (std::int64_t lost_ns = 0;
                     (lost_ns = desk_.lost_ns.load(std::memory_order_relaxed)) > paid_ns_;) {
                        at_ns_ += lost_ns - paid_ns_;
                        paid_ns_ = lost_ns;
                        sleep_until(desk_, at_ns_);
                }
                ::threadcount_region_end(handle_, team);
                return count;
        }

        std::uint32_t begin() {
                const auto before_ns = now_ns();
                ::threadcount_region_begin(handle_);
                const auto took_ns = now_ns() - before_ns;
                if (took_ns > kWaited)
                        desk_.note({at_ns_, 0, {}});
                at_ns_ += took_ns;
                Team team;
                team.threads = ::threadcount_cpus(handle_, team.cpus.data(), team.cpus.size());
                team.at_ns = at_ns_;
                desk_.note(team);
                return team.threads;
        }

        Desk& desk_;
        const simulation::Program& program_;
        threadcount_handle* handle_;
        std::int64_t at_ns_;
        std::int64_t paid_ns_ = 0;  // of the desk's lost_ns
};

}  // namespace

void work(Desk& desk, const simulation::Program& program, std::uint32_t cpus,
          const std::string& governor) {
        set_environment(program, governor);
        while (desk.begins.load(std::memory_order_acquire) == 0)
                futex(desk.begins, FUTEX_WAIT, 0);
        desk.asked_ns = now_ns();
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.max_threads = cpus;
        threadcount_handle* handle = nullptr;
        if (::threadcount_open(&options, &handle) < 0)
                ::_exit(1);
        Worker(desk, program, handle).run();
        ::threadcount_close(handle);
        ::_exit(0);
}

}  // namespace bench
