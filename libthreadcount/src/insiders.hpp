// SPDX-License-Identifier: MIT
//
// The threads of the process that are inside of regions.
#pragma once

#include <atomic>
#include <cstdint>

namespace threadcount {

/// Counts the threads inside of regions whose ends are told, and remembers when the last of the
/// other regions began. The first thread that ever enters, of most programs the only one, does so
/// without a locked instruction: that would cost as much as all the rest. MT-Safe.
class Insiders {
public:
        /// The mark of the calling thread; its address tells which thread that is.
        struct Mark {
                bool is_in = false;
                std::uint64_t untold = 0;  // when the last one began, unless it is over
        };

        /// The calling thread begins a region whose end it will tell; to be called before that is
        /// reported. Twice is once.
        void enter(Mark& mark) {
                if (mark.untold != 0)
                        end_untold(mark);
                if (mark.is_in)
                        return;
                mark.is_in = true;
                if (is_first(mark))
                        first_is_in_.store(true, std::memory_order_relaxed);
                else
                        count_other(1);
        }

        /// It has ended.
        void leave(Mark& mark) {
                if (!mark.is_in)
                        return;
                mark.is_in = false;
                if (is_first(mark))
                        first_is_in_.store(false, std::memory_order_relaxed);
                else
                        count_other(-1);
        }

        /// The calling thread begins a region whose end it will not tell. `period` is any number
        /// but 0 that grows at a steady pace.
        void begin_untold(Mark& mark, std::uint64_t period) {
                if (mark.untold != period)
                        remember_untold(mark, period);
        }

        /// No thread is inside, as far as is known. All that have entered have left. None has begun
        /// a region untold in this period or the one before, unless it has entered since.
        [[nodiscard]] bool none(std::uint64_t period) const {
                return !first_is_in_.load(std::memory_order_relaxed) &&
                       others_.load(std::memory_order_relaxed) == 0 &&
                       is_over(untold_.load(std::memory_order_relaxed), period);
        }

        /// To be asked once it has been reported that there are none: a thread may have entered
        /// meanwhile, and have reported it just before. A thread that does so later overwrites that
        /// report.
        [[nodiscard]] bool still_none(std::uint64_t period) const {
                if (!has_others_.load(std::memory_order_relaxed))
                        return true;
                std::atomic_thread_fence(std::memory_order_seq_cst);
                return none(period);
        }

private:
        static constexpr std::uint64_t kNever = std::uint64_t{1} << 63;

        [[nodiscard]] static bool is_over(std::uint64_t untold, std::uint64_t period) {
                return period - untold > 1;
        }
        void remember_untold(Mark& mark, std::uint64_t period) {
                constexpr auto kRelaxed = std::memory_order_relaxed;
                mark.untold = period;
                const bool is_alone = untold_by_.load(kRelaxed) == &mark ||
                                      is_over(untold_.load(kRelaxed), period);
                untold_by_.store(is_alone ? &mark : &several_, kRelaxed);
                untold_.store(period, kRelaxed);
        }
        void end_untold(Mark& mark) {
                mark.untold = 0;
                if (untold_by_.load(std::memory_order_relaxed) == &mark)
                        untold_.store(kNever, std::memory_order_relaxed);
        }
        [[nodiscard]] bool is_first(const Mark& mark) {
                const Mark* first = first_.load(std::memory_order_relaxed);
                return first == &mark ||
                       (first == nullptr &&
                        first_.compare_exchange_strong(first, &mark, std::memory_order_relaxed));
        }
        void count_other(int n) {
                has_others_.store(true, std::memory_order_relaxed);
                others_.fetch_add(n, std::memory_order_relaxed);
        }

        std::atomic<const Mark*> first_{nullptr};
        std::atomic<bool> first_is_in_{false};
        std::atomic<bool> has_others_{false};
        std::atomic<int> others_{0};
        std::atomic<std::uint64_t> untold_{kNever};    // when the last one began
        std::atomic<const Mark*> untold_by_{nullptr};  // whose they are of late
        Mark several_;
};

}  // namespace threadcount
