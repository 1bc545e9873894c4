// SPDX-License-Identifier: MIT
// dispenso. Its tasks are always queued; left to itself it runs them in the submitter under load.
#pragma once

#include <chrono>
#include <dispenso/future.h>
#include <dispenso/parallel_for.h>
#include <dispenso/task_set.h>
#include <dispenso/thread_pool.h>
#include <dispenso/timed_task.h>
#include <memory>

namespace peers {

class Pool {
public:
        static constexpr bool CALLER_HELPS = true;

        explicit Pool(unsigned workers) : pool_(workers) {}

        template <typename Function>
        void post(Function function) {
                pool_.schedule(std::move(function), dispenso::ForceQueuingTag{});
        }

        template <typename Function>
        auto async(Function function) {
                return dispenso::async(pool_, std::launch::async, std::move(function));
        }

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
                dispenso::TaskSet tasks(pool_);
                tasks.schedule(std::move(left));
                right();
                tasks.wait();
        }

        template <typename Function>
        void run(Function function) {
                function();
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop(count, dispenso::ParForChunking::kStatic, body);
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop(count, dispenso::ParForChunking::kAdaptive, body);
        }

        void resize(unsigned workers) { pool_.resize(workers); }

        template <typename Function>
        void post_after(std::chrono::nanoseconds delay, Function function) {
                const double seconds = std::chrono::duration<double>(delay).count();
                if (timers_ == nullptr)
                        timers_ = std::make_unique<dispenso::TimedTaskScheduler>();
                timers_->schedule(
                               pool_,
                               [run = std::move(function)] {
                                       run();
                                       return true;
                               },
                               dispenso::getTime() + seconds)
                        .detach();
        }

private:
        template <typename Body>
        auto loop(std::size_t count, dispenso::ParForChunking chunking, Body body) {
                return [this, count, chunking, body] {
                        dispenso::TaskSet tasks(pool_);
                        const auto range =
                                dispenso::makeChunkedRange(std::size_t{0}, count, chunking);
                        dispenso::parallel_for(tasks, range, body);
                };
        }

        dispenso::ThreadPool pool_;
        std::unique_ptr<dispenso::TimedTaskScheduler> timers_;
};

}  // namespace peers
