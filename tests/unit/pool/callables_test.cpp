// SPDX-License-Identifier: MIT
// The callables that a pool accepts, the number of their copies and moves, and the time of their
// destruction.
#include <threadcount/pool.hpp>
#include <threadcount/pool/executor.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Executor;
using threadcount::Future;
using threadcount::Pool;

namespace {

int forty_two() { return 42; }

struct Seven {
        int operator()() const { return 7; }
};

/// Submits tasks that use the object itself.
class Counter {
public:
        explicit Counter(Pool& pool) : pool_(pool) {}
        int count_twice() {
                auto first = pool_.async([this] { return ++count_; });
                const int one = first.get();
                return one + pool_.async([this] { return ++count_; }).get();
        }

private:
        Pool& pool_;
        int count_ = 0;
};

}  // namespace

TEST(Callables, MayBeFunctionsObjectsAndMembers) {
        Executor executor;
        EXPECT_EQ(executor.submit_task(forty_two).get(), 42);
        EXPECT_EQ(executor.submit_task(&forty_two).get(), 42);
        EXPECT_EQ(executor.submit_task(std::function<int()>(forty_two)).get(), 42);
        const Seven seven;
        EXPECT_EQ(executor.submit_task(seven).get(), 7);
        EXPECT_EQ(executor.submit_task(Seven{}).get(), 7);
        EXPECT_EQ(Counter(executor.pool()).count_twice(), 3);
        EXPECT_EQ(executor.submit_task([at = 0]() mutable { return ++at; }).get(), 1);
}

TEST(Callables, MayTakeAndReturnWhatOnlyMoves) {
        Pool pool;
        auto made = pool.async([] { return std::make_unique<int>(8); });
        auto passed_on = made.then([](std::unique_ptr<int> it) { return it; });
        EXPECT_EQ(*passed_on.get(), 8);
        auto held = std::make_unique<int>(3);
        EXPECT_EQ(pool.async([held = std::move(held)] { return *held; }).get(), 3);
}

TEST(Callables, MayReferToWhatTheCallerHas) {
        Pool pool;
        int here = 1;
        std::string text = "a";
        pool.async([&here]() -> int& { return here; }).get() = 5;
        EXPECT_EQ(here, 5);
        threadcount::async(
                pool, [](std::string& it) { it += "b"; }, std::ref(text))
                .get();
        EXPECT_EQ(text, "ab");
}

namespace {

template <std::size_t Alignment>
struct alignas(Alignment) Aligned {
        std::array<char, Alignment> bytes{};
        [[nodiscard]] bool is_in_place() const {
                return reinterpret_cast<std::uintptr_t>(this) % Alignment == 0;
        }
};

template <std::size_t Alignment>
void expect_in_place(Pool& pool) {
        const Aligned<Alignment> aligned;
        std::atomic<int> in_place{0};
        const auto look = [aligned, &in_place] { in_place += aligned.is_in_place() ? 1 : 0; };
        pool.submit(look);
        EXPECT_TRUE(pool.submit_to(pool.cpus().front(), look));
        pool.submit([&] { pool.submit(look); });
        pool.submit_after(1us, look);
        pool.async(look).get();
        while (in_place < 5)
                std::this_thread::yield();
        pool.wait_idle();
        EXPECT_EQ(in_place, 5) << Alignment;
}

}  // namespace

TEST(Callables, KeepTheirAlignmentWhereverTheyWait) {
        Pool pool;
        expect_in_place<1>(pool);
        expect_in_place<8>(pool);
        expect_in_place<16>(pool);
        expect_in_place<64>(pool);
        expect_in_place<256>(pool);
}

namespace {

struct Tally {
        std::atomic<int> copies{0};
        std::atomic<int> moves{0};
        std::atomic<int> living{0};
};

/// Tells what is done with it. `Bytes`: so large that tasks keep it inside, or do not.
template <std::size_t Bytes>
class Watched {
public:
        explicit Watched(Tally& tally) : tally_(&tally) { tally_->living++; }
        Watched(const Watched& other) : tally_(other.tally_) {
                tally_->copies++;
                tally_->living++;
        }
        Watched(Watched&& other) noexcept : tally_(other.tally_) {
                tally_->moves++;
                tally_->living++;
        }
        Watched& operator=(const Watched&) = delete;
        Watched& operator=(Watched&&) = delete;
        ~Watched() { tally_->living--; }
        void operator()() const {}

private:
        Tally* tally_;
        std::array<char, Bytes> bytes_{};
};

template <std::size_t Bytes>
void expect_one_copy_of_what_stays() {
        Tally tally;
        {
                Pool pool;
                const Watched<Bytes> stays(tally);
                pool.submit(stays);
                EXPECT_EQ(tally.copies, 1);
                (void)pool.try_submit(stays);
                EXPECT_EQ(tally.copies, 2);
                pool.async(stays).get();
                EXPECT_EQ(tally.copies, 3);
                pool.submit_after(1h, stays);
                EXPECT_EQ(tally.copies, 4);
        }
        EXPECT_EQ(tally.living, 0);
}

template <std::size_t Bytes>
void expect_no_copy_of_what_is_given_away() {
        Tally tally;
        {
                Pool pool;
                pool.submit(Watched<Bytes>(tally));
                Watched<Bytes> goes(tally);
                pool.submit(std::move(goes));
                pool.async(Watched<Bytes>(tally)).get();
                (void)pool.async([] {}).then(Watched<Bytes>(tally));
                pool.submit_after(1h, Watched<Bytes>(tally));
        }
        EXPECT_EQ(tally.copies, 0);
        EXPECT_EQ(tally.living, 0);
}

}  // namespace

TEST(Callables, AreCopiedOnceIfTheCallerKeepsThem) {
        expect_one_copy_of_what_stays<8>();
        expect_one_copy_of_what_stays<200>();
}

TEST(Callables, AreNotCopiedIfTheyAreGivenAway) {
        expect_no_copy_of_what_is_given_away<8>();
        expect_no_copy_of_what_is_given_away<200>();
}

TEST(Callables, AreDestroyedBeforeThePoolIsIdle) {
        Pool pool;
        for (int i = 0; i < 500; i++) {
                const auto held = std::make_shared<int>(i);
                for (int task = 0; task < 3; task++)
                        pool.submit([held] {});
                pool.wait_idle();
                ASSERT_EQ(held.use_count(), 1) << i;
        }
}

namespace {

/// Throws at the copy or move with this number.
class Throws {
public:
        Throws(int& made, int at) : made_(&made), at_(at) {}
        Throws(const Throws& other) : made_(other.made_), at_(other.at_) { count(); }
        // NOLINTNEXTLINE(performance-noexcept-move-constructor): that is the point
        Throws(Throws&& other) : made_(other.made_), at_(other.at_) { count(); }
        Throws& operator=(const Throws&) = delete;
        Throws& operator=(Throws&&) = delete;
        ~Throws() = default;
        void operator()() const {}

private:
        void count() {
                if (++*made_ == at_)
                        throw std::runtime_error("copied or moved");
        }

        int* made_;
        int at_;
};

}  // namespace

TEST(Callables, ThatThrowOnCopyOrMoveLeaveThePoolAsItWas) {
        Pool pool;
        int thrown = 0;
        const auto try_it = [&](const auto& submit) {
                for (int at = 1; at < 6; at++) {
                        int made = 0;
                        try {
                                submit(Throws(made, at));
                        } catch (const std::runtime_error&) {
                                thrown++;
                        }
                        pool.wait_idle();
                }
        };
        try_it([&](const Throws& it) { pool.submit(it); });
        try_it([&](const Throws& it) { (void)pool.try_submit(it); });
        try_it([&](const Throws& it) { (void)pool.submit_to(pool.cpus().front(), it); });
        try_it([&](const Throws& it) { (void)pool.submit_until({}, it); });
        try_it([&](const Throws& it) { pool.async(it).get(); });
        try_it([&](const Throws& it) { (void)pool.async([] {}).then(it); });
        try_it([&](const Throws& it) { pool.submit_after(0ns, it); });
        try_it([&](const Throws& it) { pool.submit_every(1h, it); });
        EXPECT_GE(thrown, 8);  // the first copy, at least
        EXPECT_EQ(pool.async(forty_two).get(), 42);
}

TEST(Callables, OfAThousandFuturesGiveEachItsOwnResultOrError) {
        Pool pool;
        std::vector<Future<int>> futures;
        for (int i = 0; i < 1000; i++)
                futures.push_back(pool.async([i] { return i % 3 == 0 ? throw i : i; }));
        int errors = 0;
        for (int i = 999; i >= 0; i--)  // the youngest first
                try {
                        EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), i);
                } catch (const int thrown) {
                        EXPECT_EQ(thrown, i);
                        errors++;
                }
        EXPECT_EQ(errors, 334);
}
