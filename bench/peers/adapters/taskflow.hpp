// SPDX-License-Identifier: MIT
// Taskflow. Loops are graphs that are made once and run many times.
#pragma once

#include <memory>
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

namespace peers {

class Pool {
public:
        explicit Pool(unsigned workers) : executor_(workers) {}

        template <typename Function>
        void post(Function function) {
                executor_.silent_async(std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return executor_.async(std::move(function));
        }

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
                tf::TaskGroup group = executor_.task_group();
                group.silent_async(std::move(left));
                right();
                group.corun();
        }

        template <typename Function>
        void run(Function function) {
                executor_.async(std::move(function)).get();
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop(count, body, tf::StaticPartitioner<>());
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop(count, body, tf::GuidedPartitioner<>());
        }

private:
        template <typename Body, typename Partitioner>
        auto loop(std::size_t count, Body body, Partitioner partitioner) {
                auto graph = std::make_unique<tf::Taskflow>();
                graph->for_each_by_index(
                        tf::IndexRange<std::size_t>(0, count, 1),
                        [body](const tf::IndexRange<std::size_t>& part) {
                                body(part.begin(), part.end());
                        },
                        partitioner);
                return [this, owned = std::move(graph)] { executor_.run(*owned).wait(); };
        }

        tf::Executor executor_;
};

}  // namespace peers
