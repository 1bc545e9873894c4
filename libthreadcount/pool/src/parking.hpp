// SPDX-License-Identifier: MIT
//
// The lanes that sleep, look for work, and are woken: no task waits while a lane sleeps that could
// run it.
#pragma once

#include <threadcount/pool/detail/machine.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace threadcount::pool {

/// The protocol. All that is marked [S] is sequentially consistent, and each proof is of the kind
/// "both have written before they read, so one of them sees the other":
///
///   A publisher        publishes work in a queue [S], then reads the idle set and the active one
///                      [S]. Each lane will look into the queues before it sleeps if none is in
///                      both. Otherwise the publisher reads searching [S]. A lane that searches
///                      will find the work, or look once more when it stops searching. Without such
///                      a lane the publisher takes one out of the idle set, and wakes this one.
///   A lane that parks  enters the idle set [S], stops searching [S], then looks into the queues
///                      [S]. It takes itself out again if there is work, and searches if it did so
///                      before. Somebody is waking it if it is not in the set any more.
///   A lane that finds  stops searching [S]. The last one looks into the queues [S], and wakes the
///                      next one if there is more: since it has searched, others did not.
///   A change of the    is written [S]. Its author then looks into the queues [S], and wakes a lane
///   active set         if there is work. A publisher reads the active set [S] after publishing.
///   A late lane        searches, but does not get its CPU, whether it was just woken or looks for
///                      work. The thread that finds it takes it out of those that search [S], and
///                      goes on as if it had published work. Nobody therefore relies on a lane that
///                      may come late. The lane looks into the queues when it comes. It looks once
///                      more when it takes a task, for those that relied on it before. A lane that
///                      is known to be late is woken so from the start. A publisher that finds no
///                      lane whose word says so wakes one, whatever searching is: a thread may
///                      have lost its CPU between the two.
///
/// The waker takes the lane out of the idle set, and every lane has a word of its own to sleep on.
/// No wake is therefore given to two lanes, and none is lost on a lane that is already running. At
/// most one lane begins to search by itself; a woken one searches on behalf of its waker.
///
/// MT-Safe, but park() and what says so belong to the lane's thread.
template <class Platform = Machine>
class Parking {
        template <class T>
        using Atomic = typename Platform::template Atomic<T>;
        static constexpr std::size_t kWordBits = 64;

public:
        static constexpr auto kNobody = static_cast<std::size_t>(-1);

        /// All lanes are idle and not active.
        explicit Parking(std::size_t lanes)
                : lanes_(lanes), words_((lanes + kWordBits - 1) / kWordBits),
                  idle_(std::make_unique<Word[]>(words_)),
                  active_(std::make_unique<Word[]>(words_)), beds_(std::make_unique<Bed[]>(lanes)) {
                for (std::size_t lane = 0; lane < lanes; lane++) {
                        set(idle_, lane);
                        // The first lane counts as the one that has become idle last.
                        beds_[lane].since.store(lanes - lane, std::memory_order_relaxed);
                        beds_[lane].word.store(kParked, std::memory_order_relaxed);
                }
                clock_.store(lanes, std::memory_order_relaxed);
        }

        [[nodiscard]] std::size_t lanes() const { return lanes_; }
        /// The number of words in a set of lanes.
        [[nodiscard]] std::size_t words() const { return words_; }

        [[nodiscard]] bool is_active(std::size_t lane) const {
                return (active_[lane / kWordBits].bits.load(std::memory_order_relaxed) &
                        bit(lane)) != 0;
        }
        /// The same, for a thread that has published work for this lane before.
        [[nodiscard]] bool is_active_now(std::size_t lane) const { return has(active_, lane); }
        [[nodiscard]] bool is_idle(std::size_t lane) const { return has(idle_, lane); }
        /// True: there was an instant during the call at which all lanes were idle and there was no
        /// work. The caller's `is_empty()` tells whether there is any, and others than lanes only
        /// add to it.
        template <class Empty>
        [[nodiscard]] bool all_idle(const Empty& is_empty) const {
                // Lanes are seen one by one: a task could be handed on to one that was seen idle
                // by one that is seen idle then. A lane that has run one since has parked again.
                const auto parkings = clock_.load(std::memory_order_seq_cst);
                return all_in_idle_set() && is_empty() && all_in_idle_set() &&
                       clock_.load(std::memory_order_seq_cst) == parkings;
        }

        /// One bit per lane. Afterwards the caller has to look whether there is work, and to wake
        /// one if so.
        void set_active(std::span<const std::uint64_t> words) {
                // First what is new, so that the set is never empty.
                for (std::size_t w = 0; w < words_; w++)
                        active_[w].bits.fetch_or(words[w], std::memory_order_seq_cst);
                for (std::size_t w = 0; w < words_; w++)
                        active_[w].bits.store(words[w], std::memory_order_seq_cst);
        }

        /// The number of active lanes.
        [[nodiscard]] std::size_t active() const {
                std::size_t sum = 0;
                for (std::size_t w = 0; w < words_; w++)
                        sum += static_cast<std::size_t>(
                                std::popcount(active_[w].bits.load(std::memory_order_relaxed)));
                return sum;
        }
        void activate(std::size_t lane) { set(active_, lane); }
        void deactivate(std::size_t lane) {
                active_[lane / kWordBits].bits.fetch_and(~bit(lane), std::memory_order_seq_cst);
        }

        /// Does a lane other than `except` search? The latter may be the one that searches, if it
        /// is awake.
        [[nodiscard]] bool somebody_searches(std::size_t except = kNobody) const {
                const auto searching = searching_.load(std::memory_order_seq_cst);
                return searching > (except != kNobody && !is_idle(except) ? 1U : 0U);
        }

        /// Is any lane idle and active? `except` (kNobody: none) does not count.
        [[nodiscard]] bool anybody_idle(std::size_t except = kNobody) const {
                for (std::size_t w = 0; w < words_; w++)
                        if (candidates(w, except) != 0)
                                return true;
                return false;
        }

        /// Takes the best active lane but `except` out of the idle set, to be woken. Lane a is
        /// better than lane b if `is_better(a, b)`. Returns -1 if none is idle and active. Nothing
        /// is allocated; costs some ns per idle lane.
        template <class Better>
        [[nodiscard]] int claim_best(const Better& is_better, std::size_t except = kNobody) {
                for (;;) {
                        int best = -1;
                        for (std::size_t w = 0; w < words_; w++) {
                                for (auto bits = candidates(w, except); bits != 0;
                                     bits &= bits - 1) {
                                        const auto lane = static_cast<int>(w * kWordBits) +
                                                          std::countr_zero(bits);
                                        if (best < 0 || is_better(lane, best))
                                                best = lane;
                                }
                        }
                        if (best < 0 || claim(static_cast<std::size_t>(best)))
                                return best;
                }
        }

        /// Takes this lane out of the idle set; false: it was not in there. A caller that gets true
        /// wakes it.
        [[nodiscard]] bool claim(std::size_t lane) {
                return (idle_[lane / kWordBits].bits.fetch_and(~bit(lane),
                                                               std::memory_order_seq_cst) &
                        bit(lane)) != 0;
        }

        /// Puts a lane that the caller has claimed back, since it cannot be woken.
        void unclaim(std::size_t lane) { set(idle_, lane); }

        /// May others rely on a lane that is woken?
        enum class Counts { Yes, No };

        /// Wakes a lane that the caller has claimed; if it counts it searches from now on. True: it
        /// slept, and the kernel was asked to wake it (some 7 us).
        bool wake(std::size_t lane, Counts counts = Counts::Yes) {
                if (counts == Counts::Yes)
                        searching_.fetch_add(1, std::memory_order_seq_cst);
                auto& word = beds_[lane].word;
                const bool sleeps = word.exchange(counts == Counts::Yes ? kCounted : kUncounted,
                                                  std::memory_order_seq_cst) == kAsleep;
                if (sleeps)
                        Platform::wake_one(word);
                return sleeps;
        }

        /// By a lane that was woken, or by the caller that could not create its thread: does it
        /// search?
        [[nodiscard]] bool begin(std::size_t lane) {
                auto& word = beds_[lane].word;
                auto counted = kCounted;
                if (word.compare_exchange_strong(counted, kSearching, std::memory_order_seq_cst))
                        return true;
                word.store(kAwake, std::memory_order_relaxed);
                return false;
        }

        /// Does it count as searching? A snapshot, of after the caller's publication [S].
        [[nodiscard]] bool searches(std::size_t lane) const {
                const auto word = beds_[lane].word.load(std::memory_order_seq_cst);
                return word == kCounted || word == kSearching;
        }
        /// Does any lane but `except`? If not, the number that somebody_searches() goes by is that
        /// of a thread which has lost its CPU while it changed both.
        [[nodiscard]] bool any_searches(std::size_t except = kNobody) const {
                for (std::size_t lane = 0; lane < lanes_; lane++)
                        if (lane != except && searches(lane))
                                return true;
                return false;
        }
        /// It does not count any more, and the caller has to see that others do its work. False: it
        /// does not count.
        [[nodiscard]] bool give_up_on(std::size_t lane) {
                auto& word = beds_[lane].word;
                auto counted = kCounted;
                auto searching = kSearching;
                if (!word.compare_exchange_strong(counted, kUncounted, std::memory_order_seq_cst) &&
                    !word.compare_exchange_strong(searching, kAwake, std::memory_order_seq_cst))
                        return false;
                searching_.fetch_sub(1, std::memory_order_seq_cst);
                return true;
        }

        /// A lane that has no work may spin if nobody else does.
        [[nodiscard]] bool try_search(std::size_t lane) {
                std::uint32_t nobody = 0;
                if (searching_.load(std::memory_order_relaxed) != 0 ||
                    !searching_.compare_exchange_strong(nobody, 1, std::memory_order_seq_cst))
                        return false;
                beds_[lane].word.store(kSearching, std::memory_order_release);
                return true;
        }

        /// By a lane that searches. True: it was the last one, or others have given up on it, and
        /// it has to look whether there is (more) work.
        [[nodiscard]] bool stop_searching(std::size_t lane) {
                auto searching = kSearching;
                return !beds_[lane].word.compare_exchange_strong(searching, kAwake,
                                                                 std::memory_order_seq_cst) ||
                       searching_.fetch_sub(1, std::memory_order_seq_cst) == 1;
        }

        /// The moment at which the lane became idle last, as a number that grows. For idle lanes
        /// only.
        [[nodiscard]] std::uint64_t idle_since(std::size_t lane) const {
                return beds_[lane].since.load(std::memory_order_relaxed);
        }

        enum class Parked {
                NotAtAll,  ///< there is work; the lane searches if it has searched before
                Briefly,   ///< it was woken before it slept
                Asleep,    ///< it was woken by the kernel
        };

        /// The calling lane sleeps until it is claimed and woken, or not at all if
        /// `is_work_there()`. This is asked after the lane has entered the idle set. `searches`: it
        /// has searched so far, and afterwards whether it does.
        template <class Check>
        Parked park(std::size_t lane, bool& searches, const Check& is_work_there) {
                auto& bed = beds_[lane];
                const bool counts =
                        bed.word.exchange(kParked, std::memory_order_seq_cst) == kSearching;
                bed.since.store(clock_.fetch_add(1, std::memory_order_seq_cst) + 1,
                                std::memory_order_relaxed);
                set(idle_, lane);
                if (counts)
                        searching_.fetch_sub(1, std::memory_order_seq_cst);
                if (is_work_there() && claim(lane)) {
                        // Others have relied on it: as long as it searches it will look for more.
                        if (searches)
                                searching_.fetch_add(1, std::memory_order_seq_cst);
                        bed.word.store(searches ? kSearching : kAwake, std::memory_order_release);
                        return Parked::NotAtAll;
                }
                auto parked = kParked;
                const bool sleeps = bed.word.compare_exchange_strong(parked, kAsleep,
                                                                     std::memory_order_acquire);
                while (bed.word.load(std::memory_order_acquire) == kAsleep)
                        Platform::wait(bed.word, kAsleep);
                searches = begin(lane);
                return sleeps ? Parked::Asleep : Parked::Briefly;
        }

private:
        static constexpr std::uint32_t kAwake = 0;
        static constexpr std::uint32_t kParked = 1;  // in the idle set, or just claimed
        static constexpr std::uint32_t kAsleep = 2;  // the same, and the kernel must wake it
        // Woken, but it has not begun yet.
        static constexpr std::uint32_t kCounted = 3;
        static constexpr std::uint32_t kUncounted = 4;
        static constexpr std::uint32_t kSearching = 5;  // awake, and counts

        // Each task reads the active set, and each lane that parks writes the idle one.
        struct alignas(kApart) Word {
                Atomic<std::uint64_t> bits{0};
        };
        struct alignas(kApart) Bed {
                Atomic<std::uint32_t> word{kAwake};
                Atomic<std::uint64_t> since{0};
        };

        /// The lanes of word `w` that are idle, active, and not `except`.
        [[nodiscard]] std::uint64_t candidates(std::size_t w, std::size_t except) const {
                auto bits = idle_[w].bits.load(std::memory_order_seq_cst);
                if (bits != 0)
                        bits &= active_[w].bits.load(std::memory_order_seq_cst);
                return except / kWordBits == w ? bits & ~bit(except) : bits;
        }
        [[nodiscard]] bool all_in_idle_set() const {
                for (std::size_t lane = 0; lane < lanes_; lane++)
                        if (!is_idle(lane))
                                return false;
                return true;
        }

        static std::uint64_t bit(std::size_t lane) { return std::uint64_t{1} << lane % kWordBits; }
        static bool has(const std::unique_ptr<Word[]>& words, std::size_t lane) {
                return (words[lane / kWordBits].bits.load(std::memory_order_seq_cst) & bit(lane)) !=
                       0;
        }
        static void set(const std::unique_ptr<Word[]>& words, std::size_t lane) {
                words[lane / kWordBits].bits.fetch_or(bit(lane), std::memory_order_seq_cst);
        }

        const std::size_t lanes_;
        const std::size_t words_;
        const std::unique_ptr<Word[]> idle_;
        const std::unique_ptr<Word[]> active_;
        const std::unique_ptr<Bed[]> beds_;
        alignas(kApart) Atomic<std::uint64_t> clock_{0};  // counts how often lanes have parked
        // Every thread that has work reads it.
        alignas(kApart) Atomic<std::uint32_t> searching_{0};
};

}  // namespace threadcount::pool
