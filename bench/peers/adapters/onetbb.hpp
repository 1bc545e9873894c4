// SPDX-License-Identifier: MIT
// oneTBB: an arena without a place for its users, or, for loops and forks, one that they help in.
#pragma once

#include "promise.hpp"

#include <functional>
#include <memory>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace peers {

class Pool {
public:
        static constexpr bool CALLER_HELPS = true;

        explicit Pool(unsigned workers)
                : arena_(static_cast<int>(workers), 0),
                  helped_arena_(static_cast<int>(workers) + 1, 1) {
                resize(workers);
        }
        ~Pool() { inside_.wait(); }
        Pool(const Pool&) = delete;
        Pool& operator=(const Pool&) = delete;

        template <typename Function>
        void post(Function function) {
                arena_.enqueue(std::move(function));
        }

        template <typename Function>
        void post_inside(Function function) {
                inside_.run(std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return async_by_post(*this, std::move(function));
        }

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
                tbb::task_group group;
                group.run(std::move(left));
                group.run_and_wait(std::move(right));
        }

        template <typename Function>
        void run(Function function) {
                helped_arena_.execute(std::move(function));
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop(count, body, tbb::static_partitioner());
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop(count, body, tbb::auto_partitioner());
        }

        /// In at most as many pieces as ours.
        template <typename Sum>
        double sum(std::size_t count, Sum sum_of) {
                const tbb::blocked_range<std::size_t> all(0, count, count / 256 + 1);
                return helped_arena_.execute([&] {
                        return tbb::parallel_deterministic_reduce(
                                all, 0.0,
                                [&](const tbb::blocked_range<std::size_t>& part, double before) {
                                        return before + sum_of(part.begin(), part.end());
                                },
                                std::plus<double>());
                });
        }

        void resize(unsigned workers) {
                auto limit = std::make_unique<tbb::global_control>(
                        tbb::global_control::max_allowed_parallelism, workers + 1);
                limit_.swap(limit);
        }

private:
        template <typename Body, typename Partitioner>
        auto loop(std::size_t count, Body body, Partitioner partitioner) {
                return [this, count, body, partitioner] {
                        helped_arena_.execute([&] {
                                tbb::parallel_for(
                                        tbb::blocked_range<std::size_t>(0, count),
                                        [&](const tbb::blocked_range<std::size_t>& part) {
                                                body(part.begin(), part.end());
                                        },
                                        partitioner);
                        });
                };
        }

        std::unique_ptr<tbb::global_control> limit_;
        tbb::task_arena arena_;
        tbb::task_arena helped_arena_;
        tbb::task_group inside_;
};

}  // namespace peers
