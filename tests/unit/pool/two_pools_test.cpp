// SPDX-License-Identifier: MIT
// Threads of one pool run the tasks of another one, which waits for these.
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
