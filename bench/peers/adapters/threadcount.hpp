// SPDX-License-Identifier: MIT
// The project's own pool, with one lane on each of the CPUs that its peers are pinned to. It takes
// the CPUs from the thread that makes it, so that main has all of them for that long.
#pragma once

#include "../support/pinning.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <threadcount/pool.hpp>

namespace peers {

class Pool {
public:
        static constexpr bool PINS_ITSELF = true;
        static unsigned most_workers() { return static_cast<unsigned>(allowed_cpus().size()); }

        explicit Pool(unsigned workers, std::size_t capacity = threadcount::PoolOptions().capacity,
                      const AllCpus& = {})
                : pool_({.cpus = cpus_of_workers(workers), .capacity = capacity}) {}

        template <typename Function>
        void post(Function function) {
                pool_.submit(std::move(function));
        }

        template <typename Function>
        bool try_post(Function function) {
                return pool_.try_submit(std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return async_of(pool_, std::move(function));
        }

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
                pool_.fork_join(left, right);
        }

        template <typename Function>
        void run(Function function) {
                pool_.run(function);
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop(count, threadcount::Schedule::Static, body);
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop(count, threadcount::Schedule::Guided, body);
        }

        template <typename Sum>
        double sum(std::size_t count, Sum sum_of) {
                return pool_.parallel_reduce(std::size_t{0}, count, 0.0, std::plus<>(), sum_of);
        }

        void set_cpus(const std::vector<int>& cpus) { pool_.set_mask(cpus); }

        /// The last one stays, which has main's CPU: then growing wakes another CPU, as the
        /// yardstick does.
        void resize(unsigned workers) { pool_.set_mask(workers == 2 ? both_ : last_); }

        template <typename Function, typename Ours = threadcount::Pool>
        auto post_after(std::chrono::nanoseconds delay, Function function)
                -> decltype(std::declval<Ours&>().submit_after(delay, std::move(function)),
                            void()) {
                static_cast<Ours&>(pool_).submit_after(delay, std::move(function));
        }

        /// The number of times that a lane was woken by another thread.
        std::uint64_t wakes() const {
                std::uint64_t wakes = 0;
                for (const auto& lane : pool_.statistics())
                        wakes += lane.woken;
                return wakes;
        }

private:
        template <typename Ours, typename Function>
        static auto async_of(Ours& pool, Function function) {
                if constexpr (requires { pool.async(std::move(function)); }) {
                        return pool.async(std::move(function));
                } else {
                        std::packaged_task<std::invoke_result_t<Function&>()> task(
                                std::move(function));
                        auto future = task.get_future();
                        pool.submit([moved = std::move(task)]() mutable { moved(); });
                        return future;
                }
        }

        template <typename Body>
        auto loop(std::size_t count, threadcount::Schedule schedule, Body body) {
                return [this, count, schedule, body] {
                        pool_.parallel_for(std::size_t{0}, count, body, {.schedule = schedule});
                };
        }

        const std::vector<int> both_ = cpus_of_workers(2);
        const std::vector<int> last_{both_.back()};
        threadcount::Pool pool_;
};

}  // namespace peers
