// SPDX-License-Identifier: MIT
//
// The outcome of a task: its result, its exception, or nothing.
#pragma once

#include <threadcount/pool/detail/future_state.hpp>

#include <chrono>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace threadcount {

/// The task was cancelled, or its pool was stopped and the task that was handed back was destroyed.
class FutureCancelled : public std::runtime_error {
public:
        FutureCancelled() : std::runtime_error("the task was cancelled before it ran") {}
};

/// Made by Pool::async(). T is the type of the result: an object that can be moved, a reference, or
/// void. To drop a future neither waits for the task nor cancels it. A future may outlive its pool,
/// but for then().
///
/// Several threads may call functions that are const at once; none is async-signal-safe. All but
/// valid() throw std::logic_error if there is no task: after get() and then(), and if it was moved
/// from.
///
/// Cost: one block of memory for all, which comes from the heap, or is one that this thread has
/// kept (some 5 ns). A thread keeps up to 128 of each size up to 256 bytes, 80 KiB in all, when
/// futures go. The captures of the callable are destroyed before the future is ready. There is no
/// lock for a thread that waits.
template <class T>
class [[nodiscard]] Future {
        static_assert(!std::is_rvalue_reference_v<T>, "a future of what would be gone");

public:
        Future() noexcept = default;

        [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

        /// Is the result, or the exception, there, or was the task cancelled?
        [[nodiscard]] bool is_ready() const { return state().outcome() != pool::Outcome::None; }

        /// Returns when it is ready. A task, of this pool or another one, that calls this runs the
        /// awaited one itself, right here, if that has not begun. Before it, it runs all those that
        /// it follows (then()). Waiting for one another therefore needs no further lane. The
        /// awaited one may wait in its turn, and so on: 2,000 may be on the stack, and the next one
        /// throws std::logic_error. A lane of the awaited one's pool that comes to it while another
        /// pool's lane runs it sleeps until it is done: so wait_idle() and stop() wait for it.
        /// Anybody else looks for some 10 us, then sleeps.
        void wait() const { state().wait(); }

        /// The same until `deadline` at most: is it ready? Never runs the task itself, which might
        /// take longer: called by a task, it wastes the lane.
        [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline) const {
                return state().wait_until(deadline);
        }
        [[nodiscard]] bool wait_for(std::chrono::nanoseconds time) const {
                return state().wait_for(time);
        }

        /// wait(), then the result. Throws what the task has thrown; FutureCancelled.
        T get() {
                state().wait();
                const auto state = std::move(state_);
                if (state->outcome() == pool::Outcome::Error)
                        std::rethrow_exception(std::move(state->error()));
                if (state->outcome() == pool::Outcome::Cancelled)
                        throw FutureCancelled();
                if constexpr (std::is_reference_v<T>)
                        return state->value().get();
                else if constexpr (!std::is_void_v<T>)
                        return std::move(state->value());
        }

        /// True: the task has not begun, and never will; what it holds is destroyed now. False: it
        /// runs, has run, or was cancelled already. The task that it follows (then()) is not
        /// cancelled. Its place in the queue is free when a lane comes to it.
        bool cancel() const { return state().cancel(); }

        /// A task for the same pool that calls `f` with this one's result as soon as that is there;
        /// f(T), or f() if T is void. Without a result f does not run, and the new future gets the
        /// exception, or is cancelled. Throws std::bad_alloc, and this future is as it was; and, if
        /// it is ready already, as Pool::submit(), and waits as that does.
        template <class F>
        auto then(F&& f) {
                using Callable = std::decay_t<F>;
                using Result = typename pool::Following<Callable, T>::Result;
                using State = pool::ThenState<Callable, T, Result>;
                auto& first = state();
                auto& next = *new State(std::forward<F>(f), state_);
                Future<Result> future(next);
                next.start_after(first);
                return future;
        }

private:
        friend class Pool;
        template <class U>
        friend class Future;

        explicit Future(pool::FutureResult<T>& state) noexcept : state_(&state) {}

        [[nodiscard]] pool::FutureState& state() const {
                if (state_ == nullptr)
                        throw std::logic_error("this future has no task (any more)");
                return *state_;
        }

        pool::OwnedResult<T> state_;
};

}  // namespace threadcount
