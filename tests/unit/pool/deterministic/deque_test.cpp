// SPDX-License-Identifier: MIT
// The deque under many schedules.
#include "explore.hpp"
#include "platform.hpp"

#include <threadcount/pool/detail/deque.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <vector>

using deterministic::explore;
using deterministic::is_found;
using deterministic::Platform;
using deterministic::Scheduler;

namespace {

constexpr std::uint64_t kSchedules = 10'000;
constexpr int kThieves = 2;

using Item = deterministic::Slow<int>;
using Deque = threadcount::pool::Deque<Item, Platform>;

class DequeSchedules : public testing::Test {
protected:
        void make_deque(std::size_t capacity) {
                slots_ = std::make_unique<Deque::Slot[]>(capacity);
                deque_ = std::make_unique<Deque>(slots_.get(), capacity);
                is_over_ = false;
                for (auto& got : got_)
                        got.clear();
        }

        Deque::Pushed push(int number, Deque::Announce announce = Deque::Announce::Every) {
                return deque_->push([&](void* place) { ::new (place) Item(number); }, announce);
        }
        bool pop() {
                Item item;
                if (!deque_->pop(item))
                        return false;
                got_[kThieves].push_back(*item);
                return true;
        }
        void steal_until_over(std::size_t thief) {
                while (!is_over_)
                        if (Item item; deque_->steal(item))
                                got_[thief].push_back(*item);
                        else
                                Platform::yield();
        }
        /// The numbers 0 .. `count` - 1 were seen once each.
        void expect_each_once(int count) {
                std::vector<int> all;
                for (const auto& got : got_)
                        all.insert(all.end(), got.begin(), got.end());
                std::ranges::sort(all);
                std::vector<int> expected(static_cast<std::size_t>(count));
                std::iota(expected.begin(), expected.end(), 0);
                EXPECT_EQ(all, expected);
        }

        std::unique_ptr<Deque::Slot[]> slots_;
        std::unique_ptr<Deque> deque_;
        std::atomic<bool> is_over_{false};
        std::array<std::vector<int>, kThieves + 1> got_;
};

}  // namespace

TEST_F(DequeSchedules, OwnerAndThievesGetEachItemOnce) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_deque(std::size_t{1} << scheduler.pick(3));
                constexpr int kItems = 7;
                scheduler.add([this] {
                        for (int number = 0; number < kItems; number++) {
                                const auto how = number % 2 == 0 ? Deque::Announce::Every
                                                                 : Deque::Announce::First;
                                while (push(number, how) == Deque::Pushed::No)
                                        if (!pop())
                                                Platform::yield();
                                if (number % 3 == 2)
                                        (void)pop();
                        }
                        while (pop()) {
                        }
                        is_over_ = true;
                });
                for (std::size_t thief = 0; thief < kThieves; thief++)
                        scheduler.add([this, thief] { steal_until_over(thief); });
                ASSERT_TRUE(scheduler.go());
                expect_each_once(kItems);
                for (std::size_t thief = 0; thief < kThieves; thief++)
                        EXPECT_TRUE(std::ranges::is_sorted(got_[thief])) << "oldest first";
        });
}

TEST_F(DequeSchedules, TheLastOneGoesToOneOfThem) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_deque(std::size_t{1} << scheduler.pick(3));
                scheduler.add([this] {
                        for (int number = 0; number < 3; number++) {
                                while (push(number) == Deque::Pushed::No)
                                        Platform::yield();
                                (void)pop();
                        }
                        is_over_ = true;
                });
                for (std::size_t thief = 0; thief < kThieves; thief++)
                        scheduler.add([this, thief] { steal_until_over(thief); });
                ASSERT_TRUE(scheduler.go());
                while (pop()) {
                }
                expect_each_once(3);
                EXPECT_TRUE(deque_->empty());
        });
}

TEST_F(DequeSchedules, ASlotIsNotFilledBeforeAThiefHasTakenOutWhatIsInIt) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_deque(1);
                scheduler.add([this] {
                        for (int number = 0; number < 4; number++)
                                while (push(number) == Deque::Pushed::No)
                                        Platform::yield();
                        while (!deque_->empty())
                                Platform::yield();
                        is_over_ = true;
                });
                for (std::size_t thief = 0; thief < kThieves; thief++)
                        scheduler.add([this, thief] { steal_until_over(thief); });
                ASSERT_TRUE(scheduler.go());
                expect_each_once(4);
        });
}

namespace {

/// The owner does one thing, and then another one. Thieves must not have what belongs to the
/// second.
class Parts : public DequeSchedules {
protected:
        static constexpr int kOfTheFirst = 3;
        static constexpr int kAll = 5;

        /// Thieves try `steal(item)`. True: one has a part of the second.
        template <class Steal>
        bool gets_a_part_of_the_second(Scheduler& scheduler, const Steal& steal) {
                make_deque(8);
                is_first_done_.store(0, std::memory_order_relaxed);
                scheduler.add([this] {
                        fork_and_join(0, kOfTheFirst);
                        is_first_done_.store(1, std::memory_order_release);
                        fork_and_join(kOfTheFirst, kAll);
                        is_over_ = true;
                });
                for (std::size_t thief = 0; thief < kThieves; thief++)
                        scheduler.add([this, thief, &steal] {
                                while (!is_over_)
                                        if (Item item; steal(item))
                                                got_[thief].push_back(*item);
                                        else
                                                Platform::yield();
                        });
                EXPECT_TRUE(scheduler.go());
                expect_each_once(kAll);
                return std::ranges::any_of(got_.begin(), got_.begin() + kThieves, [](auto& got) {
                        return !got.empty() && got.back() >= kOfTheFirst;
                });
        }
        [[nodiscard]] bool first_goes_on() const {
                return is_first_done_.load(std::memory_order_acquire) == 0;
        }

private:
        void fork_and_join(int first, int last) {
                for (int number = first; number < last; number++)
                        EXPECT_NE(push(number, Deque::Announce::First), Deque::Pushed::No);
                while (pop()) {
                }
        }

        Platform::Atomic<std::uint32_t> is_first_done_{0};
};

}  // namespace

TEST_F(Parts, OfWhatGoesOnAloneAreStolenOnThisCondition) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                EXPECT_FALSE(gets_a_part_of_the_second(scheduler, [this](Item& item) {
                        return deque_->steal_if([this] { return first_goes_on(); }, item);
                }));
        });
}

TEST_F(Parts, OfSomethingElseAreStolenIfTheThiefAsksBefore) {
        EXPECT_TRUE(is_found(kSchedules, [&](Scheduler& scheduler) {
                return gets_a_part_of_the_second(scheduler, [this](Item& item) {
                        return first_goes_on() && deque_->steal(item);
                });
        }));
}

namespace {

class QuietPushes : public DequeSchedules {
protected:
        /// One that sleeps if it finds nothing, until it is told.
        void steal_or_sleep() {
                while (!is_over_) {
                        const auto told = told_.load(std::memory_order_seq_cst);
                        if (Item item; deque_->steal(item))
                                got_[0].push_back(*item);
                        else if (deque_->empty())
                                (void)Platform::wait(told_, told);
                }
        }
        void tell() {
                told_.fetch_add(1, std::memory_order_seq_cst);
                Platform::wake_one(told_);
        }
        Deque::Pushed fork(int number) {
                const auto pushed = push(number, Deque::Announce::First);
                if (pushed == Deque::Pushed::Announced)
                        tell();
                return pushed;
        }
        /// The owner forks `count` times, and everything comes to rest. Does a fork wait then?
        bool waits_after(Scheduler& scheduler, int count) {
                make_deque(8);
                may_go_on_.store(0, std::memory_order_relaxed);
                scheduler.add([this] { steal_or_sleep(); });
                scheduler.add([this, count] { own(count); });
                EXPECT_FALSE(scheduler.go());
                return !deque_->empty();
        }
        /// Then the owner takes back what is left, and forks once more; whether one waits then.
        bool waits_after_one_more(Scheduler& scheduler) {
                may_go_on_.store(1, std::memory_order_relaxed);
                Platform::wake_all(may_go_on_);
                EXPECT_FALSE(scheduler.go());
                return !deque_->empty();
        }
        void end(Scheduler& scheduler) {
                is_over_ = true;
                tell();
                EXPECT_TRUE(scheduler.go());
        }

private:
        void own(int count) {
                for (int number = 0; number < count; number++)
                        EXPECT_NE(fork(number), Deque::Pushed::No);
                if (count == 1)
                        return;
                while (may_go_on_.load(std::memory_order_relaxed) == 0)
                        (void)Platform::wait(may_go_on_, 0);
                while (pop()) {
                }
                EXPECT_EQ(fork(count), Deque::Pushed::Announced);
        }

        Platform::Atomic<std::uint32_t> told_{0};
        Platform::Atomic<std::uint32_t> may_go_on_{0};
};

}  // namespace

TEST_F(QuietPushes, TheFirstIsAlwaysTaken) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                EXPECT_FALSE(waits_after(scheduler, 1));
                end(scheduler);
                expect_each_once(1);
        });
}

TEST_F(QuietPushes, MayBeMissedByOneWhoGoesToSleep) {
        EXPECT_TRUE(is_found(kSchedules, [&](Scheduler& scheduler) {
                const bool waits = waits_after(scheduler, 3);
                (void)waits_after_one_more(scheduler);
                end(scheduler);
                return waits;
        }));
}

TEST_F(QuietPushes, WhenTheOwnerHasNoneLeftTheNextOneIsTaken) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                (void)waits_after(scheduler, 3);
                EXPECT_FALSE(waits_after_one_more(scheduler));
                end(scheduler);
                expect_each_once(4);
        });
}

TEST_F(DequeSchedules, AFullDequeTakesNoMoreAndHoldsAllItHas) {
        for (const std::size_t capacity : {1U, 2U, 8U}) {
                make_deque(capacity);
                for (std::size_t i = 0; i < capacity; i++)
                        EXPECT_NE(push(static_cast<int>(i)), Deque::Pushed::No);
                EXPECT_EQ(push(0), Deque::Pushed::No);
                EXPECT_EQ(deque_->size(), capacity);
                while (pop()) {
                }
                expect_each_once(static_cast<int>(capacity));
        }
}
