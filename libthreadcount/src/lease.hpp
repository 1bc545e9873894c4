// SPDX-License-Identifier: MIT
//
// Taking part: a hello to the governor, and its grant in shared memory from then on.
#pragma once

#include "arena.hpp"
#include "binding.hpp"
#include "grown_count.hpp"
#include "transport.hpp"

#include <atomic>
#include <cstdint>

namespace threadcount {

/// run() and what is said of errors belong to one thread at a time; granted() is MT-Safe.
class Lease {
public:
        /// All but `wishes` must outlive this. Polling, which asks while this is refused, shares
        /// `transport` and `count`. The lease binds to its grants by `binding`, which has been
        /// entered; nullptr: nobody binds.
        Lease(const Addresses& addresses, const Wishes& wishes, Transport& transport,
              GrownCount& count, Binding* binding = nullptr)
                : addresses_(addresses), wishes_(wishes), transport_(transport), count_(count),
                  binding_(binding), wished_(packed(wishes)), told_(packed(wishes)) {}

        /// The threads that the next region may use, 1 .. max. Reports that the region has begun,
        /// with a team of so many threads, or of `team` where that is not 0. Returns 0 where
        /// nothing is granted, or the governor does not seem to live; then run() is to be called. A
        /// caller that `would_wait` gets kParked while it is not this program's turn, and nothing
        /// is reported, unless stop_waiting() was called.
        static constexpr std::uint32_t kParked = UINT32_MAX;
        [[nodiscard]] std::uint32_t granted(bool would_wait = false, std::uint32_t team = 0);

        /// A governor that may have gone meanwhile has said that it is not this program's turn, and
        /// governs it still; and nobody has said stop_waiting(). MT-Safe.
        [[nodiscard]] bool makes_wait() const {
                const auto word = arena_.load();
                return is_granted(word) && is_parked(word) &&
                       !has_waited_.load(std::memory_order_relaxed);
        }
        /// The program has waited for long enough: granted() answers what the grant says, although
        /// it is parked, until its turn has come once, or another governor. MT-Safe.
        void stop_waiting() { has_waited_.store(true, std::memory_order_relaxed); }
        /// It is outside of regions, and waits for its turn. MT-Safe.
        void report_parked() {
                const auto word = arena_.load();
                arena_.report_waiting(governor_word_epoch(word),
                                      limited(governor_word_threads(word)));
        }
        /// The governor has gone, or hangs: run() is to be called. False if nothing was granted.
        [[nodiscard]] bool is_gone() {
                return state_ == State::Held && (transport_.is_hung_up() || !is_alive());
        }
        /// The socket that becomes readable when a parked program may be parked no more. Forgets
        /// what has come there so far.
        [[nodiscard]] int await_turn() {
                transport_.drop_some();
                return transport_.fd();
        }

        /// The hot path: the same where it needs no call and no clock; else 0.
        [[nodiscard, gnu::always_inline]] std::uint32_t granted_at_once(std::uint32_t team) {
                constexpr auto kRelaxed = std::memory_order_relaxed;
                const auto word = arena_.load();
                if (word != at_once_.load(kRelaxed))
                        return 0;
                const auto regions = arena_.count_region();
                if (arena_.heartbeat() != heartbeat_.load(kRelaxed) ||
                    regions >= look_at_.load(kRelaxed))
                        return 0;
                const auto threads = limited(governor_word_threads(word));
                arena_.report(governor_word_epoch(word), team != 0 ? team : threads, true);
                return threads;
        }

        /// `count` regions of so many threads that granted() was asked for have ended, and took so
        /// long together. MT-Safe.
        void took(std::uint32_t team, std::uint64_t ns, std::uint32_t count) {
                arena_.add_region_time(team, ns, count);
        }

        /// By the grant that was reported last. MT-Safe.
        void report(std::uint32_t team, bool in_region) { arena_.report_again(team, in_region); }

        /// Does what Arena::report_progress() does. The progress is the process's: every lease that
        /// is asked tells it, also to the governors that come later. MT-Safe.
        void report_progress(std::uint64_t done, std::uint64_t total);
        /// A forked child has made none.
        static void forget_progress();

        /// Sums over the pools of the process. MT-Safe.
        void report_pool(const std::uint64_t (&sums)[Arena::kPoolNumbers]) {
                arena_.report_pool(sums);
        }

        /// The most that the program wants from now on, 1 .. kMostThreads; answers stay below the
        /// maximum of its beginning. tell() says so, or the next hello does. MT-Safe.
        void wish(std::uint32_t max) {
                auto wished = wished_.load(std::memory_order_relaxed);
                while (!wished_.compare_exchange_weak(wished, max | (wished & ~kMax),
                                                      std::memory_order_relaxed)) {
                }
        }
        [[nodiscard]] std::uint32_t wished() const {
                return wished_.load(std::memory_order_relaxed) & kMax;
        }
        /// The program's teams are its own from now on. As wish().
        void keep() { wished_.fetch_or(kKeeps, std::memory_order_relaxed); }
        [[nodiscard]] bool keeps() const {
                return (wished_.load(std::memory_order_relaxed) & kKeeps) != 0;
        }
        /// Threads of its teams that wait for others sleep where it is crowded, from now on, or
        /// spin. As wish().
        void sleep() { wished_.fetch_or(kSleeps, std::memory_order_relaxed); }
        void spin() { wished_.fetch_and(~kSleeps, std::memory_order_relaxed); }
        /// tell() is to be called. MT-Safe.
        [[nodiscard]] bool has_to_tell() const {
                return wished_.load(std::memory_order_relaxed) !=
                       told_.load(std::memory_order_relaxed);
        }
        /// Once in a heartbeat at most, and not before the welcome. Does not block.
        void tell();

        /// Connects, says hello, looks for the welcome; waits for that and the first grant until
        /// `deadline_ns`, 0: not at all, but 5 ms for a connection over TCP. Looks for another
        /// governor where the last one has gone. Returns when to call it again, in milliseconds of
        /// the same clock.
        [[nodiscard]] std::uint64_t run(std::uint64_t now_ms, std::uint64_t deadline_ns);

        /// Ends it, even if another process has the socket by now. Not in a forked child: it is its
        /// parent's.
        void end() { transport_.hang_up(); }

        /// The governor grants nothing, but answers questions: see Polling.
        [[nodiscard]] bool is_refused() const { return state_ == State::Refused; }
        /// There are leases now: run() says hello again. False: the last hello was within this
        /// second, and it stays refused.
        [[nodiscard]] bool try_again(std::uint64_t now_ms);

        /// The threads that it was granted last by a governor that may have gone meanwhile. 0:
        /// nothing, or it was noticed that the governor has gone. MT-Safe.
        [[nodiscard]] std::uint32_t granted_last() const {
                const auto threads = governor_word_threads(arena_.load());
                return threads > 0 ? usable(threads) : 0;
        }

        /// Other teams run beside the program's. MT-Safe.
        [[nodiscard]] bool is_crowded() const {
                return (governor_word_flags(arena_.load()) & GOVERNOR_GRANT_CROWDED) != 0;
        }

        /// The part of a grant of so many threads that the program uses.
        [[nodiscard]] std::uint32_t usable(std::uint32_t granted) const {
                const auto kept = first();
                return kept != 0 ? kept : limited(granted);
        }
        /// The grant that a program keeps which only asks at its start. 0: there was none yet, or
        /// the program follows its grants. MT-Safe.
        [[nodiscard]] std::uint32_t first() const { return first_.load(std::memory_order_relaxed); }

        /// 0, or a negative errno: why nothing is granted.
        [[nodiscard]] int error() const { return error_; }
        [[nodiscard]] const Arena& arena() const { return arena_; }

private:
        enum class State : std::uint8_t { None, Waiting, Held, Refused };

        // Beside a maximum.
        static constexpr std::uint32_t kKeeps = std::uint32_t{1} << 31;
        static constexpr std::uint32_t kSleeps = std::uint32_t{1} << 30;
        static constexpr std::uint32_t kMax = kSleeps - 1;
        [[nodiscard]] static std::uint32_t packed(const Wishes& wishes) {
                return wishes.max | (wishes.keeps ? kKeeps : 0) | (wishes.sleeps ? kSleeps : 0);
        }

        [[nodiscard]] static bool is_granted(std::uint64_t word) {
                return governor_word_threads(word) != 0 &&
                       (governor_word_flags(word) & GOVERNOR_GRANT_RELEASED) == 0;
        }

        /// The governor has not granted anything yet.
        [[nodiscard]] static bool is_undecided(std::uint64_t word) {
                return governor_word_threads(word) == 0 &&
                       (governor_word_flags(word) & GOVERNOR_GRANT_RELEASED) == 0;
        }

        [[nodiscard]] static bool is_parked(std::uint64_t word) {
                return (governor_word_flags(word) & GOVERNOR_GRANT_PARKED) != 0;
        }

        [[nodiscard]] std::uint32_t limited(std::uint32_t threads) const {
                return threads < wishes_.max && !wishes_.keeps ? threads : wishes_.max;
        }
        [[nodiscard]] bool is_alive();
        void tell_progress();
        [[nodiscard]] std::uint32_t first_of(std::uint32_t threads);
        [[nodiscard]] std::uint64_t look(std::uint64_t now_ms, std::uint64_t deadline_ns);
        [[nodiscard]] std::uint64_t take(const Welcome& welcome, std::uint64_t now_ms,
                                         std::uint64_t deadline_ns);
        void await_decision(std::uint64_t deadline_ns) const;
        [[nodiscard]] Wishes wishes_now() const;
        [[nodiscard]] std::uint64_t fail(int why, std::uint64_t now_ms);
        void lose(std::uint64_t now_ms);

        const Addresses& addresses_;
        const Wishes wishes_;
        State state_ = State::None;
        Transport& transport_;
        Arena arena_;
        GrownCount& count_;  // after a governor that has gone: its last grant, and later more
        int error_ = 0;
        std::uint64_t said_hello_ms_ = 0;
        std::uint64_t decided_by_ms_ = 0;  // the first grant is there, or this is no governor
        CpuBytes holds_;                   // the last grant of a governor that has gone
        Binding* binding_;
        std::uint64_t release_ms_ = UINT64_MAX;  // when threads are bound no longer

        std::uint64_t told_at_ = 0;  // the heartbeat of the last tell()

        static constexpr std::uint64_t kNotAtOnce = GOVERNOR_GRANT_RELEASED;  // grants no thread

        // For granted(). Relaxed: at worst a region is late by one.
        std::atomic<std::uint64_t> at_once_{kNotAtOnce};  // the word that granted() has seen to
        std::atomic<bool> has_waited_{false};             // for long enough
        std::atomic<std::uint32_t> first_{0};             // start-only: what it was granted first
        std::atomic<std::uint64_t> heartbeat_{0};         // when it was last seen to change
        std::atomic<std::uint64_t> unchanged_ms_{0};      // since when it has not
        std::atomic<std::uint64_t> look_at_{0};  // the region at which to look at the clock
        std::atomic<std::uint64_t> pause_{1};    // regions until the next look

        // Wishes as packed(). Relaxed: numbers without anything behind them.
        std::atomic<std::uint32_t> wished_;
        std::atomic<std::uint32_t> told_;  // or will be by the next hello
};

}  // namespace threadcount
