// SPDX-License-Identifier: MIT
// Tasks of one pool that use another one, and never sleep for its lanes.
#include <threadcount/pool.hpp>

#include "pool/blocker.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using threadcount::Future;
using threadcount::Pool;
using threadcount::PoolOptions;
using threadcount::Task;
using threadcount::WhenFull;

namespace {

std::unique_ptr<Pool> with_one_lane(PoolOptions options = {}) {
        options.cpus = {Pool().cpus().front()};
        return std::make_unique<Pool>(options);
}

/// A task that lasts until somebody has waited for it for a while.
class Slow {
public:
        void operator()() {
                has_begun_ = true;
                while (!may_end_)
                        std::this_thread::sleep_for(1ms);
                std::this_thread::sleep_for(100ms);
                is_done_ = true;
        }
        void wait_for_its_begin() const {
                while (!has_begun_)
                        std::this_thread::yield();
        }
        /// `waits` must not return before it is done.
        void ends_before(const std::function<void()>& waits) {
                may_end_ = true;
                waits();
                EXPECT_TRUE(is_done_);
        }

private:
        std::atomic<bool> has_begun_{false};
        std::atomic<bool> may_end_{false};
        std::atomic<bool> is_done_{false};
};

/// A pool with a slow task, which a lane of another pool runs since it waits for it.
struct RunElsewhere {
        explicit RunElsewhere(const std::function<Future<void>(Pool&, Slow&)>& submit) {
                std::optional<Blocker> blocker(*owner);
                auto future = submit(*owner, slow);
                helper->submit([future = std::move(future)] { future.wait(); });
                slow.wait_for_its_begin();
        }

        Slow slow;
        std::unique_ptr<Pool> owner = with_one_lane();
        std::unique_ptr<Pool> helper = with_one_lane();
};

Future<void> submit_alone(Pool& pool, Slow& slow) {
        return pool.async([&] { slow(); });
}

/// It follows others, and the lane that runs it has run these.
Future<void> submit_last(Pool& pool, Slow& slow) {
        return pool.async([] {}).then([] {}).then([&] { slow(); });
}

}  // namespace

TEST(RunElsewhere, KeepsItsPoolFromBeingIdle) {
        for (const auto submit : {submit_alone, submit_last}) {
                RunElsewhere it(submit);
                it.slow.ends_before([&] { it.owner->wait_idle(); });
        }
}

TEST(RunElsewhere, KeepsItsPoolFromStopping) {
        for (const auto submit : {submit_alone, submit_last}) {
                RunElsewhere it(submit);
                it.slow.ends_before([&] { it.owner->stop(); });
        }
}

TEST(RunElsewhere, KeepsItsPool) {
        for (const auto submit : {submit_alone, submit_last}) {
                RunElsewhere it(submit);
                it.slow.ends_before([&] { it.owner.reset(); });
        }
}

TEST(RunElsewhere, MaySubmitToItsPoolWhichIsThere) {
        std::atomic<int> ran{0};
        {
                RunElsewhere it([&](Pool& pool, Slow& slow) {
                        return pool.async([&] {
                                slow();
                                pool.submit([&] { ran++; });
                        });
                });
                it.slow.ends_before([&] { it.owner->wait_idle(); });
                EXPECT_EQ(ran, 1);
        }
        EXPECT_EQ(ran, 1);
}

TEST(RunElsewhere, MaySubmitToItsPoolThatIsBeingStopped) {
        std::atomic<int> ran{0};
        RunElsewhere it([&](Pool& pool, Slow& slow) {
                return pool.async([&] {
                        slow();
                        pool.submit([&] { pool.submit([&] { ran++; }); });
                        pool.async([&] { ran++; }).get();
                });
        });
        it.slow.ends_before([&] { it.owner->stop(); });
        EXPECT_EQ(ran, 2);
}

TEST(RunElsewhere, IsDoneBeforeTheRestIsHandedBack) {
        for (const auto submit : {submit_alone, submit_last}) {
                Slow slow;
                auto owner = with_one_lane();
                auto helper = with_one_lane();
                std::optional<Blocker> blocker(*owner);
                auto future = submit(*owner, slow);
                helper->submit([future = std::move(future)] { future.wait(); });
                slow.wait_for_its_begin();
                std::vector<Task> rest;
                slow.ends_before([&] { rest = hand_back_all(*owner, blocker); });
                owner.reset();
                for (auto& task : rest)
                        task();
        }
}

TEST(RunElsewhere, ByAThreadThatRunsTasksWhereTheQueueIsFull) {
        auto pool = with_one_lane({.capacity = 1, .when_full = WhenFull::RunInCaller});
        Slow slow;
        Future<void> future;
        std::thread submitter;
        {
                const Blocker blocker(*pool);
                future = pool->async([&] { slow(); });
                submitter = std::thread([&] { pool->submit([&] { future.wait(); }); });
                slow.wait_for_its_begin();
        }
        slow.ends_before([&] { pool->wait_idle(); });
        submitter.join();
}

TEST(RunElsewhere, MayBeFollowedAfterwardsWhileItsLaneIsLate) {
        for (int round = 0; round < 200; round++) {
                auto owner = with_one_lane();
                auto helper = with_one_lane();
                std::atomic<int> ran{0};
                std::optional<Blocker> blocker(*owner);
                auto future = owner->async([&] { ran++; });
                auto next = helper->async([&] {
                        future.wait();
                        return future.then([&] { ran++; });
                });
                blocker.reset();
                next.get().get();
                owner->wait_idle();
                ASSERT_EQ(ran, 2);
        }
}

namespace {

/// The only thread from outside that takes part in a pool, until it goes.
class TakesPart {
public:
        explicit TakesPart(Pool& pool)
                : thread_([this, &pool] {
                          pool.fork_join(
                                  [this] {
                                          has_begun_ = true;
                                          while (!is_over_)
                                                  std::this_thread::sleep_for(1ms);
                                  },
                                  [] {});
                  }) {
                while (!has_begun_)
                        std::this_thread::yield();
        }
        ~TakesPart() {
                is_over_ = true;
                thread_.join();
        }
        TakesPart(const TakesPart&) = delete;
        TakesPart& operator=(const TakesPart&) = delete;

private:
        std::atomic<bool> has_begun_{false};
        std::atomic<bool> is_over_{false};
        std::thread thread_;
};

}  // namespace

TEST(TwoPools, OfOneLaneMayRunSomethingInEachOther) {
        const auto a = with_one_lane();
        const auto b = with_one_lane();
        bool ran = false;
        a->run([&] { b->run([&] { a->run([&] { ran = true; }); }); });
        EXPECT_TRUE(ran);
        EXPECT_THROW(a->run([&] { b->run([] { throw std::out_of_range(""); }); }),
                     std::out_of_range);
}

TEST(TwoPools, OfOneLaneMayRunSomethingInEachOtherByFutures) {
        const auto a = with_one_lane();
        const auto b = with_one_lane();
        std::atomic<int> ran{0};
        const auto through = [&ran](Pool& first, Pool& second) {
                return first.async([&] { second.run([&] { first.run([&] { ran++; }); }); });
        };
        std::vector<Future<void>> futures;
        for (int i = 0; i < 50; i++) {
                futures.push_back(through(*a, *b));
                futures.push_back(through(*b, *a));
        }
        for (auto& future : futures)
                future.get();
        EXPECT_EQ(ran, 100);
}

TEST(TwoPools, WhereOthersTakePartMayLoopAndForkInEachOther) {
        const auto a = with_one_lane();
        const auto b = with_one_lane();
        const TakesPart in_a(*a);
        const TakesPart in_b(*b);
        std::atomic<int> ran{0};
        const auto run = [&ran] { ran++; };
        a->run([&] {
                b->parallel_for(0, 10, [&](int) { a->fork_join(run, run); });
                b->fork_join([&] { a->parallel_for(0, 10, [&](int) { run(); }); }, run);
        });
        EXPECT_EQ(ran, 31);
}

TEST(TwoPools, ATaskThatTakesPartInAnotherPoolRunsWhatItAsksAThirdOneFor) {
        const auto a = with_one_lane();
        const auto b = with_one_lane();
        const Blocker lanes(*b);
        std::atomic<int> ran{0};
        a->parallel_for(0, 10, [&](int) { b->run([&] { ran++; }); });
        EXPECT_EQ(ran, 10);
}

TEST(TwoPools, WhatATaskOfOneRunsInTheOtherIsATaskOfThat) {
        const auto a = with_one_lane();
        const auto b = with_one_lane({.capacity = 1});
        std::atomic<int> ran{0};
        std::optional<Blocker> lanes(*b);
        a->run([&] {
                b->run([&] {
                        EXPECT_THROW(b->wait_idle(), std::logic_error);
                        for (int i = 0; i < 10; i++)  // none waits for a place
                                b->submit([&] { ran++; });
                });
        });
        EXPECT_EQ(ran, 0);
        lanes.reset();
        b->wait_idle();
        EXPECT_EQ(ran, 10);
}

TEST(TwoPools, ATaskRunsNothingInOneThatWasStopped) {
        const auto a = with_one_lane();
        const auto b = with_one_lane();
        b->stop();
        a->run([&] {
                EXPECT_THROW(b->run([] {}), std::logic_error);
                EXPECT_THROW(b->parallel_for(0, 10, [](int) {}), std::logic_error);
        });
}
