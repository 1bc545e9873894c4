// SPDX-License-Identifier: MIT
// Futures that are used by several threads at the same instant.
#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Future;
using threadcount::FutureCancelled;
using threadcount::Pool;

namespace {

constexpr int kRaces = 100'000;
// The number of races of threads that sleep now and then.
constexpr int kMeetings = 20'000;

}  // namespace

TEST(FutureRace, EitherItRunsOrItIsCancelled) {
        Pool pool;
        std::atomic<bool> has_run{false};
        int ran = 0;
        int cancelled = 0;
        for (int i = 0; i < kRaces; i++) {
                has_run = false;
                auto future = pool.async([&] { has_run = true; });
                // From at once to later than the lane.
                for (int pause = 0; pause < i % 64; pause++)
                        threadcount::pool::Machine::pause();
                const bool is_cancelled = future.cancel();
                if (is_cancelled) {
                        cancelled++;
                        ASSERT_THROW(future.get(), FutureCancelled);
                } else {
                        ran++;
                        future.get();
                }
                ASSERT_NE(has_run, is_cancelled);
        }
        pool.wait_idle();
        EXPECT_EQ(ran + cancelled, kRaces);
        RecordProperty("ran", ran);
        RecordProperty("cancelled", cancelled);
}

TEST(FutureRace, OneOfTwoCancels) {
        Pool pool;
        for (int i = 0; i < 2000; i++) {
                std::atomic<int> ran{0};
                std::atomic<int> cancelled{0};
                const auto future = pool.async([&] { ran++; });
                std::thread other([&] { cancelled += future.cancel() ? 1 : 0; });
                cancelled += future.cancel() ? 1 : 0;
                future.wait();
                other.join();
                ASSERT_EQ(ran + cancelled, 1);
        }
}

TEST(FutureRace, ThenIsNeitherLostNorRunTwice) {
        Pool pool;
        std::atomic<int> ran{0};
        for (int i = 0; i < kMeetings; i++) {
                auto first = pool.async([] { return 1; });
                for (int pause = 0; pause < i % 64; pause++)
                        threadcount::pool::Machine::pause();
                auto next = first.then([&](int it) {
                        ran += it;
                        return 2;
                });
                ASSERT_EQ(next.get(), 2);
        }
        EXPECT_EQ(ran, kMeetings);
}

TEST(FutureRace, WaitersWithADeadlineMissNothing) {
        Pool pool;
        for (int i = 0; i < kMeetings; i++) {
                auto future = pool.async([i] { return i; });
                while (!future.wait_for(std::chrono::microseconds{i % 32})) {
                }
                ASSERT_EQ(future.get(), i);
        }
}

TEST(FutureRace, LanesWaitForOneAnother) {
        Pool pool;
        const auto sum = [&](auto& self, int depth) -> int {
                if (depth == 0)
                        return 1;
                std::vector<Future<int>> parts;
                for (int i = 0; i < 4; i++)
                        parts.push_back(pool.async([&self, depth] {
                                                    return self(self, depth - 1);
                                            }).then([](int it) { return it; }));
                int all = 0;
                for (auto& part : parts)
                        all += part.get();
                return all;
        };
        for (int round = 0; round < 20; round++)
                ASSERT_EQ(pool.async([&] { return sum(sum, 5); }).get(), 1024);
}

TEST(FutureRace, WhoLetsGoLastDestroys) {
        Pool pool;
        const auto held = std::make_shared<int>(0);
        for (int i = 0; i < kMeetings; i++) {
                const auto future = pool.async([held] { return held; });
                for (int pause = 0; pause < i % 64; pause++)
                        threadcount::pool::Machine::pause();
        }
        pool.wait_idle();
        EXPECT_EQ(held.use_count(), 1);
}
