// SPDX-License-Identifier: MIT
//
// A task that runs later, or again and again.
#pragma once

#include <threadcount/pool/detail/timer_node.hpp>

#include <memory>

namespace threadcount {

/// Made by Pool::submit_after(), submit_at() and submit_every(). To drop it does NOT cancel. It may
/// outlive its pool. cancel() is MT-Safe; none is async-signal-safe.
class Timer {
public:
        Timer() noexcept = default;

        /// True: it has not begun, or not yet again, and never will. Its captures are destroyed
        /// now, or, if it runs every so often and is running, when that is done. Nobody waits for
        /// this run. False: its only run has begun, it was cancelled already, its pool was stopped,
        /// or there is no timer. Cost: it is taken out of a heap of n timers, with O(log n) steps.
        bool cancel() const noexcept { return node_ != nullptr && node_->cancel(); }

private:
        friend class Pool;

        struct LetGo {
                void operator()(pool::TimerNode* node) const noexcept { node->let_go(); }
        };

        explicit Timer(pool::TimerNode& node) noexcept : node_(&node) {}

        std::unique_ptr<pool::TimerNode, LetGo> node_;
};

}  // namespace threadcount
