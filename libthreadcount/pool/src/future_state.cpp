// SPDX-License-Identifier: MIT
// The common part of futures of all types: waiting, running, and what follows.
#include <threadcount/pool/detail/future_state.hpp>

#include "monotonic.hpp"
#include "scheduler.hpp"
#include "spin_until.hpp"

#include <threadcount/pool.hpp>
#include <threadcount/pool/detail/lane_context.hpp>
#include <threadcount/pool/detail/time.hpp>

#include <stdexcept>
#include <string>

namespace threadcount::pool {

FutureState::FutureState(Pool& pool) noexcept : pool_(pool), scheduler_(pool.scheduler_.get()) {}

namespace {

/// A task that runs inside of another one's wait.
class Nested {
public:
        Nested() {
                if (depth == FutureState::kMostNested)
                        throw std::logic_error(
                                "a task waits for a future inside of " + std::to_string(depth) +
                                " others that do so, which is the most: use then() or "
                                "fork_join(), or wait where there is no task");
                depth++;
        }
        ~Nested() { depth--; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;

private:
        static thread_local int depth;
};

constinit thread_local int Nested::depth = 0;

}  // namespace

void FutureState::wait() {
        if (outcome() != Outcome::None)
                return;
        // A lane of another pool, too: two pools whose tasks wait for each other go on.
        if (is_in_any_task() && !word_.is_claimed()) {
                const Nested nested;
                const bool is_elsewhere = lane_in(scheduler_) == nullptr;
                // A lane of its pool does, which sleeps meanwhile.
                const Visit visit(scheduler_,
                                  is_elsewhere ? Visit::Awaited::Yes : Visit::Awaited::No);
                if (claim(is_elsewhere))
                        return help(is_elsewhere);
        }
        if (!spin_until([this] { return outcome() != Outcome::None; }))
                word_.sleep(nullptr);
}

bool FutureState::wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
        if (outcome() != Outcome::None)
                return true;
        const auto at = as_timespec(deadline);
        return word_.sleep(&at);
}

bool FutureState::wait_for(std::chrono::nanoseconds time) noexcept {
        return wait_until(after(time));
}

// Not by recursion: thousands may follow one another.
void FutureState::help(bool is_elsewhere) noexcept {
        auto* state = this;
        while (auto* const first = state->first()) {
                if (!first->claim(is_elsewhere)) {
                        first->word_.sleep(nullptr);
                        break;
                }
                state = first;
        }
        while (state != nullptr) {
                state = state->publish(state->run(), Word::kNobody);
                // Claimed above; and its future still holds it.
                if (state != nullptr && !is_elsewhere)
                        (void)state->word_.let_go(Word::kEntry);
        }
}

bool FutureState::cancel() noexcept {
        if (!word_.claim())
                return false;
        drop();
        (void)publish(Outcome::Cancelled, Word::kNobody);
        return true;
}

void FutureState::drop_future() noexcept {
        if (word_.let_go(Word::kFuture))
                delete this;
}

void FutureState::run_entry(FutureState* state) noexcept {
        do {
                if (!state->word_.claim())
                        return drop_claimed_entry(state);
                state = state->publish(state->run(), Word::kEntry);
        } while (state != nullptr && !state->try_submit());
}

void FutureState::drop_entry(FutureState* state) noexcept {
        do {
                if (!state->word_.claim())
                        return drop_claimed_entry(state);
                state->drop();
                state = state->publish(Outcome::Cancelled, Word::kEntry);
        } while (state != nullptr);
}

// A lane that sleeps here keeps its pool from being idle, or gone, while one of its tasks runs. It
// is needed no more than if it ran that task itself.
FutureState* FutureState::next_after_elsewhere() noexcept {
        if (!word_.is_elsewhere())
                return nullptr;
        word_.sleep(nullptr);
        return word_.next();
}

void FutureState::wait_elsewhere(FutureState* state) noexcept {
        while (state != nullptr)
                state = state->next_after_elsewhere();
}

void FutureState::drop_claimed_entry(FutureState* state) noexcept {
        while (state != nullptr) {
                auto* const next = state->next_after_elsewhere();
                if (state->word_.let_go(Word::kEntry))
                        delete state;
                state = next;
        }
}

FutureState* FutureState::publish(Outcome outcome, Word::Owner lets_go) noexcept {
        const auto published = word_.publish(outcome, lets_go);
        if (published.is_last)
                delete this;
        return published.next;
}

// Through the queue, so that a lane that has left the mask stops between two. A thread that is no
// lane runs it: a task that was handed back may be run when the pool is gone.
bool FutureState::try_submit() noexcept {
        const auto* lane = lane_in(scheduler_);
        if (lane == nullptr || word_.is_claimed())
                return false;
        FutureEntry entry(*this);
        if (lane->scheduler->push_from(lane->lane, TaskSource(entry)))
                return true;
        entry.release();
        return false;
}

void FutureState::submit() { pool_.submit(FutureEntry(*this)); }

void FutureState::start_after(FutureState& first) {
        if (!first.word_.follow(*this))
                submit();
}

}  // namespace threadcount::pool
