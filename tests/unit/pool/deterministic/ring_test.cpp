// SPDX-License-Identifier: MIT
// The ring under many schedules.
#include "explore.hpp"
#include "platform.hpp"
#include "ring.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

using deterministic::explore;
using deterministic::Platform;
using deterministic::Scheduler;

namespace {

constexpr std::uint64_t kSchedules = 10'000;

struct Piece {
        int producer;
        int number;
};
using Item = deterministic::Slow<Piece>;
using Ring = threadcount::pool::Ring<Item, Platform>;

class RingSchedules : public testing::Test {
protected:
        static constexpr int kProducers = 2;
        static constexpr int kPieces = 3;

        ~RingSchedules() override { drain(); }

        void make_ring(std::size_t capacity) {
                drain();
                cells_ = std::make_unique<Ring::Cell[]>(Ring::cells_for(capacity));
                ring_ = std::make_unique<Ring>(cells_.get(), capacity);
                begun_ = pushed_ = popped_ = popping_ = 0;
        }

        /// A ring does not destroy what is left in it.
        void drain() {
                for (Item item; ring_ != nullptr && ring_->pop(item);)
                        item = Item();
        }

        /// Pushes whether there must be a place or not.
        bool push_any(int producer, int number) {
                return ring_->push([&](void* place) {
                        ::new (place) Item(Piece{producer, number});
                });
        }

        bool push(int producer, int number) {
                const int popped_before = popped_;
                begun_++;
                const bool is_in = push_any(producer, number);
                const auto capacity = static_cast<int>(ring_->capacity());
                if (is_in) {
                        pushed_++;
                        EXPECT_LE(pushed_ - popped_ - popping_, capacity);
                } else {
                        begun_--;
                        // Places of items that were taken out of order are not free yet.
                        EXPECT_TRUE(begun_ - popped_before >= capacity || popped_ + popping_ > 0);
                }
                return is_in;
        }

        void produce(int producer) {
                for (int number = 0; number < kPieces; number++)
                        while (!push(producer, number))
                                Platform::yield();
        }

        bool pop(Item& ret_item) {
                popping_++;
                const bool is_out = ring_->pop(ret_item);
                popped_ += is_out ? 1 : 0;
                popping_--;
                return is_out;
        }

        /// Consumes until all is out.
        std::vector<Item> consume() {
                std::vector<Item> got;
                while (popped_ < kProducers * kPieces)
                        if (Item item; pop(item))
                                got.push_back(std::move(item));
                        else
                                Platform::yield();
                return got;
        }

        static void expect_each_producer_s_order(const std::vector<Item>& got) {
                std::map<int, int> last;
                for (const auto& item : got) {
                        ASSERT_TRUE(item);
                        const auto [at, is_first] = last.emplace(item->producer, -1);
                        EXPECT_GT(item->number, at->second);
                        at->second = item->number;
                }
        }

        std::unique_ptr<Ring::Cell[]> cells_;
        std::unique_ptr<Ring> ring_;
        std::atomic<int> begun_{0};
        std::atomic<int> pushed_{0};
        std::atomic<int> popped_{0};
        std::atomic<int> popping_{0};
};

}  // namespace

TEST_F(RingSchedules, TwoProducersAndTwoConsumersLoseAndDoubleNothing) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(1 + scheduler.pick(3));
                std::vector<Item> got[2];
                for (int producer = 0; producer < kProducers; producer++)
                        scheduler.add([this, producer] { produce(producer); });
                for (auto& mine : got)
                        scheduler.add([this, &mine] { mine = consume(); });
                ASSERT_TRUE(scheduler.go());
                std::vector<int> seen(kProducers * kPieces);
                for (const auto& mine : got) {
                        expect_each_producer_s_order(mine);
                        for (const auto& item : mine)
                                seen.at(static_cast<std::size_t>(item->producer * kPieces +
                                                                 item->number))++;
                }
                EXPECT_EQ(seen, std::vector<int>(kProducers * kPieces, 1));
                EXPECT_TRUE(ring_->empty());
                EXPECT_EQ(ring_->settled_size(), 0U);
        });
}

TEST_F(RingSchedules, OneConsumerGetsEachProducersItemsInOrder) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(1 + scheduler.pick(4));
                std::vector<Item> got;
                for (int producer = 0; producer < kProducers; producer++)
                        scheduler.add([this, producer] { produce(producer); });
                scheduler.add([&] { got = consume(); });
                ASSERT_TRUE(scheduler.go());
                EXPECT_EQ(got.size(), std::size_t{kProducers * kPieces});
                expect_each_producer_s_order(got);
        });
}

TEST_F(RingSchedules, ExactlyAsManyAsItsCapacityAreAccepted) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(1 + scheduler.pick(5));
                for (int producer = 0; producer < 3; producer++)
                        scheduler.add([this, producer] {
                                (void)push(producer, 0);
                                (void)push(producer, 1);
                        });
                ASSERT_TRUE(scheduler.go());
                EXPECT_EQ(pushed_, static_cast<int>(ring_->capacity()));
                EXPECT_EQ(ring_->size(), ring_->capacity());
                for (Item item; pop(item);)
                        EXPECT_TRUE(item);
                EXPECT_EQ(popped_, pushed_);
        });
}

TEST_F(RingSchedules, WhoHasPushedTheOldestOneIsNotMissed) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(1 + scheduler.pick(4));
                std::atomic<bool> is_in{false};
                scheduler.add([&] {
                        EXPECT_TRUE(push(0, 0));
                        is_in = true;
                });
                scheduler.add([&] {
                        for (int i = 0; i < 5; i++) {
                                const bool was_in = is_in;
                                EXPECT_FALSE(ring_->empty() && was_in);
                        }
                });
                ASSERT_TRUE(scheduler.go());
                Item item;
                EXPECT_TRUE(pop(item));
        });
}

TEST_F(RingSchedules, AProducerThatIsLateHidesNothing) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(2 + scheduler.pick(6));
                const int late = 1 + static_cast<int>(scheduler.pick(2));
                const int others = static_cast<int>(ring_->capacity()) - late;
                std::vector<Item> got[2];
                // Each has its place, and fills it when what others have pushed is out.
                for (int producer = 0; producer < late; producer++)
                        scheduler.add([&, producer] {
                                EXPECT_TRUE(ring_->push([&](void* place) {
                                        while (popped_ < others)
                                                Platform::yield();
                                        ::new (place) Item(Piece{producer, 0});
                                }));
                        });
                scheduler.add([&] {
                        for (int number = 0; number < others; number++)
                                EXPECT_TRUE(push_any(late, number));
                });
                for (auto& mine : got)
                        scheduler.add([&] {
                                while (popped_ < others + late)
                                        if (Item item; pop(item))
                                                mine.push_back(std::move(item));
                                        else
                                                Platform::yield();
                        });
                ASSERT_TRUE(scheduler.go());
                EXPECT_EQ(static_cast<int>(got[0].size() + got[1].size()), others + late);
                EXPECT_TRUE(ring_->empty());
                EXPECT_EQ(ring_->settled_size(), 0U);
                Item item;
                EXPECT_FALSE(pop(item));
                for (std::size_t i = 0; i < ring_->capacity(); i++)
                        EXPECT_TRUE(push_any(0, 0));
                EXPECT_FALSE(push_any(0, 0));
        });
}

TEST_F(RingSchedules, WhoHasPushedBehindOneThatIsLateIsNotMissed) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(2 + scheduler.pick(4));
                std::atomic<bool> is_late{true};
                std::atomic<bool> is_in{false};
                scheduler.add([&] {
                        EXPECT_TRUE(ring_->push([&](void* place) {
                                while (is_late)
                                        Platform::yield();
                                ::new (place) Item(Piece{0, 0});
                        }));
                });
                scheduler.add([&] {
                        EXPECT_TRUE(push_any(1, 0));
                        is_in = true;
                });
                scheduler.add([&] {
                        for (int i = 0; i < 5; i++) {
                                const bool was_in = is_in;
                                EXPECT_FALSE(ring_->empty() && was_in);
                        }
                        is_late = false;
                });
                ASSERT_TRUE(scheduler.go());
        });
}

TEST_F(RingSchedules, WhatIsBehindAnItemThatIsTakenMeanwhileIsNotMissed) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(2 + scheduler.pick(4));
                std::atomic<bool> has_place{false};
                std::atomic<bool> is_late{true};
                std::atomic<bool> is_filled{false};
                std::atomic<bool> is_second_in{false};
                const auto wait_for = [](const std::atomic<bool>& flag) {
                        while (!flag)
                                Platform::yield();
                };
                scheduler.add([&] {
                        EXPECT_TRUE(ring_->push([&](void* place) {
                                has_place = true;
                                while (is_late)
                                        Platform::yield();
                                ::new (place) Item(Piece{0, 0});
                        }));
                        is_filled = true;
                });
                scheduler.add([&] {
                        wait_for(has_place);
                        EXPECT_TRUE(push_any(1, 0));
                        is_second_in = true;
                });
                scheduler.add([&] {
                        wait_for(is_filled);
                        Item item;
                        EXPECT_TRUE(pop(item));
                        EXPECT_EQ(item->producer, 0);
                });
                scheduler.add([&] {
                        wait_for(is_second_in);
                        is_late = false;
                        EXPECT_FALSE(ring_->empty());
                });
                ASSERT_TRUE(scheduler.go());
        });
}

TEST_F(RingSchedules, WhatWasPushedBeforeItIsClosedIsInIt) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                make_ring(1 + scheduler.pick(8));
                std::vector<Item> rest;
                std::atomic<int> accepted{0};
                for (int producer = 0; producer < 2; producer++)
                        scheduler.add([&, producer] {
                                for (int number = 0; number < 3; number++)
                                        accepted += push_any(producer, number) ? 1 : 0;
                        });
                scheduler.add([&] {
                        ring_->close();
                        EXPECT_FALSE(push_any(2, 0));
                        while (ring_->size() > 0)
                                if (Item item; ring_->pop(item))
                                        rest.push_back(std::move(item));
                                else
                                        Platform::yield();
                });
                ASSERT_TRUE(scheduler.go());
                EXPECT_EQ(static_cast<int>(rest.size()), accepted);
                EXPECT_EQ(ring_->size(), 0U);
                EXPECT_TRUE(ring_->empty());
        });
}
