// SPDX-License-Identifier: MIT
// Reductions and scans: in order, and the same whatever lanes there are.
#include <threadcount/pool.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using threadcount::Pool;
using threadcount::Scan;
using threadcount::Schedule;
using namespace std::chrono_literals;

namespace {

const std::size_t kSizes[] = {0, 1, 2, 3, 31, 32, 33, 1000, 1023, 1024, 1025, 2049, 20'000};

/// One that needs a value from the start.
struct Text {
        explicit Text(std::string text) : it(std::move(text)) {}
        std::string it;
};

std::string letter(std::size_t i) { return {static_cast<char>('a' + i % 26)}; }

std::string letters(std::size_t size) {
        std::string all;
        for (std::size_t i = 0; i < size; i++)
                all += letter(i);
        return all;
}

/// Sums of these depend on how they are grouped.
double uneven(std::size_t i) { return (i % 3 == 0 ? 1e16 : 1.0) / static_cast<double>(i + 1); }

/// The grouping of the numbers, as a number: neither associative nor commutative.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
        return (std::rotl(a, 7) ^ (b + 0x9e3779b97f4a7c15U)) * 0xbf58476d1ce4e5b9U;
}

/// Calls `compute` with all lanes, with one, by a task and by threads beside each other.
template <class Compute>
void expect_same_whoever_computes(const Compute& compute) {
        Pool pool;
        const auto expected = compute(pool, Schedule::Guided);
        for (const auto schedule : {Schedule::Static, Schedule::Guided})
                for (int round = 0; round < 20; round++)
                        ASSERT_EQ(compute(pool, schedule), expected) << round;
        pool.run([&] { EXPECT_EQ(compute(pool, Schedule::Guided), expected); });
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++)
                threads.emplace_back([&] { EXPECT_EQ(compute(pool, Schedule::Guided), expected); });
        for (auto& thread : threads)
                thread.join();
        pool.set_mask(std::vector<int>{pool.cpus().front()});
        EXPECT_EQ(compute(pool, Schedule::Guided), expected);
        Pool narrow({.cpus = {pool.cpus().back()}});
        EXPECT_EQ(compute(narrow, Schedule::Static), expected);
}

}  // namespace

TEST(ParallelReduce, KeepsTheOrder) {
        Pool pool;
        for (const auto size : kSizes)
                EXPECT_EQ(pool.parallel_reduce(0, size, std::string("> "), std::plus<>(), letter),
                          "> " + letters(size));
}

TEST(ParallelReduce, IsTheSameBitForBitWhateverTheLanes) {
        expect_same_whoever_computes([](Pool& pool, Schedule schedule) {
                std::vector<std::uint64_t> results;
                for (const auto size : kSizes) {
                        results.push_back(std::bit_cast<std::uint64_t>(pool.parallel_reduce(
                                0, size, 0.0, std::plus<>(), uneven, {.schedule = schedule})));
                        results.push_back(
                                pool.parallel_reduce(0, size, std::uint64_t{1}, mixed,
                                                     [](std::size_t i) { return std::uint64_t{i}; },
                                                     {.schedule = schedule, .grain = 7}));
                }
                return results;
        });
}

TEST(ParallelReduce, IsWhatASumByPartsIs) {
        // Whole numbers that no double has to round: one may group them as one likes.
        std::vector<double> numbers(100'000);
        std::iota(numbers.begin(), numbers.end(), 0);
        Pool pool;
        EXPECT_EQ(pool.parallel_reduce(0, numbers.size(), 0.0, std::plus<>(),
                                       [&](std::size_t i) { return numbers[i]; }),
                  std::reduce(numbers.begin(), numbers.end()));
}

TEST(ParallelReduce, TakesRunsOfNeighboursFromWhomItSuits) {
        Pool pool;
        for (const std::size_t grain : {0U, 1U, 7U, 1'000'000U}) {
                std::atomic<bool> is_empty{false};
                const auto length = [&](int first, int last) {
                        if (first >= last)
                                is_empty = true;
                        return long{last} - first;
                };
                EXPECT_EQ(pool.parallel_reduce(-5, 12'340, 0L, std::plus<>(), length,
                                               {.grain = grain}),
                          12'345);
                EXPECT_FALSE(is_empty);
        }
        // All numbers there are.
        using Limits = std::numeric_limits<std::int64_t>;
        EXPECT_EQ(pool.parallel_reduce(Limits::min(), Limits::max(), std::uint64_t{0},
                                       std::plus<>(),
                                       [](std::int64_t first, std::int64_t last) {
                                               return static_cast<std::uint64_t>(last) -
                                                      static_cast<std::uint64_t>(first);
                                       }),
                  std::numeric_limits<std::uint64_t>::max());
}

TEST(ParallelReduce, BlocksAreNoShorterThanTheGrain) {
        Pool pool;
        const auto shortest = pool.parallel_reduce(
                0, 10'000, 10'000, [](int a, int b) { return std::min(a, b); },
                [](int first, int last) { return last - first; }, {.grain = 500});
        EXPECT_EQ(shortest, 500);
}

TEST(ParallelReduce, NeedsNoDefaultAndNoCopy) {
        Pool pool;
        const auto joined = pool.parallel_reduce(
                0, 3'000U, Text("> "), [](Text a, const Text& b) { return Text(a.it + b.it); },
                [](unsigned i) { return Text(letter(i)); });
        EXPECT_EQ(joined.it, "> " + letters(3'000));
        using Number = std::unique_ptr<int>;
        const auto sum = pool.parallel_reduce(
                0, 3'000, std::make_unique<int>(0),
                [](Number a, const Number& b) {
                        *a += *b;
                        return a;
                },
                [](int) { return std::make_unique<int>(1); });
        EXPECT_EQ(*sum, 3'000);
}

TEST(ParallelReduce, OfNothingIsWhatItBeginsWith) {
        Pool pool;
        const auto never = [](auto...) -> int { throw std::logic_error("called"); };
        EXPECT_EQ(pool.parallel_reduce(5, 5, 42, never, never), 42);
        EXPECT_EQ(pool.parallel_reduce(1U, -1, 42, never, never), 42);
        EXPECT_THROW((void)pool.parallel_reduce(-1, 5U, 42, never, never), std::invalid_argument);
}

TEST(ParallelReduce, ThrowsWhatAFunctionThrows) {
        Pool pool;
        const auto at_777 = [](int i) {
                if (i == 777)
                        throw std::runtime_error("777");
                return std::string(100, 'x');
        };
        const auto not_two = [](std::string, const std::string&) -> std::string {
                throw std::range_error("two");
        };
        for (int round = 0; round < 20; round++) {
                EXPECT_THROW(
                        (void)pool.parallel_reduce(0, 5'000, std::string(), std::plus<>(), at_777),
                        std::runtime_error);
                EXPECT_THROW((void)pool.parallel_reduce(0U, 5'000U, std::string(), not_two, letter),
                             std::range_error);
                EXPECT_THROW((void)pool.parallel_reduce(0U, 1U, std::string(), not_two, letter),
                             std::range_error);
        }
        EXPECT_EQ(pool.parallel_reduce(0, 1'000, 0, std::plus<>(), [](int) { return 1; }), 1'000);
}

TEST(ParallelReduce, MayBeNested) {
        Pool pool;
        const auto row = [&pool](int) {
                return pool.parallel_reduce(0, 50, 0, std::plus<>(), [](int i) { return i; });
        };
        EXPECT_EQ(pool.parallel_reduce(0, 40, 0, std::plus<>(), row), 40 * 1225);
}

TEST(ParallelReduce, SharesWhatTakesLong) {
        Pool pool;
        if (pool.size() < 2)
                GTEST_SKIP() << "one CPU";
        std::atomic<int> waiting{0};
        // Ends only if two threads are in it at the same time.
        const auto meet = [&](int) {
                waiting++;
                while (waiting < 2)
                        std::this_thread::yield();
                return 1;
        };
        EXPECT_EQ(pool.parallel_reduce(0, 2, 0, std::plus<>(), meet), 2);
}

TEST(ParallelScan, KeepsTheOrder) {
        Pool pool;
        for (const std::size_t size : {0U, 1U, 2U, 33U, 1025U, 2500U}) {
                const auto all = letters(size);
                std::vector<std::string> with(size);
                std::vector<std::string> without(size);
                EXPECT_EQ(pool.parallel_scan(Scan::Inclusive, 0, size, std::string("> "),
                                             std::plus<>(), letter,
                                             [&](std::size_t i, const auto& x) { with[i] = x; }),
                          "> " + all);
                EXPECT_EQ(pool.parallel_scan(Scan::Exclusive, 0, size, std::string("> "),
                                             std::plus<>(), letter,
                                             [&](std::size_t i, const auto& x) { without[i] = x; }),
                          "> " + all);
                for (std::size_t i = 0; i < size; i++) {
                        ASSERT_EQ(with[i], "> " + all.substr(0, i + 1)) << i;
                        ASSERT_EQ(without[i], "> " + all.substr(0, i)) << i;
                }
        }
}

TEST(ParallelScan, IsTheSameBitForBitWhateverTheLanes) {
        expect_same_whoever_computes([](Pool& pool, Schedule schedule) {
                std::vector<std::uint64_t> results;
                for (const auto size : kSizes)
                        for (const auto scan : {Scan::Inclusive, Scan::Exclusive}) {
                                const auto from = results.size();
                                results.resize(from + size);
                                const auto sum = pool.parallel_scan(
                                        scan, 0, size, 0.0, std::plus<>(), uneven,
                                        [&](std::size_t i, double x) {
                                                results[from + i] = std::bit_cast<std::uint64_t>(x);
                                        },
                                        {.schedule = schedule});
                                results.push_back(std::bit_cast<std::uint64_t>(sum));
                        }
                return results;
        });
}

TEST(ParallelScan, MayStoreWhereTheValuesAre) {
        Pool pool;
        std::vector<long> numbers(50'000);
        std::iota(numbers.begin(), numbers.end(), -7);
        const auto value = [&](std::size_t i) -> const long& { return numbers[i]; };
        const auto store = [&](std::size_t i, long x) { numbers[i] = x; };
        auto expected = numbers;
        std::inclusive_scan(expected.begin(), expected.end(), expected.begin());
        EXPECT_EQ(pool.parallel_scan(Scan::Inclusive, 0, numbers.size(), 0L, std::plus<>(), value,
                                     store),
                  expected.back());
        EXPECT_EQ(numbers, expected);
        std::exclusive_scan(expected.begin(), expected.end(), expected.begin(), 5L);
        (void)pool.parallel_scan(Scan::Exclusive, 0, numbers.size(), 5L, std::plus<>(), value,
                                 store);
        EXPECT_EQ(numbers, expected);
}

TEST(ParallelScan, ReturnsWhatIsStoredLast) {
        Pool pool;
        double last = 0;
        const auto sum = pool.parallel_scan(Scan::Inclusive, 0, 10'000U, 0.0, std::plus<>(), uneven,
                                            [&](unsigned i, double x) {
                                                    if (i == 9'999)
                                                            last = x;
                                            });
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum), std::bit_cast<std::uint64_t>(last));
}

TEST(ParallelScan, OfNothingIsWhatItBeginsWith) {
        Pool pool;
        const auto never = [](auto...) -> int { throw std::logic_error("called"); };
        EXPECT_EQ(pool.parallel_scan(Scan::Inclusive, 0, 0, 42, never, never, never), 42);
        EXPECT_THROW(pool.parallel_scan(Scan::Exclusive, -1, 5U, 42, never, never, never),
                     std::invalid_argument);
}

TEST(ParallelScan, ThrowsWhatAFunctionThrows) {
        Pool pool;
        const auto one = [](int) { return Text("x"); };
        const auto join = [](Text a, const Text& b) { return Text(a.it + b.it); };
        const auto at_777 = [](int i, const Text&) {
                if (i == 777)
                        throw std::runtime_error("777");
        };
        for (int round = 0; round < 20; round++) {
                EXPECT_THROW(
                        pool.parallel_scan(Scan::Inclusive, 0, 1'500, Text(""), join, one, at_777),
                        std::runtime_error);
                EXPECT_THROW(pool.parallel_scan(
                                     Scan::Exclusive, 0, 1'500, Text(""),
                                     [](Text, Text) -> Text { throw std::range_error("two"); }, one,
                                     [](int, const Text&) {}),
                             std::range_error);
        }
}
