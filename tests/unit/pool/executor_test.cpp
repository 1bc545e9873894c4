// SPDX-License-Identifier: MIT
// Programs that were written for something else, with as little changed as possible.
#include <threadcount/pool/executor.hpp>

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using threadcount::Executor;
using threadcount::Future;
using threadcount::Pool;

namespace {

int add(int a, int b) { return a + b; }

struct Account {
        int balance = 0;
        int deposit(int amount) { return balance += amount; }
};

}  // namespace

TEST(Async, CallsWhatStdAsyncWouldCall) {
        Pool pool;
        EXPECT_EQ(threadcount::async(pool, add, 2, 3).get(), 5);
        EXPECT_EQ(threadcount::async(pool, [] { return 1; }).get(), 1);
        Account account;
        EXPECT_EQ(threadcount::async(pool, &Account::deposit, &account, 7).get(), 7);
        EXPECT_EQ(account.balance, 7);
        auto owned = std::make_unique<int>(4);
        EXPECT_EQ(threadcount::async(
                          pool, [](std::unique_ptr<int> it) { return *it; }, std::move(owned))
                          .get(),
                  4);
        int there = 1;
        threadcount::async(
                pool, [](int& it) { it = 2; }, std::ref(there))
                .get();
        EXPECT_EQ(there, 2);
}

TEST(Async, CopiesItsArguments) {
        Pool pool;
        std::string text = "before";
        auto future = threadcount::async(
                pool, [](const std::string& it) { return it; }, text);
        text = "after";
        EXPECT_EQ(future.get(), "before");
}

TEST(Async, SumsInHalvesAsTheTextbookDoes) {
        Pool pool;
        std::vector<int> numbers(10'000);
        std::iota(numbers.begin(), numbers.end(), 0);
        using Iterator = std::vector<int>::const_iterator;
        const std::function<long(Iterator, Iterator)> sum = [&](Iterator begin, Iterator end) {
                if (end - begin < 100)
                        return std::accumulate(begin, end, 0L);
                const auto middle = begin + (end - begin) / 2;
                auto upper = threadcount::async(pool, std::cref(sum), middle, end);
                const long lower = sum(begin, middle);
                return lower + upper.get();
        };
        EXPECT_EQ(sum(numbers.begin(), numbers.end()), 49'995'000);
        EXPECT_EQ(threadcount::async(pool, std::cref(sum), numbers.begin(), numbers.end()).get(),
                  49'995'000);
}

TEST(Executor, DoesWhatThreadPoolsDo) {
        Executor executor;
        EXPECT_EQ(executor.get_thread_count(), executor.pool().size());
        std::vector<Future<int>> futures;
        for (int i = 0; i < 100; i++)
                futures.push_back(executor.submit_task([i] { return i * i; }));
        int sum = 0;
        for (auto& future : futures)
                sum += future.get();
        EXPECT_EQ(sum, 328'350);
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; i++)
                executor.detach_task([&] { ran++; });
        executor.wait();
        EXPECT_EQ(ran, 100);
        EXPECT_THROW(executor.submit_task([] { throw std::range_error(""); }).get(),
                     std::range_error);
}
