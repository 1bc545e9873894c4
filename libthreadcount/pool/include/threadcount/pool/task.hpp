// SPDX-License-Identifier: MIT
//
// A piece of work that runs once: the pool's queues hold these.
#pragma once

#include <threadcount/pool/detail/block_memory.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace threadcount {

namespace pool {

class FutureEntry;

/// The captures that a task does not keep inside.
template <class Held>
struct OutsideOfTask {
        Held held;

        static void* operator new(std::size_t bytes) { return BlockMemory::take(bytes); }
        static void operator delete(void* outside, std::size_t bytes) noexcept {
                BlockMemory::give_back(outside, bytes);
        }
};
template <class Held>
requires(alignof(Held) > BlockMemory::kAlignment) struct OutsideOfTask<Held> {
        Held held;
};

}  // namespace pool

/// A callable without arguments, of any copyable or only movable type. 56 bytes. Its captures are
/// kept inside if they have at most 48 bytes, an alignment of at most 8, and move without throwing
/// (no allocation then). For anything else the constructor takes memory, which may throw
/// std::bad_alloc: up to 256 bytes from what earlier tasks have given back, if there is any.
///
/// A task that throws ends the program (std::terminate), as a thread that throws does; futures
/// carry exceptions. Not thread-safe: a task has one owner at a time.
class Task {
public:
        static constexpr std::size_t kInlineSize = 48;

        template <class Held>
        static constexpr bool kIsKeptInside =
                sizeof(Held) <= kInlineSize &&
                alignof(Held) <= alignof(void*) && std::is_nothrow_move_constructible_v<Held>;

        Task() noexcept = default;

        template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, Task> && std::invocable<std::decay_t<F>&>)
                Task(F&& f)
        noexcept(kIsKeptInside<std::decay_t<F>>&&
                         std::is_nothrow_constructible_v<std::decay_t<F>, F>) {
                using Held = std::decay_t<F>;
                if constexpr (kIsKeptInside<Held>) {
                        ::new (static_cast<void*>(storage_)) Held(std::forward<F>(f));
                        actions_ = &kInside<Held>;
                } else {
                        using Outside = pool::OutsideOfTask<Held>;
                        ::new (static_cast<void*>(storage_))
                                std::unique_ptr<Outside>(new Outside{Held(std::forward<F>(f))});
                        actions_ = &kOutside<Outside>;
                }
        }

        Task(Task&& other) noexcept { take(other); }
        Task& operator=(Task&& other) noexcept {
                if (this != &other) {
                        drop();
                        take(other);
                }
                return *this;
        }
        Task(const Task&) = delete;
        Task& operator=(const Task&) = delete;
        ~Task() { drop(); }

        /// Is there something to run?
        explicit operator bool() const noexcept { return actions_ != nullptr; }

        /// Runs it and destroys what it captured; the task is empty from the start of the run on.
        /// It must not be empty.
        void operator()() noexcept { std::exchange(actions_, nullptr)->run(storage_); }

private:
        friend class Pool;

        struct Actions {
                void (*run)(void*) noexcept;                  ///< and destroy
                void (*move)(void* to, void* from) noexcept;  ///< and destroy `from`; null: copy
                void (*destroy)(void*) noexcept;              ///< null: nothing to do
                void (*wait)(const void*) noexcept;           ///< null: nobody else runs it
        };

        template <class Held>
        static void run_inside(void* held) noexcept {
                auto& callable = *static_cast<Held*>(held);
                callable();
                callable.~Held();
        }
        template <class Outside>
        static void run_outside(void* held) noexcept {
                auto& outside = *static_cast<std::unique_ptr<Outside>*>(held);
                outside->held();
                std::destroy_at(&outside);
        }
        template <class Held>
        static void move(void* to, void* from) noexcept {
                auto& callable = *static_cast<Held*>(from);
                ::new (to) Held(std::move(callable));
                std::destroy_at(&callable);
        }
        template <class Held>
        static void destroy(void* held) noexcept {
                std::destroy_at(static_cast<Held*>(held));
        }
        template <class Held>
        static void wait(const void* held) noexcept {
                if constexpr (kIsFuture<Held>)
                        static_cast<const Held*>(held)->wait_elsewhere();
        }

        template <class Held>
        static constexpr bool kIsFuture = std::is_same_v<Held, pool::FutureEntry>;
        template <class Held>
        static constexpr Actions kInside{
                &run_inside<Held>, std::is_trivially_copyable_v<Held> ? nullptr : &move<Held>,
                std::is_trivially_destructible_v<Held> ? nullptr : &destroy<Held>,
                kIsFuture<Held> ? &wait<Held> : nullptr};
        // A unique_ptr is a pointer: its bytes may be copied if the old ones are forgotten.
        template <class Outside>
        static constexpr Actions kOutside{&run_outside<Outside>, nullptr,
                                          &destroy<std::unique_ptr<Outside>>, nullptr};

        void take(Task& other) noexcept {
                actions_ = std::exchange(other.actions_, nullptr);
                if (actions_ == nullptr)
                        return;
                if (actions_->move != nullptr)
                        actions_->move(storage_, other.storage_);
                else
                        std::memcpy(storage_, other.storage_, kInlineSize);
        }
        /// Returns when no thread runs it in the wait for its future.
        void wait_elsewhere() const noexcept {
                if (actions_ != nullptr && actions_->wait != nullptr)
                        actions_->wait(storage_);
        }
        void drop() noexcept {
                if (actions_ != nullptr && actions_->destroy != nullptr)
                        actions_->destroy(storage_);
                actions_ = nullptr;
        }

        const Actions* actions_ = nullptr;
        alignas(void*) std::byte storage_[kInlineSize];
};

static_assert(sizeof(Task) == 56);

/// Makes a task of what somebody holds, once there is a place for it. The held one stays as it is
/// until then. Refers to it, and must not outlive it.
class TaskSource {
public:
        /// Moves from `held`, a task or a callable that may become one without throwing.
        template <class Held>
        requires std::is_nothrow_constructible_v<Task, Held&&>
        explicit TaskSource(Held& held) noexcept
                : held_(&held), make_([](void* place, void* from) noexcept {
                          ::new (place) Task(std::move(*static_cast<Held*>(from)));
                  }) {}

        /// At a place of the size and alignment of a task.
        void operator()(void* place) const noexcept { make_(place, held_); }
        [[nodiscard]] Task make() const noexcept {
                alignas(Task) std::byte place[sizeof(Task)];
                make_(place, held_);
                auto* made = std::launder(reinterpret_cast<Task*>(place));
                Task task(std::move(*made));
                made->~Task();
                return task;
        }

private:
        void* held_;
        void (*make_)(void* place, void* from) noexcept;
};

}  // namespace threadcount
