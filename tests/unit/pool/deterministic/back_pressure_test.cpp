// SPDX-License-Identifier: MIT
// Submitters of a full queue, under many schedules: nobody sleeps while there is room.
#include "back_pressure.hpp"
#include "explore.hpp"
#include "platform.hpp"
#include "ring.hpp"

#include <atomic>
#include <ctime>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using deterministic::explore;
using deterministic::is_found;
using deterministic::Platform;
using deterministic::Scheduler;

namespace {

constexpr std::uint64_t kSchedules = 10'000;

enum class Mistake {
        None,
        ConsumerSaysNothing,       ///< after it has taken something out
        ConsumerSaysItBeforehand,  ///< before it takes it out
};

/// A queue with submitters and lanes, as scheduler.cpp has them. The seed decides whether they are
/// patient at first, as at a large queue.
class Submitters {
public:
        using Ring = threadcount::pool::Ring<int, Platform>;

        using Pressure = threadcount::pool::BackPressure<Ring, Platform>;
        using Patience = Pressure::Patience;

        explicit Submitters(std::size_t capacity, Mistake mistake = Mistake::None)
                : mistake_(mistake), cells_(new Ring::Cell[Ring::cells_for(capacity)]()),
                  ring_(cells_.get(), capacity),
                  pressure_(ring_,
                            Scheduler::instance().pick(2) == 0 ? Patience::None : Patience::Some) {}

        /// `task` >= 1. False: too late, or stopped.
        bool submit(int task, const timespec* deadline = nullptr) {
                const auto fill = [task](void* place) { ::new (place) int(task); };
                const bool is_in =
                        (pressure_.has_place() && ring_.push(fill)) ||
                        pressure_.push(fill, deadline, [this] { return is_closed_.load(); });
                accepted_ += is_in ? task : 0;
                return is_in;
        }

        /// As Scheduler::push(). False: there is no place, or others wait for it.
        bool try_submit(int task) {
                return pressure_.has_place() &&
                       ring_.push([task](void* place) { ::new (place) int(task); });
        }

        /// Takes until so many are taken, or nothing comes for long.
        void take(int count) {
                for (int patience = 200; taken_ < count && patience > 0;) {
                        int task = 0;
                        if (mistake_ == Mistake::ConsumerSaysItBeforehand && !ring_.empty())
                                pressure_.popped();
                        if (!ring_.pop(task)) {
                                if (mistake_ == Mistake::None)
                                        pressure_.found_none();
                                patience--;
                                Platform::yield();
                                continue;
                        }
                        taken_++;
                        sum_ += task;
                        if (mistake_ == Mistake::None)
                                pressure_.popped();
                }
        }
        void stop() {
                is_closed_ = true;
                pressure_.release();
        }

        [[nodiscard]] int accepted() const { return accepted_; }
        [[nodiscard]] int sum() const { return sum_; }
        [[nodiscard]] const Ring& ring() const { return ring_; }

private:
        const Mistake mistake_;
        std::unique_ptr<Ring::Cell[]> cells_;
        Ring ring_;
        Pressure pressure_;
        std::atomic<bool> is_closed_{false};
        std::atomic<int> accepted_{0};
        std::atomic<int> sum_{0};
        std::atomic<int> taken_{0};
};

/// Three submitters of two tasks each, two lanes that take them all. True: all have ended.
[[nodiscard]] bool all_get_in(Scheduler& scheduler, std::size_t capacity, Mistake mistake) {
        // Outlives threads that sleep for ever.
        static std::unique_ptr<Submitters> submitters;
        submitters = std::make_unique<Submitters>(capacity, mistake);
        for (int i = 0; i < 3; i++)
                scheduler.add([i] {
                        EXPECT_TRUE(submitters->submit(1 + i));
                        EXPECT_TRUE(submitters->submit(10 + i));
                });
        for (int lane = 0; lane < 2; lane++)
                scheduler.add([] { submitters->take(6); });
        return scheduler.go() && submitters->sum() == 1 + 2 + 3 + 10 + 11 + 12;
}

/// The same with one lane and one task each.
[[nodiscard]] bool three_get_in(Scheduler& scheduler, std::size_t capacity, Mistake mistake) {
        static std::unique_ptr<Submitters> submitters;
        submitters = std::make_unique<Submitters>(capacity, mistake);
        for (int i = 0; i < 3; i++)
                scheduler.add([i] { EXPECT_TRUE(submitters->submit(1 + i)); });
        scheduler.add([] { submitters->take(3); });
        return scheduler.go() && submitters->sum() == 6;
}

}  // namespace

TEST(BackPressureSchedules, AllGetIn) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(all_get_in(scheduler, 1 + scheduler.pick(4), Mistake::None));
        });
}

TEST(BackPressureSchedules, NobodySleepsAfterTheLastOneWasTakenOut) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(three_get_in(scheduler, 1 + scheduler.pick(2), Mistake::None));
        });
}

TEST(BackPressureSchedules, WhoIsTooLateHasSubmittedNothing) {
        const timespec deadline{};
        explore(kSchedules, [&](Scheduler& scheduler) {
                Submitters submitters(1);
                std::atomic<int> in{0};
                for (int i = 0; i < 3; i++)
                        scheduler.add([&, i] { in += submitters.submit(1 << i, &deadline); });
                scheduler.add([&] { submitters.take(1); });
                ASSERT_TRUE(scheduler.go());
                EXPECT_GE(in, 1);
                EXPECT_LE(in, 2);
                EXPECT_EQ(in, 1 + static_cast<int>(submitters.ring().size()));
                submitters.take(in);
                EXPECT_EQ(submitters.sum(), submitters.accepted());
        });
}

TEST(BackPressureSchedules, WhoHasGivenUpOrGotInIsNotWaitedFor) {
        const timespec deadline{};
        explore(kSchedules, [&](Scheduler& scheduler) {
                const auto capacity = 1 + scheduler.pick(4);
                const auto taken = static_cast<int>(scheduler.pick(3));
                Submitters submitters(capacity);
                for (int i = 0; i < 3; i++)
                        scheduler.add([&] {
                                (void)submitters.submit(1, &deadline);
                                (void)submitters.submit(1, &deadline);
                        });
                scheduler.add([&] { submitters.take(taken); });
                ASSERT_TRUE(scheduler.go());
                const bool has_place = submitters.ring().size() < capacity;
                EXPECT_EQ(submitters.try_submit(1), has_place);
        });
}

TEST(BackPressureSchedules, AfterTheEndNobodySleeps) {
        explore(kSchedules, [](Scheduler& scheduler) {
                Submitters submitters(1);
                std::atomic<int> in{0};
                for (int i = 0; i < 3; i++)
                        scheduler.add([&, i] { in += submitters.submit(1 << i); });
                scheduler.add([&] { submitters.stop(); });
                EXPECT_TRUE(scheduler.go());
                EXPECT_LE(in, 1);
        });
}

TEST(BackPressureSchedules, AConsumerWhoSaysNothingIsSeen) {
        EXPECT_TRUE(is_found(kSchedules, [](Scheduler& scheduler) {
                return !three_get_in(scheduler, 1, Mistake::ConsumerSaysNothing);
        }));
}

TEST(BackPressureSchedules, AConsumerWhoSaysItBeforehandIsSeen) {
        EXPECT_TRUE(is_found(kSchedules, [](Scheduler& scheduler) {
                return !three_get_in(scheduler, 1, Mistake::ConsumerSaysItBeforehand);
        }));
}
