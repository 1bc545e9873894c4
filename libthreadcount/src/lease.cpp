// SPDX-License-Identifier: MIT
// From hello to the end of the governor.
#include "lease.hpp"

#include "clock.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <unistd.h>

namespace threadcount {

namespace {

/// A heartbeat that has not changed for so long is none.
constexpr std::uint64_t kStale_ms = 2000;
constexpr std::uint64_t kMostPause = 64;
/// A region waits so long for a connection over TCP, as Polling does.
constexpr std::uint64_t kConnect_ns = 5'000'000;

/// The progress of the process that was last reported. Relaxed: at worst the governor sees numbers
/// of two reports.
struct Progress {
        std::atomic<std::uint64_t> done{0};
        std::atomic<std::uint64_t> total{0};
};
constinit Progress progress;

}  // namespace

/// After a heartbeat the clock is read at the next region, and then after pauses of 2, 4, 8, ...
/// regions, kMostPause at most, until the next heartbeat. A program that begins many regions does
/// not pay for it, and one that begins few finds out.
bool Lease::is_alive() {
        constexpr auto kRelaxed = std::memory_order_relaxed;
        const auto heartbeat = arena_.heartbeat();
        // Acquire and release: a thread that sees another one's heartbeat also sees its time, and
        // does not take it for an old one.
        const bool is_new = heartbeat != heartbeat_.load(std::memory_order_acquire);
        const auto now_ms = coarse_now_ms();
        if (is_new) {
                unchanged_ms_.store(now_ms, kRelaxed);
                heartbeat_.store(heartbeat, std::memory_order_release);
                tell_progress();
        }
        const auto pause = is_new ? 1 : std::min(2 * pause_.load(kRelaxed), kMostPause);
        pause_.store(pause, kRelaxed);
        look_at_.store(arena_.regions() + pause, kRelaxed);
        return now_ms < unchanged_ms_.load(kRelaxed) + kStale_ms;
}

void Lease::report_progress(std::uint64_t done, std::uint64_t total) {
        progress.done.store(done, std::memory_order_relaxed);
        progress.total.store(total, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);  // see tell_progress()
        arena_.report_progress(done, total);
}

/// Of another thread that reports meanwhile either the stores come last, or what they are is seen
/// here: the progress does not go back. Nothing is written where nothing is new. Nor is it where
/// the process has said nothing: another copy of the library in it may have.
void Lease::tell_progress() {
        constexpr auto kRelaxed = std::memory_order_relaxed;
        std::uint64_t done = 0;
        std::uint64_t total = 0;
        do {
                done = progress.done.load(kRelaxed);
                total = progress.total.load(kRelaxed);
                if (total == 0 || arena_.has_reported(done, total))
                        return;
                arena_.report_progress(done, total);
                std::atomic_thread_fence(std::memory_order_seq_cst);
        } while (progress.done.load(kRelaxed) != done || progress.total.load(kRelaxed) != total);
}

void Lease::forget_progress() {
        progress.done.store(0, std::memory_order_relaxed);
        progress.total.store(0, std::memory_order_relaxed);
}

std::uint32_t Lease::granted(bool would_wait, std::uint32_t team) {
        constexpr auto kRelaxed = std::memory_order_relaxed;
        const auto word = arena_.load();
        const bool has_beaten = arena_.heartbeat() != heartbeat_.load(kRelaxed);
        if (!is_granted(word) || !is_alive())
                return 0;
        const bool is_turn = !is_parked(word);
        if (is_turn)
                has_waited_.store(false, kRelaxed);
        else if (would_wait && wishes_.can_wait && !has_waited_.load(kRelaxed))
                return kParked;
        if (word != at_once_.load(kRelaxed))
                (void)arena_.count_region();  // the hot path has counted the others
        auto threads = limited(governor_word_threads(word));
        if (wishes_.start_only)
                threads = first_of(threads);
        const bool is_bound =
                binding_ == nullptr || binding_->follow(arena_, word, threads, has_beaten);
        if (is_turn && is_bound && !wishes_.start_only)
                at_once_.store(word, kRelaxed);
        arena_.report(governor_word_epoch(word), team != 0 ? team : threads, true);
        return threads;
}

std::uint32_t Lease::first_of(std::uint32_t threads) {
        std::uint32_t first = 0;
        return first_.compare_exchange_strong(first, threads, std::memory_order_relaxed) ? threads
                                                                                         : first;
}

std::uint64_t Lease::run(std::uint64_t now_ms, std::uint64_t deadline_ns) {
        if (binding_ != nullptr && now_ms >= release_ms_)
                binding_->release();
        if (state_ == State::Held) {
                // Somebody found it stale or released, or nothing has been granted yet.
                const auto word = arena_.load();
                // Another thread has taken the next lease meanwhile.
                if (is_granted(word) && is_alive() && !transport_.is_hung_up())
                        return now_ms + kLookAgain_ms;
                const bool is_undecided_now =
                        is_undecided(word) && transport_.connected() && is_alive();
                if (is_undecided_now && now_ms < decided_by_ms_)
                        return now_ms + kLookAgain_ms;
                lose(now_ms);
                if (is_undecided_now)
                        return fail(-EPROTO, now_ms);
        }
        if (state_ == State::Waiting)
                return look(now_ms, deadline_ns);
        const auto connected_by_ns = deadline_ns != 0 ? deadline_ns : now_ns() + kConnect_ns;
        if (const int result = transport_.connect(addresses_, connected_by_ns); result < 0)
                return fail(result, now_ms);
        const auto wishes = wishes_now();
        told_.store(packed(wishes), std::memory_order_relaxed);
        if (const int result = transport_.send(wishes, holds_); result < 0)
                return fail(result, now_ms);
        state_ = State::Waiting;
        said_hello_ms_ = now_ms;
        count_.asked(now_ms);
        return look(now_ms, deadline_ns);
}

Wishes Lease::wishes_now() const {
        auto wishes = wishes_;
        const auto wished = wished_.load(std::memory_order_relaxed);
        wishes.max = wished & kMax;
        wishes.keeps = (wished & kKeeps) != 0;
        wishes.sleeps = (wished & kSleeps) != 0;
        return wishes;
}

void Lease::tell() {
        const auto heartbeat = arena_.heartbeat();
        if (state_ == State::Waiting || (state_ == State::Held && heartbeat == told_at_))
                return;
        told_at_ = heartbeat;
        const auto wishes = wishes_now();
        told_.store(packed(wishes), std::memory_order_relaxed);
        if (state_ != State::Held || !transport_.connected())
                return;
        // Former answers; but what tells of the program's turn is for those that wait for it.
        if (!is_parked(arena_.load()))
                transport_.drop_some();
        (void)transport_.update(wishes);
}

bool Lease::try_again(std::uint64_t now_ms) {
        if (now_ms - said_hello_ms_ < kReconnect_ms)
                return false;
        state_ = State::None;
        error_ = 0;
        return true;
}

std::uint64_t Lease::look(std::uint64_t now_ms, std::uint64_t deadline_ns) {
        Welcome welcome;
        const int result =
                transport_.connected() ? transport_.receive(deadline_ns, &welcome) : -ECONNRESET;
        if (result == 0)
                return take(welcome, now_ms, deadline_ns);
        if (result != -EAGAIN)
                return fail(result, now_ms);
        if (now_ms - said_hello_ms_ >= kGiveUp_ms)
                return fail(-ETIMEDOUT, now_ms);
        count_.unanswered(now_ms);
        return now_ms + kLookAgain_ms;
}

/// Two programs that say hello within a millisecond are decided one after the other. A region that
/// was begun in between would have one thread, and a program that is to wait for its turn would be
/// inside of it.
void Lease::await_decision(std::uint64_t deadline_ns) const {
        constexpr timespec kShort{0, 50'000};
        while (is_undecided(arena_.load()) && now_ns() < deadline_ns)
                (void)nanosleep(&kShort, nullptr);
}

std::uint64_t Lease::take(const Welcome& welcome, std::uint64_t now_ms, std::uint64_t deadline_ns) {
        const int result = arena_.attach(welcome.grants, welcome.reports, welcome.slot,
                                         welcome.is_fresh ? Arena::Slot::Fresh : Arena::Slot::Used);
        close(welcome.grants);
        close(welcome.reports);
        if (result < 0)
                return fail(result, now_ms);
        state_ = State::Held;
        error_ = 0;
        release_ms_ = UINT64_MAX;
        decided_by_ms_ = now_ms + kGiveUp_ms;
        heartbeat_.store(arena_.heartbeat() - 1, std::memory_order_relaxed);
        tell_progress();
        await_decision(deadline_ns);
        return now_ms + kLookAgain_ms;
}

std::uint64_t Lease::fail(int why, std::uint64_t now_ms) {
        transport_.hang_up();
        state_ = why == -EOPNOTSUPP ? State::Refused : State::None;
        error_ = why;
        if (state_ != State::Refused)  // its answers are to come
                count_.failed(now_ms);
        else if (binding_ != nullptr)  // it grants nothing
                binding_->release();
        return now_ms + kReconnect_ms;
}

/// The program goes on with what it had, which was one thread if it was parked: all that waited
/// would take all CPUs at once. One that was released is bound no longer, nor is one that was
/// parked, whose CPU was not its own.
void Lease::lose(std::uint64_t now_ms) {
        const auto last = arena_.load();
        CpuMask set;
        std::uint64_t word = 0;
        governor_grant_reason reason;
        const int n = arena_.read_set(set.words, CpuMask::kWords, &word, &reason);
        holds_ = n > 0 && !is_parked(word) ? CpuBytes(set) : CpuBytes();
        const bool is_released =
                is_parked(last) || (governor_word_flags(last) & GOVERNOR_GRANT_RELEASED) != 0;
        if (const auto threads = governor_word_threads(last); threads > 0)
                count_.granted(limited(threads), now_ms);
        at_once_.store(kNotAtOnce, std::memory_order_relaxed);
        has_waited_.store(false, std::memory_order_relaxed);
        arena_.detach();
        transport_.hang_up();
        state_ = State::None;
        if (binding_ == nullptr)
                return;
        binding_->forget();
        release_ms_ = is_released ? now_ms : now_ms + GrownCount::kTimeToLive_ms;
        if (is_released)
                binding_->release();
}

}  // namespace threadcount
