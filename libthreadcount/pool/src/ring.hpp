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

/// After D. Vyukov, "Bounded MPMC queue" (2010): every cell says whose turn it is. Three changes:
/// - A cell that was never used is all zero, so that fresh memory need not be touched.
/// - The bound is by position, so that it is exact for any number.
/// - An item that is not yet in its cell does not hide those behind it. Its producer has the place
///   and may be off its CPU, or the item's constructor may take long. Consumers take what is
///   behind, and the head stays in front of that cell until it is emptied. Such a producer may keep
///   others from places, since the queue is full by position until then, but never a consumer from
///   an item.
///
/// A cell's turn, the tail, and the head decide "empty" and "full". They are changed sequentially
/// consistently: parking.hpp and back_pressure.hpp rely on it.
///
/// MT-Safe. Cost: two locked instructions to push and one to pop; some 15 ns in one thread, and the
/// way of a cache line to another core.
template <class T, class Platform = Machine>
class Ring {
        template <class U>
        using Atomic = typename Platform::template Atomic<U>;

public:
        struct Cell {
                /// 2 * lap: to be filled; 2 * lap + 1: to be emptied, and with kTaken it just is,
                /// out of order.
                Atomic<std::uint64_t> turn;
                alignas(T) std::byte item[sizeof(T)];
        };

        /// The number of cells that a ring with this bound needs.
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
                                                                std::memory_order_seq_cst,
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

        /// From now on it is full for every push. A producer that has pushed, or is just doing so,
        /// has its place: size() counts it.
        void close() { tail_.fetch_or(kClosed, std::memory_order_seq_cst); }

        /// Moves the oldest item out that is there; false if there is none.
        [[nodiscard]] bool pop(T& ret_item) {
                // Acquired: cells that were taken out of order before the head came here.
                auto at = head_.load(std::memory_order_acquire);
                auto& cell = cells_[at & mask_];
                if ((at & kSkips) == 0 &&
                    cell.turn.load(std::memory_order_acquire) == filling(at) + 1 &&
                    move_head(at, at + 1)) {
                        take_out(cell, at, ret_item);
                        return true;
                }
                return pop_otherwise(at, ret_item);
        }

        /// Is there none to be popped? Sequentially consistent with push(): the oldest one that was
        /// pushed is not missed. One that is still being moved in may hide those behind it. The
        /// function is for callers that ask again and again. Reads nothing that others write while
        /// nothing comes.
        [[nodiscard]] bool seems_empty() const {
                std::uint64_t head = 0;
                return is_none_at_head(head);
        }
        /// The same, and nothing hides anything.
        [[nodiscard]] bool empty() const {
                // Behind this head, not one of later: it may have moved on to an item.
                std::uint64_t head = 0;
                return is_none_at_head(head) && !is_any_behind(head);
        }

        /// A snapshot; counts what is just being moved in or out, and what was taken out of order
        /// since pop() has been called last.
        [[nodiscard]] std::size_t size() const {
                return size_from(head_.load(std::memory_order_seq_cst) & ~kSkips);
        }
        /// The same, but 0 if all are out, whatever their order was. Waits while a consumer looks
        /// for an item out of order.
        [[nodiscard]] std::size_t settled_size() { return size_from(settled_head()); }
        [[nodiscard]] std::size_t capacity() const { return capacity_; }

private:
        // In the tail: a place so far away that there is never room for it.
        static constexpr auto kClosed = std::uint64_t{1} << 63;
        // In the head: a consumer looks behind it for an item, and others wait for it. This takes
        // some nanoseconds per cell, runs no code of the item's, and happens only while a producer
        // is late. The kernel therefore rarely takes a consumer off its CPU just there.
        static constexpr auto kSkips = std::uint64_t{1} << 63;
        // In a cell's turn.
        static constexpr auto kTaken = std::uint64_t{1} << 63;

        /// Is there no item at the head, which was `ret_head` then?
        [[nodiscard]] bool is_none_at_head(std::uint64_t& ret_head) const {
                auto at = head_.load(std::memory_order_seq_cst) & ~kSkips;
                for (;;) {
                        const auto turn = cells_[at & mask_].turn.load(std::memory_order_seq_cst);
                        if (turn == filling(at) + 1)
                                return false;
                        ret_head = head_.load(std::memory_order_seq_cst) & ~kSkips;
                        if (ret_head == at)
                                return true;
                        at = ret_head;
                }
        }

        /// `at` is what the head is now, if it was not so.
        [[nodiscard]] bool move_head(std::uint64_t& at, std::uint64_t to) {
                // seq_cst: back_pressure.hpp
                return head_.compare_exchange_weak(at, to, std::memory_order_seq_cst,
                                                   std::memory_order_acquire);
        }

        /// Does what pop() does, wherever the oldest item is; `at` was the head.
        [[nodiscard, gnu::noinline]] bool pop_otherwise(std::uint64_t at, T& ret_item) {
                for (unsigned tries = 0;;) {
                        if ((at & kSkips) != 0) {
                                wait_a_moment(tries++);
                                at = head_.load(std::memory_order_acquire);
                                continue;
                        }
                        auto& cell = cells_[at & mask_];
                        const auto turn = cell.turn.load(std::memory_order_acquire);
                        if (turn == filling(at) + 1) {
                                if (move_head(at, at + 1)) {
                                        take_out(cell, at, ret_item);
                                        return true;
                                }
                        } else if ((turn & ~kTaken) > filling(at)) {  // was taken out of order
                                at = settled_head();
                        } else if (const auto now = head_.load(std::memory_order_acquire);
                                   now != at) {
                                at = now;
                        } else if (!is_any_behind(at)) {
                                return false;
                        } else if (move_head(at, at | kSkips)) {
                                return pop_behind(at, ret_item);
                        }
                }
        }

        void take_out(Cell& cell, std::uint64_t at, T& ret_item) {
                auto* item = std::launder(reinterpret_cast<T*>(cell.item));
                ret_item = std::move(*item);
                item->~T();
                cell.turn.store(filling(at) + 2, std::memory_order_release);
        }

        /// The first place from `at` on that holds an item; `end`: there is none before that.
        [[nodiscard, gnu::noinline, gnu::cold]] std::uint64_t first_full(std::uint64_t at,
                                                                         std::uint64_t end) const {
                while (at < end &&
                       cells_[at & mask_].turn.load(std::memory_order_seq_cst) != filling(at) + 1)
                        at++;
                return at;
        }

        /// Is there an item behind the head, `at`?
        [[nodiscard]] bool is_any_behind(std::uint64_t at) const {
                const auto tail = tail_.load(std::memory_order_seq_cst) & ~kClosed;
                return at + 1 < tail && is_any_between(at + 1, tail);
        }
        [[nodiscard, gnu::noinline, gnu::cold]] bool is_any_between(std::uint64_t at,
                                                                    std::uint64_t end) const {
                return first_full(at, end) != end;
        }

        /// By the consumer that has marked the head. The items from `at` on belong to the caller
        /// until it gives the head back.
        [[nodiscard, gnu::noinline, gnu::cold]] bool pop_behind(std::uint64_t at, T& ret_item) {
                const auto tail = tail_.load(std::memory_order_seq_cst) & ~kClosed;
                auto found = tail;
                // Again, until none is before it: a producer that has filled this one may have
                // filled one before, which has just been passed. Its items keep their order.
                for (auto full = first_full(at, tail); full != found; full = first_full(at, found))
                        found = full;
                auto& cell = cells_[found & mask_];
                if (at < found && found < tail)
                        cell.turn.store((filling(found) + 1) | kTaken, std::memory_order_relaxed);
                head_.store(found == at ? at + 1 : at, std::memory_order_seq_cst);
                if (found < tail)
                        take_out(cell, found, ret_item);
                return found < tail;
        }

        [[nodiscard]] std::size_t size_from(std::uint64_t head) const {
                const auto tail = tail_.load(std::memory_order_relaxed) & ~kClosed;
                return tail > head ? static_cast<std::size_t>(tail - head) : 0;
        }

        [[nodiscard]] std::uint64_t filling(std::uint64_t at) const {
                return 2 * (at >> lap_shift_);
        }

        /// Consumers look at the next cell while it is still fresh.
        void touch_ahead(std::uint64_t at) {
                constexpr std::uint64_t kAhead = 8;
                if (at + kAhead <= mask_)
                        Platform::touch_page(cells_[at + kAhead].turn, sizeof(Cell));
        }

        /// The head, behind all that was taken out of order in front of it.
        [[nodiscard, gnu::noinline, gnu::cold]] std::uint64_t settled_head() {
                auto head = head_.load(std::memory_order_seq_cst);
                for (unsigned tries = 0;;) {
                        if ((head & kSkips) != 0) {
                                wait_a_moment(tries++);
                                head = head_.load(std::memory_order_seq_cst);
                                continue;
                        }
                        const auto turn = cells_[head & mask_].turn.load(std::memory_order_acquire);
                        if (turn == filling(head) + 1 || (turn & ~kTaken) <= filling(head))
                                return head;
                        if (move_head(head, head + 1))
                                head++;
                }
        }

        /// Would the item at `at` be one too many? Looks at what consumers write only if it seems
        /// so.
        [[nodiscard]] bool is_full(std::uint64_t at) {
                if (at - head_seen_.load(std::memory_order_relaxed) < capacity_)
                        return false;
                const auto head = settled_head();
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
