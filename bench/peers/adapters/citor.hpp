// SPDX-License-Identifier: MIT
// citor, whose caller is one of its threads. It pins them all, and the caller stays where it was
// pinned. A posted task would get a thread of its own, so no benchmark posts one.
#pragma once

#include "../support/pinning.hpp"

#include <citor/thread_pool.h>
#include <cstddef>

namespace peers {

class Pool {
public:
        static constexpr bool CALLER_HELPS = true;
        static constexpr bool PINS_ITSELF = true;

        explicit Pool(unsigned workers) : pool_((unpin_this_thread(), std::size_t{workers} + 1)) {}

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
                pool_.forkJoin<citor::HintsDefaults>(left, right);
        }

        template <typename Function>
        void run(Function function) {
                function();
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop<citor::StaticHints>(count, body);
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop<citor::DynamicHints>(count, body);
        }

private:
        template <typename Hints, typename Body>
        auto loop(std::size_t count, Body body) {
                return [this, count, body] { pool_.parallelFor<Hints>(0, count, body); };
        }

        citor::ThreadPool pool_;
};

}  // namespace peers
