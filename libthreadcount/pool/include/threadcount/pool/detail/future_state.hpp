// SPDX-License-Identifier: MIT
//
// One task and its result, in one block of memory.
#pragma once

#include <threadcount/pool/detail/block_memory.hpp>
#include <threadcount/pool/detail/future_word.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace threadcount {
class Pool;
}

namespace threadcount::pool {

class Scheduler;

/// The part that does not depend on the type of the result. Destroyed by the owner that lets go
/// last (FutureWord).
class FutureState {
public:
        explicit FutureState(Pool& pool) noexcept;
        virtual ~FutureState() = default;
        FutureState(const FutureState&) = delete;
        FutureState& operator=(const FutureState&) = delete;

        static void* operator new(std::size_t bytes) { return BlockMemory::take(bytes); }
        static void operator delete(void* state, std::size_t bytes) noexcept {
                BlockMemory::give_back(state, bytes);
        }
        // For states that need more than the heap's alignment. Compilers look for an operator
        // delete of this form, and for no other one, if a constructor throws.
        static void* operator new(std::size_t bytes, std::align_val_t alignment) {
                return ::operator new(bytes, alignment);
        }
        static void operator delete(void* state, std::align_val_t alignment) noexcept {
                ::operator delete(state, alignment);
        }

        [[nodiscard]] Outcome outcome() const noexcept { return word_.outcome(); }
        /// The most tasks that may run one inside of the other, each in the wait of the one before.
        static constexpr int kMostNested = 2000;

        /// See Future.
        void wait();
        [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept;
        [[nodiscard]] bool wait_for(std::chrono::nanoseconds time) noexcept;
        [[nodiscard]] bool cancel() noexcept;
        /// The future is gone.
        void drop_future() noexcept;

        // Its entry. Each of these is the last thing that is done with the entry.

        /// Runs the task, if nobody has claimed it, and what follows, if that cannot be queued.
        static void run_entry(FutureState* state) noexcept;
        /// It will never run: cancelled, and so is what follows.
        static void drop_entry(FutureState* state) noexcept;
        /// Returns when no thread runs it, or what follows, that its pool does not wait for.
        static void wait_elsewhere(FutureState* state) noexcept;
        /// To be started as soon as `first` is done; throws what submit() throws if that is so
        /// already.
        void start_after(FutureState& first);
        /// Throws what submit() throws.
        void submit();

        [[nodiscard]] Pool& pool() const noexcept { return pool_; }

protected:
        /// Calls and destroys the callable. For the caller that has claimed it.
        [[nodiscard]] virtual Outcome run() noexcept = 0;
        /// Destroys the callable. For the caller that has claimed it.
        virtual void drop() noexcept = 0;
        /// The one that has to be done before, if the caller has claimed this one and not yet run
        /// it.
        [[nodiscard]] virtual FutureState* first() noexcept { return nullptr; }

private:
        using Word = FutureWord<FutureState>;

        [[nodiscard]] bool claim(bool is_elsewhere) noexcept {
                return is_elsewhere ? word_.claim_elsewhere() : word_.claim();
        }
        /// Runs it, and before it all that it follows. It is claimed.
        void help(bool is_elsewhere) noexcept;
        /// Sleeps while it runs elsewhere. Returns the one whose entry the caller has then;
        /// nullptr: none, as where it does not run elsewhere.
        FutureState* next_after_elsewhere() noexcept;
        static void drop_claimed_entry(FutureState* state) noexcept;
        FutureState* publish(Outcome outcome, Word::Owner lets_go) noexcept;
        /// True: the entry is in a queue. False: the caller has it.
        [[nodiscard]] bool try_submit() noexcept;

        Word word_;
        Pool& pool_;
        const Scheduler* const scheduler_;  // to be compared: the pool may be gone
};

/// The entry of a task, which is what the pool's queues hold.
class FutureEntry {
public:
        explicit FutureEntry(FutureState& state) noexcept : state_(&state) {}
        FutureEntry(FutureEntry&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
        FutureEntry& operator=(FutureEntry&&) = delete;
        FutureEntry(const FutureEntry&) = delete;
        FutureEntry& operator=(const FutureEntry&) = delete;
        ~FutureEntry() {
                if (state_ != nullptr)
                        FutureState::drop_entry(state_);
        }
        void operator()() noexcept { FutureState::run_entry(std::exchange(state_, nullptr)); }
        void release() noexcept { state_ = nullptr; }
        void wait_elsewhere() const noexcept { FutureState::wait_elsewhere(state_); }

private:
        FutureState* state_;
};

/// The value of a future of T: an object; for a reference, where it is; for void, nothing.
template <class T>
struct Kept {
        using Type = T;
};
template <class T>
struct Kept<T&> {
        using Type = std::reference_wrapper<T>;
};
template <>
struct Kept<void> {
        struct Type {};
};

template <class T>
class FutureResult : public FutureState {
public:
        explicit FutureResult(Pool& pool) noexcept : FutureState(pool) {}
        ~FutureResult() override {
                if (outcome() == Outcome::Value)
                        std::destroy_at(&value_);
                else if (outcome() == Outcome::Error)
                        std::destroy_at(&error_);
        }

        /// Valid for the outcome's kind only. To be moved from.
        [[nodiscard]] typename Kept<T>::Type& value() noexcept { return value_; }
        [[nodiscard]] std::exception_ptr& error() noexcept { return error_; }

protected:
        [[nodiscard]] Outcome fail(std::exception_ptr error) noexcept {
                std::construct_at(&error_, std::move(error));
                return Outcome::Error;
        }

        /// Keeps what `call()` returns, or throws.
        template <class Call>
        [[nodiscard]] Outcome keep(Call&& call) noexcept {
                using Value = typename Kept<T>::Type;
                try {
                        if constexpr (std::is_void_v<T>) {
                                std::forward<Call>(call)();
                                ::new (static_cast<void*>(&value_)) Value{};
                        } else {
                                ::new (static_cast<void*>(&value_))
                                        Value(std::forward<Call>(call)());
                        }
                        return Outcome::Value;
                } catch (...) {
                        return fail(std::current_exception());
                }
        }

private:
        union {
                typename Kept<T>::Type value_;
                std::exception_ptr error_;
        };
};

/// The task of async().
template <class F, class T>
class AsyncState final : public FutureResult<T> {
public:
        template <class From>
        AsyncState(Pool& pool, From&& from)
                : FutureResult<T>(pool), callable_(std::forward<From>(from)) {}
        ~AsyncState() override {}

private:
        [[nodiscard]] Outcome run() noexcept override {
                const auto outcome = this->keep([this]() -> T { return callable_(); });
                drop();
                return outcome;
        }
        void drop() noexcept override { std::destroy_at(&callable_); }

        // Gone before the future is ready.
        union {
                F callable_;
        };
};

struct DropFuture {
        void operator()(FutureState* state) const noexcept { state->drop_future(); }
};
template <class T>
using OwnedResult = std::unique_ptr<FutureResult<T>, DropFuture>;

/// The result type of a function that takes the value of a future of T.
template <class F, class T>
struct Following {
        using Result = std::invoke_result_t<F&, T>;
};
template <class F>
struct Following<F, void> {
        using Result = std::invoke_result_t<F&>;
};

/// The task of then(): `callable` takes what `first` keeps.
template <class F, class First, class T>
class ThenState final : public FutureResult<T> {
public:
        template <class From>
        ThenState(From&& from, OwnedResult<First>& first)
                : FutureResult<T>(first->pool()), callable_(std::forward<From>(from)),
                  first_(std::move(first)) {}
        ~ThenState() override {}

private:
        [[nodiscard]] Outcome run() noexcept override {
                auto outcome = first_->outcome();
                if (outcome == Outcome::Value)
                        outcome = this->keep([this]() -> T { return call(); });
                else if (outcome == Outcome::Error)
                        outcome = this->fail(std::move(first_->error()));
                drop();
                return outcome;
        }
        T call() {
                if constexpr (std::is_void_v<First>)
                        return callable_();
                else if constexpr (std::is_reference_v<First>)
                        return callable_(first_->value().get());
                else
                        return callable_(std::move(first_->value()));
        }
        void drop() noexcept override {
                std::destroy_at(&callable_);
                std::destroy_at(&first_);
        }
        [[nodiscard]] FutureState* first() noexcept override { return first_.get(); }

        union {
                F callable_;
        };
        union {
                OwnedResult<First> first_;
        };
};

}  // namespace threadcount::pool
