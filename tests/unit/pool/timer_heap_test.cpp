// SPDX-License-Identifier: MIT
// The order of timers, on a clock that the test turns.
#include "timer_heap.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

using threadcount::pool::next_due;
using threadcount::pool::TimerHeap;

namespace {

struct Node {
        static constexpr std::size_t kNowhere = ~std::size_t{0};
        std::size_t heap_index_ = kNowhere;
        std::int64_t due = 0;
};

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST(TimerHeap, GivesWhatIsDueInItsOrder) {
        TimerHeap<Node> heap;
        std::vector<Node> nodes(6);
        for (const std::int64_t due : {4, 1, 5, 0, 3, 2})
                heap.push(due * 10, nodes[static_cast<std::size_t>(due)]);
        for (std::size_t now = 0; now < nodes.size(); now++) {
                EXPECT_EQ(heap.earliest_due(), static_cast<std::int64_t>(now) * 10);
                ASSERT_EQ(&heap.earliest(), &nodes[now]);
                heap.remove(heap.earliest());
        }
        EXPECT_TRUE(heap.empty());
}

TEST(TimerHeap, ForgetsWhatIsTakenOutAtOnce) {
        TimerHeap<Node> heap;
        std::vector<Node> nodes(100'000);
        std::mt19937 random(1);
        for (auto& node : nodes)
                heap.push(random() % 1000, node);
        for (auto& node : nodes) {
                EXPECT_TRUE(heap.has(node));
                heap.remove(node);
                EXPECT_FALSE(heap.has(node));
        }
        EXPECT_EQ(heap.size(), 0U);
}

TEST(TimerHeap, DoesWhatASortedSetDoes) {
        std::mt19937 random(7);
        TimerHeap<Node> heap;
        std::vector<Node> nodes(300);
        std::multiset<std::int64_t> model;
        const auto take_out = [&](Node& node) {
                model.erase(model.find(node.due));
                heap.remove(node);
        };
        for (int step = 0; step < 200'000; step++) {
                auto& node = nodes[random() % nodes.size()];
                if (!heap.has(node)) {
                        node.due = random() % 1000;
                        heap.push(node.due, node);
                        model.insert(node.due);
                } else if (random() % 3 != 0) {
                        take_out(node);
                } else {
                        auto& first = heap.earliest();
                        model.erase(model.find(first.due));
                        first.due += random() % 500;
                        heap.postpone(first.due);
                        model.insert(first.due);
                }
                ASSERT_EQ(heap.size(), model.size());
                if (!model.empty()) {
                        ASSERT_EQ(heap.earliest_due(), *model.begin());
                        ASSERT_EQ(heap.earliest().due, *model.begin());
                }
        }
}

TEST(TimerHeap, RunsAWholeDayOfPeriodicTimers) {
        constexpr std::int64_t kDay = 24 * 3600;
        TimerHeap<Node> heap;
        std::vector<Node> nodes(4);
        const std::vector<std::int64_t> periods{1, 7, 60, 3600};
        std::vector<std::int64_t> runs(nodes.size(), 0);
        for (std::size_t i = 0; i < nodes.size(); i++)
                heap.push(periods[i], nodes[i]);
        for (std::int64_t now = 0; now <= kDay; now++)
                while (heap.earliest_due() <= now) {
                        const auto i = static_cast<std::size_t>(&heap.earliest() - nodes.data());
                        EXPECT_EQ(heap.earliest_due(), now);
                        runs[i]++;
                        heap.postpone(next_due(now, periods[i], now));
                }
        for (std::size_t i = 0; i < nodes.size(); i++)
                EXPECT_EQ(runs[i], kDay / periods[i]);
}

TEST(NextDue, KeepsTheRateAndLeavesOutWhatWasMissed) {
        EXPECT_EQ(next_due(100, 10, 100), 110);
        EXPECT_EQ(next_due(100, 10, 109), 110);
        EXPECT_EQ(next_due(100, 10, 110), 120);
        EXPECT_EQ(next_due(100, 10, 155), 160);
        EXPECT_EQ(next_due(100, 10, 90), 110);
        EXPECT_EQ(next_due(-100, 10, -95), -90);
}

TEST(NextDue, EndsWithTheClock) {
        EXPECT_EQ(next_due(100, kMost, 100), kMost);
        EXPECT_EQ(next_due(kMost - 5, 10, kMost - 5), kMost);
}
