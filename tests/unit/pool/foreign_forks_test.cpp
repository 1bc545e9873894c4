// SPDX-License-Identifier: MIT
// A lane that waits for a fork, and does not yet know that it is done.
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>
#include <threadcount/pool/fork_join.hpp>

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace threadcount::pool;

namespace {

thread_local bool stays_at_the_clock = false;
std::atomic<bool> is_at_the_clock{false};
std::atomic<bool> may_leave_the_clock{false};

void wait_until(const std::atomic<bool>& flag) {
        while (!flag)
                std::this_thread::sleep_for(100us);
}

}  // namespace

// A lane that waits for a fork asks for the time between two looks.
extern "C" int __real_clock_gettime(clockid_t clock, timespec* time) noexcept;
extern "C" int __wrap_clock_gettime(clockid_t clock, timespec* time) noexcept;

int __wrap_clock_gettime(clockid_t clock, timespec* time) noexcept {
        if (stays_at_the_clock) {
                stays_at_the_clock = false;
                is_at_the_clock = true;
                wait_until(may_leave_the_clock);
        }
        return __real_clock_gettime(clock, time);
}

namespace {

/// The numbers are those of no real CPU: the lanes run where they may, also on a small machine.
std::vector<LaneSite> three_lanes() {
        const std::vector<int> cpus{5000, 5001, 5002};
        std::vector<Place> places;
        for (std::uint32_t core = 5000; core < 5003; core++)
                places.push_back({core, core, 5000, 5000, 5000});
        return order_lanes(cpus, places);
}

class ForeignForks : public testing::Test {
protected:
        ~ForeignForks() override { scheduler_.stop(false); }

        template <class F>
        void submit(F task) {
                EXPECT_TRUE(scheduler_.push(threadcount::TaskSource(task)));
        }
        template <class F, class G>
        void fork_join(F f, G g) {
                threadcount::pool::fork_join(*lane_in(&scheduler_), f, g);
        }
        [[nodiscard]] int this_lane() const { return static_cast<int>(lane_in(&scheduler_)->lane); }

        Scheduler scheduler_{
                three_lanes(), {.spin = std::chrono::nanoseconds{0}}, Affinity::Ignored};
};

}  // namespace

// The first lane waits for the second one, which waited for the third.
TEST_F(ForeignForks, AreNotRunByALaneThatWaitsThoughTheOneInBetweenHasNotSeenTheEnd) {
        constexpr auto kLongestLook = 1ms;
        std::atomic<bool> has_begun{false};  // the innermost fork
        std::atomic<bool> may_end{false};
        std::atomic<bool> has_run{false};  // the foreign fork
        std::atomic<bool> is_over{false};
        std::atomic<int> waiter{-1};
        std::atomic<int> ran_on{-1};

        const auto second = [&] {
                fork_join(
                        [&] {
                                wait_until(has_begun);
                                stays_at_the_clock = true;
                        },
                        [&] {
                                has_begun = true;
                                wait_until(may_end);
                        });
        };
        submit([&] {
                waiter = this_lane();
                fork_join([&] { wait_until(has_begun); }, second);
        });
        wait_until(is_at_the_clock);
        submit([&] {
                fork_join(
                        [&] {
                                for (int looks = 0; looks < 50 && !has_run; looks++)
                                        std::this_thread::sleep_for(kLongestLook);
                        },
                        [&] {
                                ran_on = this_lane();
                                has_run = true;
                        });
                is_over = true;
        });
        may_end = true;
        wait_until(is_over);
        EXPECT_NE(ran_on, waiter) << "on top of what waits";
        may_leave_the_clock = true;
        scheduler_.wait_idle();
}
