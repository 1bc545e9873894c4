// SPDX-License-Identifier: MIT
// Other threads use a pool while one thread stops it.
#include <threadcount/pool.hpp>
#include <threadcount/threadcount.h>

#include "pool/blocker.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace std::chrono_literals;
using threadcount::FutureCancelled;
using threadcount::Pool;
using threadcount::Task;
using threadcount::WhenFull;

namespace {

/// Occupies every lane until release().
class Occupied {
public:
        explicit Occupied(Pool& pool) {
                for (const int cpu : pool.cpus())
                        EXPECT_TRUE(pool.submit_to(cpu, [this] {
                                running_++;
                                while (!is_over_)
                                        std::this_thread::sleep_for(100us);
                        }));
                while (running_ < static_cast<int>(pool.size()))
                        std::this_thread::yield();
        }
        void release() { is_over_ = true; }

private:
        std::atomic<int> running_{0};
        std::atomic<bool> is_over_{false};
};

bool is_closed(Pool& pool) {
        try {
                (void)pool.try_submit([] {});
        } catch (const std::logic_error&) {
                return true;
        }
        return false;
}

}  // namespace

TEST(Stop, LetsATaskFinishALoop) {
        Pool pool;
        std::atomic<bool> has_begun{false};
        std::atomic<int> ran{0};
        std::atomic<bool> may_go_on{false};
        pool.submit([&] {
                has_begun = true;
                while (!may_go_on)
                        std::this_thread::yield();
                std::this_thread::sleep_for(5ms);
                pool.parallel_for(0, 100, [&](int) { ran++; });
        });
        while (!has_begun)
                std::this_thread::yield();
        may_go_on = true;
        (void)pool.stop_and_hand_back();
        EXPECT_EQ(ran, 100);
}

TEST(Stop, EndsTheWaitForIdleness) {
        Pool pool;
        Occupied occupied(pool);
        std::atomic<bool> has_returned{false};
        std::thread waiter([&] {
                pool.wait_idle();
                has_returned = true;
        });
        std::this_thread::sleep_for(5ms);
        std::thread stopper([&] { (void)pool.stop_and_hand_back(); });
        while (!is_closed(pool))
                std::this_thread::yield();
        occupied.release();
        stopper.join();
        waiter.join();
        EXPECT_TRUE(has_returned);
}

TEST(Stop, ThatHandsBackEndsNoWaitForIdlenessWhileATaskRuns) {
        Pool pool;
        std::atomic<bool> has_begun{false};
        std::atomic<bool> may_end{false};
        std::atomic<bool> has_ended{false};
        pool.submit([&] {
                has_begun = true;
                while (!may_end)
                        std::this_thread::sleep_for(100us);
                has_ended = true;
        });
        while (!has_begun)
                std::this_thread::yield();
        std::thread waiter([&] {
                pool.wait_idle();
                EXPECT_TRUE(has_ended);
        });
        std::this_thread::sleep_for(5ms);
        std::thread stopper([&] { (void)pool.stop_and_hand_back(); });
        while (!is_closed(pool))
                std::this_thread::yield();
        std::this_thread::sleep_for(20ms);  // its lanes are told to end
        may_end = true;
        stopper.join();
        waiter.join();
}

/// After a tenth of a second a lane looks for its grant, which says that it is active.
TEST(Stop, HandsBackWhatALaneHasLeftThatLooksForItsGrantMeanwhile) {
        constexpr std::size_t kLeft = 10;
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open_default(nullptr, &handle), 0);
        Pool pool;
        pool.set_mask(std::vector<int>{pool.cpus().front()});
        pool.follow(handle);
        std::atomic<bool> has_begun{false};
        std::atomic<bool> may_end{false};
        std::atomic<std::size_t> ran{0};
        pool.submit([&] {
                has_begun = true;
                while (!may_end)
                        std::this_thread::sleep_for(1ms);
        });
        while (!has_begun)
                std::this_thread::yield();
        for (std::size_t i = 0; i < kLeft; i++)
                pool.submit([&] { ran++; });
        std::vector<Task> rest;
        std::thread stopper([&] { rest = pool.stop_and_hand_back(); });
        while (!is_closed(pool) || pool.width() > 0)
                std::this_thread::yield();
        std::this_thread::sleep_for(250ms);
        may_end = true;
        stopper.join();
        EXPECT_EQ(ran, 0U);
        EXPECT_GE(rest.size(), kLeft);
}

TEST(Stop, CancelsARunThatIsHandedBackAndForgotten) {
        Pool pool;
        Occupied occupied(pool);
        std::atomic<bool> has_run{false};
        std::atomic<bool> was_cancelled{false};
        std::thread runner([&] {
                try {
                        pool.run([&] { has_run = true; });
                } catch (const FutureCancelled&) {
                        was_cancelled = true;
                }
        });
        std::this_thread::sleep_for(5ms);
        std::vector<Task> rest;
        std::thread stopper([&] { rest = pool.stop_and_hand_back(); });
        while (!is_closed(pool))
                std::this_thread::yield();
        // It is closed before its lanes are told to end: one that is free by then may still run it.
        std::this_thread::sleep_for(20ms);
        occupied.release();
        stopper.join();
        rest.clear();
        runner.join();
        EXPECT_NE(was_cancelled, has_run);
}

TEST(Stop, WaitsForAThreadThatTakesPart) {
        Pool pool;
        std::atomic<bool> is_in_loop{false};
        std::atomic<bool> may_go_on{false};
        std::atomic<int> ran{0};
        std::thread guest([&] {
                pool.parallel_for(0, 2, [&](int i) {
                        if (i > 0)
                                return;
                        is_in_loop = true;
                        while (!may_go_on)
                                std::this_thread::yield();
                        pool.submit([&] { ran++; });
                });
        });
        while (!is_in_loop)
                std::this_thread::yield();
        std::thread stopper([&] { pool.stop(); });
        while (!is_closed(pool))
                std::this_thread::yield();
        may_go_on = true;
        stopper.join();
        guest.join();
        EXPECT_EQ(ran, 1);
}

namespace {

/// A task that its submitter runs until may_end(), since the queue is full. Then it submits others.
class RunByItsSubmitter {
public:
        static constexpr int kOthers = 10;

        explicit RunByItsSubmitter(Pool& pool)
                : pool_(pool), lanes_(pool), submitter_([this] { submit(); }) {
                while (!has_begun_)
                        std::this_thread::yield();
        }
        ~RunByItsSubmitter() { submitter_.join(); }
        RunByItsSubmitter(const RunByItsSubmitter&) = delete;
        RunByItsSubmitter& operator=(const RunByItsSubmitter&) = delete;

        void may_end() { may_end_ = true; }
        [[nodiscard]] bool has_ended() const { return has_ended_; }
        [[nodiscard]] int others_ran() const { return others_ran_; }

private:
        void submit() {
                EXPECT_TRUE(pool_.try_submit([] {}));
                pool_.submit([this] { run(); });
        }
        void run() {
                lanes_.reset();
                has_begun_ = true;
                while (!may_end_)
                        std::this_thread::sleep_for(100us);
                for (int i = 0; i < kOthers; i++)
                        pool_.submit([this] { others_ran_++; });
                has_ended_ = true;
        }

        Pool& pool_;
        std::optional<Blocker> lanes_;
        std::atomic<bool> has_begun_{false};
        std::atomic<bool> may_end_{false};
        std::atomic<bool> has_ended_{false};
        std::atomic<int> others_ran_{0};
        std::thread submitter_;
};

/// Not before `stopper` has begun to stop the pool, and had time to end too soon.
void end_when_closed(RunByItsSubmitter& task, threadcount::Pool& pool, std::thread& stopper) {
        while (!is_closed(pool))
                std::this_thread::yield();
        std::this_thread::sleep_for(10ms);
        task.may_end();
        stopper.join();
}

threadcount::PoolOptions runs_in_caller() {
        return {.capacity = 1, .when_full = WhenFull::RunInCaller};
}

}  // namespace

TEST(Stop, WaitsForATaskThatItsSubmitterRuns) {
        Pool pool(runs_in_caller());
        RunByItsSubmitter task(pool);
        std::thread stopper([&] {
                pool.stop();
                EXPECT_TRUE(task.has_ended());
                EXPECT_EQ(task.others_ran(), task.kOthers);
        });
        end_when_closed(task, pool, stopper);
}

TEST(Stop, HandsBackWhatATaskSubmitsThatItsSubmitterRuns) {
        Pool pool(runs_in_caller());
        RunByItsSubmitter task(pool);
        std::vector<Task> rest;
        std::thread stopper([&] {
                rest = pool.stop_and_hand_back();
                EXPECT_TRUE(task.has_ended());
        });
        end_when_closed(task, pool, stopper);
        for (auto& other : rest)
                other();
        EXPECT_EQ(task.others_ran(), task.kOthers);
}

TEST(WaitForIdleness, IsNotOverWhileASubmitterRunsItsTask) {
        Pool pool(runs_in_caller());
        RunByItsSubmitter task(pool);
        std::thread waiter([&] {
                pool.wait_idle();
                EXPECT_TRUE(task.has_ended());
                EXPECT_EQ(task.others_ran(), task.kOthers);
        });
        std::this_thread::sleep_for(20ms);
        task.may_end();
        waiter.join();
}

namespace {

/// Stops a pool to which a thread submits tasks that submit one more each.
void stop_while_tasks_come(const threadcount::PoolOptions& options) {
        for (int round = 0; round < 300; round++) {
                std::atomic<int> ran{0};
                std::atomic<int> more_ran{0};
                std::atomic<int> accepted{0};
                std::atomic<bool> has_begun{false};
                std::thread submitter;
                {
                        Pool pool(options);
                        submitter = std::thread([&] {
                                try {
                                        for (;;) {
                                                pool.submit([&] {
                                                        ran++;
                                                        pool.submit([&] { more_ran++; });
                                                });
                                                accepted++;
                                                has_begun = true;
                                        }
                                } catch (const std::logic_error&) {
                                }
                        });
                        while (!has_begun)
                                std::this_thread::yield();
                        pool.stop();
                        submitter.join();
                }
                ASSERT_EQ(ran, accepted);
                ASSERT_EQ(more_ran, accepted);
        }
}

}  // namespace

TEST(Stop, LosesNoTaskThatIsSubmittedMeanwhile) { stop_while_tasks_come({}); }

TEST(Stop, LosesNoTaskThoughSubmittersRunSomeThemselves) {
        stop_while_tasks_come(runs_in_caller());
}

TEST(Stop, MayBeCalledByTwoAtOnce) {
        for (int round = 0; round < 20; round++) {
                Pool pool;
                std::atomic<int> ran{0};
                pool.submit_after(1h, [] {});
                for (int i = 0; i < 10; i++)
                        pool.submit([&] {
                                std::this_thread::sleep_for(100us);
                                ran++;
                        });
                std::thread other([&] {
                        pool.stop();
                        EXPECT_EQ(ran, 10);
                });
                pool.stop();
                EXPECT_EQ(ran, 10);
                other.join();
        }
}

namespace {

/// The exit status of a child that does so; -1: it hangs.
template <class Do>
int status_of_child(const Do& what) {
        const auto child = fork();
        if (child == 0)
                _exit(what() ? 0 : 1);
        int status = 0;
        for (int tries = 0; waitpid(child, &status, WNOHANG) == 0; tries++) {
                if (tries == 10'000) {
                        kill(child, SIGKILL);
                        waitpid(child, &status, 0);
                        return -1;
                }
                std::this_thread::sleep_for(1ms);
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

}  // namespace

TEST(Fork, ThePoolOfTheParentIsDeadInTheChild) {
        for (int round = 0; round < 10; round++) {
                auto pool = std::make_unique<Pool>();
                const auto timer = pool->submit_after(1h, [] {});
                if (round % 2 == 0)
                        pool->wait_idle();
                const auto is_refused = [](const auto& call) {
                        try {
                                call();
                        } catch (const std::logic_error& error) {
                                return std::string(error.what()).find("fork()") !=
                                       std::string::npos;
                        }
                        return false;
                };
                EXPECT_EQ(status_of_child([&] {
                                  const bool are_refused =
                                          is_refused([&] { pool->submit([] {}); }) &&
                                          is_refused([&] { (void)pool->try_submit([] {}); }) &&
                                          is_refused([&] { (void)pool->async([] {}); }) &&
                                          is_refused([&] { pool->submit_after(1ms, [] {}); }) &&
                                          is_refused([&] { pool->run([] {}); }) && is_refused([&] {
                                                  pool->parallel_for(0, 10, [](int) {});
                                          }) &&
                                          is_refused([&] { pool->wait_idle(); });
                                  pool.reset();
                                  return are_refused;
                          }),
                          0);
                EXPECT_EQ(pool->async([] { return 1; }).get(), 1);
        }
}

TEST(Fork, TheChildOfATaskMayEnd) {
        Pool pool;
        EXPECT_EQ(pool.async([&] {
                              return status_of_child([&] {
                                      try {
                                              pool.submit([] {});
                                      } catch (const std::logic_error&) {
                                              return true;
                                      }
                                      return false;
                              });
                      }).get(),
                  0);
}

TEST(Pools, OfATaskOfOneMayBeUsedByAnother) {
        Pool a;
        Pool b;
        int result = 0;
        a.run([&] {
                b.parallel_for(0, 64, [&](int i) {
                        if (i == 0)
                                result = a.async([] { return 7; }).get();
                });
        });
        EXPECT_EQ(result, 7);
        std::atomic<int> ran{0};
        a.run([&] {
                b.fork_join([&] { a.fork_join([&] { ran++; }, [&] { ran++; }); }, [&] { ran++; });
        });
        EXPECT_EQ(ran, 3);
}

TEST(ParallelForOf, ARangeWiderThanItsTypeRunsAsItShould) {
        Pool pool;
        std::atomic<std::uint64_t> seen{0};
        pool.parallel_for(-2'000'000'000, 2'000'000'000, [&](int first, int last) {
                seen += static_cast<std::uint64_t>(static_cast<std::int64_t>(last) - first);
        });
        EXPECT_EQ(seen, 4'000'000'000U);
        std::atomic<int> few{0};
        pool.parallel_for(std::int8_t{-100}, std::int8_t{100}, [&](std::int8_t) { few++; });
        EXPECT_EQ(few, 200);
}
