// SPDX-License-Identifier: MIT
//
// A bounded double-ended queue: its owner puts in and takes back the youngest, others steal the
// oldest.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace threadcount::pool {

/// After D. Chase, Y. Lev, "Dynamic circular work-stealing deque" (SPAA 2005), with sequentially
/// consistent accesses where N. M. Le et al. (PPoPP 2013) have fences, and with a fixed size. Items
/// are kept inside. The lane that has moved the top owns what is in the slot, takes it out, and
/// says then that the slot is empty. The owner of the deque does not fill it before.
///
/// push() and pop() belong to one thread; all others are MT-Safe. Cost: a locked instruction each,
/// but none for what is pushed quietly (and is not the first thing on a page).
template <class T, class Platform = Machine>
class Deque {
        template <class U>
        using Atomic = typename Platform::template Atomic<U>;

public:
        struct Slot {
                Atomic<std::uint32_t> is_full;
                alignas(T) std::byte
                        item[sizeof(T)];  // NOLINT(bugprone-sizeof-expression): of a pointer, too
        };

        /// Holds at most `capacity` items in `slots`, a power of two of them, which are all zero,
        /// belong to the caller, and outlive the deque.
        Deque(Slot* slots, std::size_t capacity)
                : slots_(slots), capacity_(static_cast<std::int64_t>(capacity)) {
                assert(std::has_single_bit(capacity));
        }
        Deque(const Deque&) = delete;
        Deque& operator=(const Deque&) = delete;

        enum class Pushed {
                No,         ///< there is no place, and nothing has happened
                Quietly,    ///< thieves find it while they look for more
                Announced,  ///< sequentially consistent: the caller has to see whether somebody
                            ///< sleeps that could steal it (parking.hpp)
        };
        enum class Announce {
                Every,
                First,  ///< only if the deque was empty: saves a locked instruction
        };

        /// `fill(place)` constructs the item there, and must not throw.
        template <class Fill>
        [[nodiscard]] Pushed push(const Fill& fill, Announce announce) {
                const auto bottom = bottom_.load(std::memory_order_relaxed);
                const auto size = bottom - top_.load(std::memory_order_relaxed);
                auto& its = slot(bottom);
                if (bottom < capacity_)
                        Platform::touch_page(its.is_full, sizeof(Slot));
                // A thief may have moved the top, but not yet taken the item out.
                if (size >= capacity_ || its.is_full.load(std::memory_order_acquire) != 0)
                        return Pushed::No;
                fill(static_cast<void*>(its.item));
                its.is_full.store(1, std::memory_order_relaxed);
                if (announce == Announce::First && size > 0) {
                        bottom_.store(bottom + 1, std::memory_order_release);
                        return Pushed::Quietly;
                }
                bottom_.store(bottom + 1, std::memory_order_seq_cst);
                return Pushed::Announced;
        }

        /// The one that was pushed last; false: none is left.
        [[nodiscard]] bool pop(T& ret_item) {
                const auto bottom = bottom_.load(std::memory_order_relaxed) - 1;
                // A deque that is empty then costs no locked instruction. Thieves do not make it
                // any fuller.
                if (top_.load(std::memory_order_relaxed) > bottom)
                        return false;
                bottom_.store(bottom, std::memory_order_seq_cst);
                auto top = top_.load(std::memory_order_seq_cst);
                if (top < bottom) {
                        take_out(bottom, ret_item);
                        return true;
                }
                // The last one: the thread that moves the top has it.
                const bool is_mine =
                        top == bottom &&
                        top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst);
                bottom_.store(bottom + 1, std::memory_order_relaxed);
                if (is_mine)
                        take_out(bottom, ret_item);
                return is_mine;
        }

        /// The one that was pushed first; false: there is none, or somebody else was faster.
        [[nodiscard]] bool steal(T& ret_item) {
                return steal_if([] { return true; }, ret_item);
        }

        /// The same, but only if `may_be_stolen()`, which is asked while the item is in the deque.
        /// What the owner did before it pushed the item happens before that.
        template <class Condition>
        [[nodiscard]] bool steal_if(const Condition& may_be_stolen, T& ret_item) {
                auto top = top_.load(std::memory_order_seq_cst);
                // Acquired: see above. From here on until the top has moved it is the same item.
                if (top >= bottom_.load(std::memory_order_seq_cst) || !may_be_stolen())
                        return false;
                Platform::fetch(&slot(top));
                if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst))
                        return false;
                take_out(top, ret_item);
                return true;
        }

        [[nodiscard]] std::size_t size() const {
                const auto top = top_.load(std::memory_order_seq_cst);
                const auto bottom = bottom_.load(std::memory_order_seq_cst);
                return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
        }
        [[nodiscard]] bool empty() const { return size() == 0; }

private:
        [[nodiscard]] Slot& slot(std::int64_t at) { return slots_[at & (capacity_ - 1)]; }

        void take_out(std::int64_t at, T& ret_item) {
                auto& its = slot(at);
                auto* item = std::launder(reinterpret_cast<T*>(its.item));
                ret_item = std::move(*item);
                item->~T();
                its.is_full.store(0, std::memory_order_release);
        }

        alignas(kApart) Atomic<std::int64_t> top_{0};     // thieves move it
        alignas(kApart) Atomic<std::int64_t> bottom_{0};  // the owner moves it
        Slot* const slots_;
        const std::int64_t capacity_;
};

}  // namespace threadcount::pool
