// SPDX-License-Identifier: MIT
//
// The program's half of the memory that it shares with the governor: its grant, and what it
// reports. governor/v1/arena.h has the layout and the protocol.
#pragma once

#include "arena_layout.hpp"
#include "reservation.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace threadcount {

/// attach(), detach() and the destructor belong to one thread at a time. All other functions are
/// MT-Safe, also while that thread attaches or detaches. They neither block nor allocate nor make a
/// system call. The object must not go while somebody uses it.
///
/// A forked child inherits the mappings, and may leave them alone. Reading is harmless. Nothing is
/// unmapped before the child destroys its copy of the object, execs or exits. None of these does
/// anything to the parent. But the slot is the parent's: the child must not report, nor go by the
/// grant. This class does not notice a fork; its owner does (fork_generation.hpp).
class Arena {
public:
        Arena();
        ~Arena() = default;
        Arena(const Arena&) = delete;
        Arena& operator=(const Arena&) = delete;

        /// Maps what the governor sent, in the place of what was attached before. The descriptors
        /// stay the caller's, and are not needed any more. 0, or a negative errno:
        ///   -EPROTO  not a pair of memfds with the seals, the header or the slot that arena.h
        ///            asks for; what was attached stays.
        ///   others   of mmap(); nothing is attached any more.
        /// A fresh slot is cleared of what another process has reported there.
        enum class Slot : std::uint8_t { Used, Fresh };
        [[nodiscard]] int attach(int grants, int reports, std::uint32_t slot,
                                 Slot state = Slot::Used);

        /// Nothing is granted, reports go nowhere.
        void detach();

        /// The word of the grant; one of 0 while nothing is attached. It can be read as long as
        /// this object lives, but means something until the next attach() only. It is for callers
        /// that know that there is none; all others take load().
        [[nodiscard]] const std::atomic<std::uint64_t>* word() const {
                return word_.load(std::memory_order_acquire);
        }

        /// The word of now: 0 while nothing is attached, or is just being attached.
        /// governor_word_...() take it apart.
        [[nodiscard]] std::uint64_t load() const {
                for (;;) {
                        const auto generation = generation_.load(std::memory_order_acquire);
                        if (generation % 2 != 0)
                                return 0;
                        const auto value = word()->load(std::memory_order_acquire);
                        if (generation_.load(std::memory_order_relaxed) == generation)
                                return value;
                }
        }

        /// The whole of one grant. Writes at most `n` words of its set, and 0 to those of `words`
        /// that it does not have; 0 words is fine. Returns how many the governor has, -EAGAIN if
        /// the grant changed four times meanwhile, or -ENOTCONN; then `words` holds nonsense and
        /// the others are not written.
        [[nodiscard]] int read_set(std::uint64_t* words, std::size_t n, std::uint64_t* ret_word,
                                   governor_grant_reason* ret_reason) const;

        /// 0 while nothing is attached.
        [[nodiscard]] std::uint64_t heartbeat() const {
                return heartbeat_.load(std::memory_order_acquire)->load(std::memory_order_relaxed);
        }

        /// The region that goes by grant `epoch` with a team of `team` threads (capped at
        /// GOVERNOR_WORD_THREADS_MAX) has begun, or is over.
        void report(std::uint32_t epoch, std::uint32_t team, bool in_region) {
                report_as(epoch, team, in_region ? GOVERNOR_REPORT_IN_REGION : 0);
        }

        /// It is outside of regions, and waits in front of one. As report().
        void report_waiting(std::uint32_t epoch, std::uint32_t team) {
                report_as(epoch, team, GOVERNOR_REPORT_WAITS);
        }

        [[nodiscard]] std::uint64_t regions() const {
                return reported(offsetof(governor_report_slot, regions))
                        .load(std::memory_order_relaxed);
        }

        /// One more outermost region begins; to be called before report(). Regions that several
        /// threads begin at the same moment may count as one. The governor only looks whether there
        /// are more, and a locked instruction would cost more than all the rest. Returns how many
        /// there were, which others of its user can falsify.
        std::uint64_t count_region() { return add(offsetof(governor_report_slot, regions), 1); }

        /// Does what report() does, by the grant that was reported last.
        void report_again(std::uint32_t team, bool in_region) {
                const auto& word = reported(offsetof(governor_report_slot, word));
                report(governor_word_epoch(word.load(std::memory_order_relaxed)), team, in_region);
        }

        /// A region of `team` threads, >= 1, has taken so long. One may be lost if several threads
        /// end theirs at the same moment, for the reason above.
        void add_region_time(std::uint32_t team, std::uint64_t ns, std::uint32_t count = 1) {
                using Entry = governor_report_slot::governor_region_time;
                constexpr auto kLast =
                        std::extent_v<decltype(governor_report_slot::region_time)> - 1;
                const auto magnitude = static_cast<std::size_t>(std::bit_width(team)) - 1;
                const auto entry = offsetof(governor_report_slot, region_time) +
                                   std::min(magnitude, kLast) * sizeof(Entry);
                (void)add(entry + offsetof(Entry, count), count);
                (void)add(entry + offsetof(Entry, total_ns), ns);
        }

        /// Reports how much of the program's work is done; `done` <= `total`, 0: it does not say.
        void report_progress(std::uint64_t done, std::uint64_t total) {
                reported(offsetof(governor_report_slot, progress_done))
                        .store(done, std::memory_order_relaxed);
                reported(offsetof(governor_report_slot, progress_total))
                        .store(total, std::memory_order_relaxed);
        }

        /// That is what it reports now. Others of its user can falsify it.
        [[nodiscard]] bool has_reported(std::uint64_t done, std::uint64_t total) const {
                return reported(offsetof(governor_report_slot, progress_done))
                                       .load(std::memory_order_relaxed) == done &&
                       reported(offsetof(governor_report_slot, progress_total))
                                       .load(std::memory_order_relaxed) == total;
        }

        /// The sums over all pools of the process, in the order of governor_pool_report. They go
        /// nowhere if the governor has no room for them.
        static constexpr std::size_t kPoolNumbers = 6;
        void report_pool(const std::uint64_t (&sums)[kPoolNumbers]) {
                auto* numbers = pool_.load(std::memory_order_acquire);
                for (std::size_t i = 0; i < kPoolNumbers; i++)
                        numbers[i].store(sums[i], std::memory_order_relaxed);
        }

private:
        /// The place of one slot: an ArenaLayout with atomics. Valid as a whole if generation_ is
        /// the same even number before and after reading it.
        struct View {
                std::atomic<const std::byte*> grants{nullptr};
                std::atomic<std::uint64_t> word{0};
                std::atomic<std::uint64_t> reasons[2] = {};
                std::atomic<std::uint64_t> sets[2] = {};
                std::atomic<std::uint64_t> set_words{0};
        };

        struct Grant {
                std::uint64_t word;
                governor_grant_reason reason;
        };

        [[nodiscard]] std::atomic<std::uint64_t>* nowhere_for_pool();
        void begin_change();
        void end_change(const ArenaLayout* layout);
        void report_as(std::uint32_t epoch, std::uint32_t team, std::uint32_t flags) {
                const auto most =
                        team < GOVERNOR_WORD_THREADS_MAX ? team : GOVERNOR_WORD_THREADS_MAX;
                reported(offsetof(governor_report_slot, word))
                        .store(governor_word(epoch, most, flags), std::memory_order_release);
        }
        void clear_report(const ArenaLayout& layout);
        [[nodiscard]] bool is_still(std::uint32_t generation) const;
        [[nodiscard]] int try_read(std::uint64_t* words, std::size_t n, Grant* ret_grant) const;
        /// A thread that stood still here during an attach() may report in the slot of another
        /// program of its account, once. This is no worse than what the program's user could do
        /// anyway.
        [[nodiscard]] std::atomic<std::uint64_t>& reported(std::size_t offset) const {
                return *reinterpret_cast<std::atomic<std::uint64_t>*>(
                        report_.load(std::memory_order_acquire) + offset);
        }

        /// Returns the sum. Another thread's addition at the same moment may be overwritten.
        std::uint64_t add(std::size_t offset, std::uint64_t n) {
                auto& number = reported(offset);
                const auto sum = number.load(std::memory_order_relaxed) + n;
                number.store(sum, std::memory_order_relaxed);
                return sum;
        }

        alignas(std::uint64_t) std::byte nowhere_[sizeof(governor_report_slot)] = {};
        // Never nullptr, so that nobody has to ask: without an arena they point to what says
        // nothing, and to what nobody reads.
        std::atomic<const std::atomic<std::uint64_t>*> word_;
        std::atomic<const std::atomic<std::uint64_t>*> heartbeat_;
        std::atomic<std::byte*> report_;
        std::atomic<std::atomic<std::uint64_t>*> pool_;
        std::atomic<std::uint32_t> generation_{0};  // odd: it is being changed
        View view_;
        Reservation grants_{false};
        Reservation reports_{true};
};

}  // namespace threadcount
