// SPDX-License-Identifier: MIT
//
// For programs that were written for std::async() or for BS::thread_pool.
#pragma once

#include <threadcount/pool.hpp>

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace threadcount {

/// The same as std::async(), but on `pool`: calls a copy of `f` with copies of the arguments, or
/// what they were moved to; std::ref() for references. Unlike there the future's destructor does
/// not wait, and wait_for() returns a bool. Only as many run at a time as the pool is wide: tasks
/// must not wait for one another but by futures. Throws as Pool::async().
template <class F, class... Arguments>
auto async(Pool& pool, F&& f, Arguments&&... arguments) {
        using Result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Arguments>...>;
        return pool.async([f = std::forward<F>(f),
                           arguments = std::tuple<std::decay_t<Arguments>...>(
                                   std::forward<Arguments>(arguments)...)]() mutable -> Result {
                return std::apply(std::move(f), std::move(arguments));
        });
}

/// A pool with the names of BS::thread_pool's most used functions. Two things are different. The
/// number of threads is that of the CPUs that PoolOptions.cpus names, and which of them run follows
/// the governor. And tasks may call get().
class Executor {
public:
        /// Throws as Pool.
        explicit Executor(const PoolOptions& options = {}) : pool_(options) {}

        /// Throws as Pool::async().
        template <class F>
        auto submit_task(F&& task) {
                return pool_.async(std::forward<F>(task));
        }
        /// A task that throws ends the program. Throws as Pool::submit().
        template <class F>
        void detach_task(F&& task) {
                pool_.submit(std::forward<F>(task));
        }
        /// Returns when no task runs or waits. Throws std::logic_error if the caller is one.
        void wait() { pool_.wait_idle(); }

        [[nodiscard]] std::size_t get_thread_count() const { return pool_.size(); }
        [[nodiscard]] Pool& pool() { return pool_; }

private:
        Pool pool_;
};

}  // namespace threadcount
