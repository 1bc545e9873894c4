// SPDX-License-Identifier: MIT
// Ranges of all kinds, loops inside of loops, and what bodies throw.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using threadcount::ForOptions;
using threadcount::Pool;
using threadcount::Schedule;

namespace {

class Loops : public testing::TestWithParam<Schedule> {
protected:
        [[nodiscard]] ForOptions by(std::size_t grain) const {
                return {.schedule = GetParam(), .grain = grain};
        }

        /// Each index of [begin, end) is seen once, one by one and by pieces.
        template <class Begin, class End>
        void expect_each_once(Begin begin, End end, std::size_t grain) {
                const auto size = std::cmp_less(begin, end) ? static_cast<std::size_t>(end - begin)
                                                            : std::size_t{0};
                std::vector<std::atomic<int>> times(size);
                const auto at = [begin](auto i) { return static_cast<std::size_t>(i - begin); };
                pool_.parallel_for(
                        begin, end, [&](auto i) { times[at(i)]++; }, by(grain));
                pool_.parallel_for(
                        begin, end,
                        [&](auto first, auto last) {
                                for (auto i = first; i != last; i++)
                                        times[at(i)]++;
                        },
                        by(grain));
                EXPECT_TRUE(std::ranges::all_of(times, [](const auto& n) { return n == 2; }))
                        << +begin << " .. " << +end << " by " << grain;
        }

        Pool pool_;
};

}  // namespace

TEST_P(Loops, OverAnyRangeOfAnyTypeSeeEachIndexOnce) {
        std::mt19937 random(7);
        for (int round = 0; round < 100; round++) {
                const auto begin = static_cast<std::int64_t>(random() % 2'000'000) - 1'000'000;
                const auto end = begin + static_cast<std::int64_t>(random() % 3000) - 100;
                expect_each_once(begin, end, random() % 50);
                expect_each_once(static_cast<int>(begin), static_cast<int>(end), random() % 50);
        }
        expect_each_once(std::int8_t{-128}, std::int8_t{127}, 3);
        expect_each_once(std::uint8_t{0}, std::uint8_t{255}, 0);
        expect_each_once(std::int16_t{-300}, std::int16_t{300}, 1);
        expect_each_once(0U, 100U, 7);
        expect_each_once(std::size_t{0}, std::size_t{70'000}, 1);
}

TEST_P(Loops, OverNothingRunNothing) {
        const auto is_run = [](auto) { ADD_FAILURE(); };
        pool_.parallel_for(5, 5, is_run, by(1));
        pool_.parallel_for(5, -5, is_run, by(1));
        pool_.parallel_for(1U, 0U, is_run, by(0));
        pool_.parallel_for(std::numeric_limits<std::int64_t>::max(),
                           std::numeric_limits<std::int64_t>::min(), is_run, by(1));
        pool_.parallel_for(-1, std::int8_t{-2}, is_run, by(1));
}

TEST_P(Loops, MayBeAsLongAsTheirTypeIsWide) {
        constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
        std::atomic<std::uint64_t> seen{0};
        const auto count = [&](auto first, auto last) {
                seen += static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        };
        pool_.parallel_for(std::uint64_t{0}, kAll, count, by(1));
        EXPECT_EQ(seen.exchange(0), kAll);
        pool_.parallel_for(std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max(), count, by(1));
        EXPECT_EQ(seen.exchange(0), kAll);
        pool_.parallel_for(std::uint64_t{0}, kAll, count, by(kAll));
        EXPECT_EQ(seen.exchange(0), kAll);
        pool_.parallel_for(kAll - 3, kAll, count, by(1));
        EXPECT_EQ(seen.exchange(0), 3U);
}

TEST_P(Loops, InStepsAndBackwardsAreLoopsOverTheNumberOfSteps) {
        constexpr int kStep = 7;
        std::vector<std::atomic<int>> times(1000);
        pool_.parallel_for(
                0, (1000 + kStep - 1) / kStep,
                [&](int i) { times[static_cast<std::size_t>(i * kStep)]++; }, by(1));
        pool_.parallel_for(
                0, 1000, [&](int i) { times[static_cast<std::size_t>(999 - i)]++; }, by(1));
        for (std::size_t i = 0; i < times.size(); i++)
                ASSERT_EQ(times[i], i % kStep == 0 ? 2 : 1) << i;
}

TEST_P(Loops, HaveNoPieceBelowTheGrainButTheLast) {
        for (const std::size_t size : {1U, 31U, 32U, 33U, 1000U, 4099U})
                for (const std::size_t grain : {1U, 8U, 32U, 100U, 5000U}) {
                        std::mutex mutex;
                        std::vector<std::size_t> pieces;
                        std::size_t last_piece = 0;
                        pool_.parallel_for(
                                std::size_t{0}, size,
                                [&](std::size_t first, std::size_t last) {
                                        const std::lock_guard lock(mutex);
                                        if (last == size)
                                                last_piece = last - first;
                                        else
                                                pieces.push_back(last - first);
                                },
                                by(grain));
                        EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), last_piece), size);
                        for (const auto piece : pieces)
                                EXPECT_GE(piece, std::min(grain, size)) << size << " by " << grain;
                }
}

TEST_P(Loops, MayHaveAGrainAsLargeAsThereIs) {
        constexpr auto kLargest = std::numeric_limits<std::size_t>::max();
        for (const auto grain : {kLargest, kLargest / 2 + 1, kLargest / 2}) {
                std::atomic<int> times{0};
                pool_.parallel_for(
                        0, 10, [&](int) { times++; }, by(grain));
                EXPECT_EQ(times, 10) << grain;
        }
}

TEST_P(Loops, MayBeNestedThreeDeepWhateverTheWidth) {
        const auto cpus = pool_.cpus();
        for (std::size_t width = 1; width <= cpus.size(); width++) {
                pool_.set_mask(std::vector<int>(cpus.begin(),
                                                cpus.begin() + static_cast<std::ptrdiff_t>(width)));
                std::atomic<long> sum{0};
                const auto loop = [&](const auto& body) { pool_.parallel_for(0, 24, body, by(1)); };
                const auto all = [&] {
                        loop([&](int) { loop([&](int) { loop([&](int i) { sum += i; }); }); });
                };
                all();
                pool_.run(all);
                EXPECT_EQ(sum, 2L * 24 * 24 * (23 * 24 / 2));
        }
}

TEST_P(Loops, OfManyThreadsAndTasksRunAtOnce) {
        std::atomic<int> ran{0};
        const auto loop = [&] {
                for (int i = 0; i < 20; i++)
                        pool_.parallel_for(
                                0, 100, [&](int) { ran++; }, by(1));
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
                threads.emplace_back(loop);
        for (int i = 0; i < 4; i++)
                pool_.submit(loop);
        for (auto& thread : threads)
                thread.join();
        pool_.wait_idle();
        EXPECT_EQ(ran, 8 * 20 * 100);
}

TEST_P(Loops, ThatThrowRunNothingMoreWhenTheyHaveReturned) {
        for (int round = 0; round < 50; round++) {
                std::atomic<int> running{0};
                std::atomic<bool> has_returned{false};
                std::atomic<int> late{0};
                try {
                        pool_.parallel_for(
                                0, 200,
                                [&](int i) {
                                        running++;
                                        late += has_returned ? 1 : 0;
                                        if (i % 50 == round)
                                                throw i;
                                        std::this_thread::yield();
                                        running--;
                                },
                                by(1));
                        ADD_FAILURE() << "nothing is thrown";
                } catch (const int thrown) {
                        EXPECT_EQ(thrown % 50, round);
                }
                has_returned = true;
                EXPECT_GE(running, 1);
                EXPECT_LE(running, 4);
                pool_.wait_idle();
                EXPECT_EQ(late, 0);
        }
        expect_each_once(0, 1000, 1);
}

TEST_P(Loops, PassOnWhatIsThrownThreeLoopsBelow) {
        const auto throws = [&] {
                pool_.parallel_for(
                        0, 10,
                        [&](int) {
                                pool_.parallel_for(
                                        0, 10,
                                        [&](int) {
                                                pool_.parallel_for(
                                                        0, 10,
                                                        [](int i) {
                                                                if (i == 9)
                                                                        throw std::range_error("9");
                                                        },
                                                        ForOptions{});
                                        },
                                        by(1));
                        },
                        by(1));
        };
        EXPECT_THROW(throws(), std::range_error);
        EXPECT_THROW(pool_.run(throws), std::range_error);
        EXPECT_THROW(pool_.async(throws).get(), std::range_error);
        expect_each_once(0, 1000, 1);
}

INSTANTIATE_TEST_SUITE_P(Pool, Loops, testing::Values(Schedule::Static, Schedule::Guided));
