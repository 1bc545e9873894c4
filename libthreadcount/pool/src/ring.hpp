// SPDX-License-Identifier: MIT
//
// A bounded queue of many producers and many consumers, first in, first out.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace threadcount::pool {

/// After D. Vyukov, "Bounded MPMC queue" (2010): every cell says whose turn it is. Two changes:
/// a cell that was never used is all zero, so that fresh memory need not be touched; and the
/// bound is by position, so that it is exact for any number. What decides "empty" and "full", a
/// cell's turn and the head, is changed sequentially consistently: parking.hpp and
/// back_pressure.hpp rely on it.
///
/// MT-Safe. Cost: two locked instructions to push and one to pop; some 15 ns in one thread, and the
/// way of a cache line to another core.
template <class T, class Platform = Machine>
class Ring {
        template <class U>
        using Atomic = typename Platform::template Atomic<U>;

public:
        struct Cell {
                Atomic<std::uint64_t> turn;  ///< 2 * lap: to be filled; 2 * lap + 1: to be emptied
                alignas(T) std::byte item[sizeof(T)];
        };

        /// How many cells a ring with this bound needs.
        static constexpr std::size_t cells_for(std::size_t capacity) {
                return std::bit_ceil(capacity);
        }

        /// Holds at most `capacity` >= 1 items in `cells`, which has cells_for(capacity) that are
        /// all zero, belongs to the caller, and outlives the ring.
        Ring(Cell* cells, std::size_t capacity)
                : cells_(cells), capacity_(capacity), mask_(cells_for(capacity) - 1),
                  lap_shift_(std::countr_zero(cells_for(capacity))) {
                assert(capacity >= 1);
        }
        Ring(const Ring&) = delete;
        Ring& operator=(const Ring&) = delete;

        /// `fill(place)` constructs an item there, and must not throw; false, and nothing has
        /// happened, if there are `capacity` items, or the ring is closed.
        template <class Fill>
        [[nodiscard]] bool push(const Fill& fill) {
                auto at = tail_.load(std::memory_order_relaxed);
                for (unsigned tries = 0;;) {
                        if (is_full(at)) {
                                const auto now = tail_.load(std::memory_order_relaxed);
                                if (now == at)
                                        return false;
                                at = now;
                                continue;
                        }
                        auto& cell = cells_[at & mask_];
                        const auto turn = cell.turn.load(std::memory_order_acquire);
                        if (turn == filling(at)) {
                                if (tail_.compare_exchange_weak(at, at + 1,
                                                                std::memory_order_relaxed)) {
                                        fill(static_cast<void*>(cell.item));
                                        cell.turn.store(turn + 1,
                                                        std::memory_order_seq_cst);  // parking.hpp
                                        touch_ahead(at);
                                        return true;
                                }
                        } else {
                                wait_a_moment(tries++);
                                at = tail_.load(std::memory_order_relaxed);
                        }
                }
        }

        /// Before consumers look into it while it is fresh.
        void touch() { Platform::touch(cells_->turn); }

        /// From now on it is full for who pushes. Who has pushed, or is just doing so, has: size()
        /// counts it.
        void close() { tail_.fetch_or(kClosed, std::memory_order_seq_cst); }

        /// Moves the oldest item out; false if there is none, or it is just being moved in.
        [[nodiscard]] bool pop(T& ret_item) {
                auto at = head_.load(std::memory_order_relaxed);
                for (;;) {
                        auto& cell = cells_[at & mask_];
                        const auto turn = cell.turn.load(std::memory_order_acquire);
                        if (turn == filling(at) + 1) {
                                // seq_cst: back_pressure.hpp
                                if (head_.compare_exchange_weak(at, at + 1,
                                                                std::memory_order_seq_cst,
                                                                std::memory_order_relaxed)) {
                                        auto* item = std::launder(reinterpret_cast<T*>(cell.item));
                                        ret_item = std::move(*item);
                                        item->~T();
                                        cell.turn.store(filling(at) + 2, std::memory_order_release);
                                        return true;
                                }
                        } else {
                                const auto now = head_.load(std::memory_order_relaxed);
                                if (now == at)
                                        return false;
                                at = now;
                        }
                }
        }

        /// Is there none to be popped? Sequentially consistent with push(): who has pushed the
        /// oldest one is not missed. One that is still being moved in hides those behind it.
        [[nodiscard]] bool empty() const {
                auto at = head_.load(std::memory_order_seq_cst);
                for (;;) {
                        const auto turn = cells_[at & mask_].turn.load(std::memory_order_seq_cst);
                        if (turn == filling(at) + 1)
                                return false;
                        const auto now = head_.load(std::memory_order_seq_cst);
                        if (now == at)
                                return true;
                        at = now;
                }
        }

        /// A snapshot; counts what is just being moved in or out.
        [[nodiscard]] std::size_t size() const {
                const auto head = head_.load(std::memory_order_seq_cst);
                const auto tail = tail_.load(std::memory_order_relaxed) & ~kClosed;
                return tail > head ? static_cast<std::size_t>(tail - head) : 0;
        }
        [[nodiscard]] std::size_t capacity() const { return capacity_; }

private:
        // In the tail: a place so far away that there is never room for it.
        static constexpr auto kClosed = std::uint64_t{1} << 63;

        [[nodiscard]] std::uint64_t filling(std::uint64_t at) const {
                return 2 * (at >> lap_shift_);
        }

        /// Consumers look at the next cell while it is still fresh.
        void touch_ahead(std::uint64_t at) {
                constexpr std::uint64_t kAhead = 8;
                if (at + kAhead <= mask_)
                        Platform::touch_page(cells_[at + kAhead].turn, sizeof(Cell));
        }

        /// Would the item at `at` be one too many? Looks at what consumers write only if it seems
        /// so.
        [[nodiscard]] bool is_full(std::uint64_t at) {
                if (at - head_seen_.load(std::memory_order_relaxed) < capacity_)
                        return false;
                const auto head = head_.load(std::memory_order_seq_cst);
                head_seen_.store(head, std::memory_order_relaxed);
                return at - head >= capacity_;
        }

        /// Another producer was faster, or a consumer is just emptying the cell: a matter of
        /// nanoseconds, unless the kernel has taken it off its CPU.
        static void wait_a_moment(unsigned tries) {
                if (tries % 64 == 63)
                        Platform::yield();
                else
                        Platform::pause();
        }

        // Producers write.
        alignas(kApart) Atomic<std::uint64_t> tail_{0};
        Atomic<std::uint64_t> head_seen_{0};  // not beyond head_
        // Consumers write.
        alignas(kApart) Atomic<std::uint64_t> head_{0};
        // Nobody writes.
        alignas(kApart) Cell* const cells_;
        const std::size_t capacity_;
        const std::uint64_t mask_;
        const int lap_shift_;
};

}  // namespace threadcount::pool
