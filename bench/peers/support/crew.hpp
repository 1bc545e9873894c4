// SPDX-License-Identifier: MIT
// A pool whose threads are there, awake once, and pinned alike.
#pragma once

#include "pinning.hpp"
#include "slots.hpp"

#include <atomic>
#include <climits>
#include <memory>
#include <optional>
#include <utility>

namespace peers {

/// True if the pool pins its own threads as cpu_of_worker() says.
template <typename Pool>
constexpr bool pins_itself() {
        if constexpr (requires { Pool::PINS_ITSELF; })
                return Pool::PINS_ITSELF;
        else
                return false;
}

/// True if a caller that waits for a loop or for forked work takes part in it.
template <typename Pool>
constexpr bool caller_helps() {
        if constexpr (requires { Pool::CALLER_HELPS; })
                return Pool::CALLER_HELPS;
        else
                return false;
}

/// The most workers that a pool can have.
template <typename Pool>
unsigned most_workers() {
        if constexpr (requires { Pool::most_workers(); })
                return Pool::most_workers();
        else
                return UINT_MAX;
}

/// A pool and the pinning of its threads. Only the pool should make other threads as long as it
/// lives.
template <typename Pool>
class Crew {
public:
        template <typename... Arguments>
        explicit Crew(unsigned workers, Arguments&&... arguments) {
                if constexpr (!pins_itself<Pool>())
                        births_.emplace();
                pool_ = std::make_unique<Pool>(workers, std::forward<Arguments>(arguments)...);
        }

        Pool& operator*() { return *pool_; }
        Pool* operator->() { return pool_.get(); }

        /// Ends the pool.
        void stop() { pool_.reset(); }

private:
        std::optional<PinnedBirths> births_;
        std::unique_ptr<Pool> pool_;
};

/// Lets all workers meet, so that pools that make their threads late have made them. Gives up after
/// 50 ms, since some pools run two tasks in one thread although the other is idle.
template <typename Pool>
void warm_up(Pool& pool, unsigned workers) {
        const std::uint64_t before = Slots::sum();
        std::atomic<unsigned> arrived{0};
        const Nanoseconds deadline = now() + 50'000'000;
        for (unsigned index = 0; index < workers; ++index) {
                pool.post([&arrived, workers, deadline] {
                        arrived.fetch_add(1);
                        while (arrived.load() < workers && now() < deadline)
                                sleep_for(20'000);
                        Slots::count();
                });
        }
        Slots::await(before + workers);
}

/// Posts from inside of a task: in some pools another function than from outside.
template <typename Pool, typename Function>
void post_inside(Pool& pool, Function function) {
        if constexpr (requires { pool.post_inside(function); })
                pool.post_inside(std::move(function));
        else
                pool.post(std::move(function));
}

}  // namespace peers
