// SPDX-License-Identifier: MIT
// Chooses the thread that runs next. The thread sanitizer does not look at this file: all threads
// are in here.
#include "scheduler.hpp"

#include <stdexcept>
#include <utility>

namespace deterministic {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} * 1024;
constexpr std::uint64_t kMostSteps = 200'000;
// With priorities: how often the running thread loses its own.
constexpr std::uint64_t kStepsPerChange = 40;
constexpr std::uint64_t kStepsPerDisturbance = 50;

}  // namespace

std::uint64_t Dice::next() {  // splitmix64
        state_ += 0x9e3779b97f4a7c15U;
        auto mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
        return mixed ^ mixed >> 31;
}

Scheduler& Scheduler::instance() {
        static Scheduler scheduler;
        return scheduler;
}

void Scheduler::reset(std::uint64_t seed) {
        dice_ = Dice(seed);
        used_ = 0;
        steps_ = 0;
        by_priority_ = dice_.roll(2) == 0;
        disturbs_ = dice_.roll(2) == 0;
        reluctance_ = 1 + dice_.roll(8);
        lowest_ = std::uint64_t{1} << 32;
}

void Scheduler::add(std::function<void()> body) {
        if (used_ == threads_.size())
                threads_.push_back(std::make_unique<Thread>(kStackBytes));
        else if (threads_[used_]->state != State::Ended)  // and never will
                threads_[used_] = std::make_unique<Thread>(kStackBytes);
        auto& thread = *threads_[used_++];
        thread.fiber.set_body(
                [&thread, body = std::move(body)] {
                        body();
                        thread.state = State::Ended;
                },
                main_);
        thread.state = State::Ready;
        thread.last_go = goes_ + 1;
        choose_priority(thread, false);
}

bool Scheduler::go() {
        goes_++;
        Fiber::publish();
        while (auto* next = choose(false)) {
                running_ = next;
                Fiber::switch_to(main_, next->fiber);
                running_ = nullptr;
                if (steps_ > kMostSteps)
                        throw std::runtime_error("the threads do not come to an end");
        }
        Fiber::observe();
        return any([](const Thread& thread) { return thread.state != State::Ended; }) == nullptr;
}

std::uint64_t Scheduler::pick(std::uint64_t sides) { return dice_.roll(sides); }

bool Scheduler::fails_for_no_reason() { return running_ != nullptr && dice_.roll(16) == 0; }

void Scheduler::step() {
        if (running_ == nullptr)
                return;
        switch_away(false);
}

void Scheduler::yield() {
        if (running_ == nullptr)
                return;
        choose_priority(*running_, true);
        switch_away(true);
}

bool Scheduler::sleep(const void* word, bool has_deadline) {
        if (running_ == nullptr)
                return true;
        auto& self = *running_;
        self.state = State::Asleep;
        self.word = word;
        self.has_deadline = has_deadline;
        self.is_over = false;
        Fiber::publish();
        switch_away(true);
        return !self.is_over;
}

void Scheduler::wake(const void* word, int count) {
        const auto waits = [word](const Thread& thread) {
                return thread.state == State::Asleep && thread.word == word;
        };
        for (Thread* thread = nullptr; count > 0 && (thread = any(waits)) != nullptr; count--)
                thread->state = State::Ready;
        if (running_ != nullptr)
                switch_away(false);
}

template <class Is>
Scheduler::Thread* Scheduler::any(const Is& is) {
        const auto start = used_ == 0 ? 0 : dice_.roll(used_);
        for (std::size_t i = 0; i < used_; i++) {
                auto& thread = *threads_[(start + i) % used_];
                if (is(thread))
                        return &thread;
        }
        return nullptr;
}

Scheduler::Thread* Scheduler::choose(bool others_first) {
        if (disturbs_ && dice_.roll(kStepsPerDisturbance) == 0)
                disturb();
        const auto is_ready = [](const Thread& thread) { return thread.state == State::Ready; };
        if (!by_priority_) {
                auto* other = any([&](const Thread& thread) {
                        return is_ready(thread) && &thread != running_;
                });
                const bool may_stay = running_ != nullptr && is_ready(*running_);
                if (other == nullptr || (may_stay && !others_first && dice_.roll(reluctance_) != 0))
                        other = may_stay ? running_ : other;
                if (other != nullptr)
                        return other;
        } else {
                if (running_ != nullptr && dice_.roll(kStepsPerChange) == 0)
                        choose_priority(*running_, true);
                Thread* best = nullptr;
                for (std::size_t i = 0; i < used_; i++) {
                        auto& thread = *threads_[i];
                        if (is_ready(thread) &&
                            (best == nullptr || thread.priority > best->priority))
                                best = &thread;
                }
                if (best != nullptr)
                        return best;
        }
        return end_a_deadline() ? any(is_ready) : nullptr;
}

void Scheduler::choose_priority(Thread& thread, bool lowest) {
        thread.priority = lowest ? --lowest_ : (std::uint64_t{1} << 32) + dice_.roll(1U << 20);
}

void Scheduler::disturb() {
        // Only while others go on: it saves no thread that would have slept for ever.
        if (any([](const Thread& thread) { return thread.state == State::Ready; }) == nullptr)
                return;
        if (auto* sleeper =
                    any([](const Thread& thread) { return thread.state == State::Asleep; })) {
                sleeper->is_over = sleeper->has_deadline && dice_.roll(2) == 0;
                sleeper->state = State::Ready;
        }
}

bool Scheduler::end_a_deadline() {
        auto* sleeper = any([](const Thread& thread) {
                return thread.state == State::Asleep && thread.has_deadline;
        });
        if (sleeper == nullptr)
                return false;
        sleeper->is_over = true;
        sleeper->state = State::Ready;
        return true;
}

void Scheduler::switch_away(bool others_first) {
        auto& self = *running_;
        auto* next = ++steps_ > kMostSteps ? nullptr : choose(others_first);
        if (next == &self)
                return;
        running_ = next;
        Fiber::switch_to(self.fiber, next == nullptr ? main_ : next->fiber);
        if (std::exchange(self.last_go, goes_) != goes_)
                Fiber::observe();
}

}  // namespace deterministic
