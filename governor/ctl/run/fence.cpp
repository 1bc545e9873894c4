// SPDX-License-Identifier: MIT
// Walks through the tree when the fence moves.
#include "run/fence.hpp"

#include "outside/record.hpp"
#include "run/processes.hpp"
#include "run/runtimes.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unistd.h>

namespace ctl::run {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{100};
constexpr int kShareOfTime = 20;
constexpr milliseconds kLongestAgain{1000};
constexpr std::chrono::seconds kTakeDown{1};
/// Between two of its looks at the tree.
constexpr milliseconds kBetween{1};
/// Looks one after the other that find nothing to move before the fence counts as taken down.
constexpr int kStillLooks = 2;
/// Masks of which a thread may still have one.
constexpr std::size_t kMostMasks = outside::kMostMasks;

CpuMask minus(const CpuMask& a, const CpuMask& b) {
        CpuMask rest;
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                rest.words[i] = a.words[i] & ~b.words[i];
        return rest;
}

CpuMask operator|(const CpuMask& a, const CpuMask& b) {
        CpuMask both;
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                both.words[i] = a.words[i] | b.words[i];
        return both;
}

/// Adds CPUs of `from` until `mask` has `count`: from number `first` on, and then from 0.
void add(CpuMask& mask, const CpuMask& from, std::uint32_t count, std::uint32_t first = 0) {
        auto missing = count - std::min(count, mask.count());
        const auto more = minus(from, mask);
        for (std::uint32_t i = 0; i < threadcount::kMostCpus && missing > 0; i++) {
                const auto cpu = (first + i) % threadcount::kMostCpus;
                const auto bit = std::uint64_t{1} << (cpu % 64);
                if ((more.words[cpu / 64] & bit) == 0)
                        continue;
                mask.words[cpu / 64] |= bit;
                missing--;
        }
}

/// Behind its highest CPU; 0: it has none.
std::uint32_t behind(const CpuMask& mask) {
        for (auto i = static_cast<std::uint32_t>(CpuMask::kWords); i > 0; i--)
                if (const auto word = mask.words[i - 1]; word != 0)
                        return i * 64 - static_cast<std::uint32_t>(std::countl_zero(word));
        return 0;
}

/// Gives a thread that has `before` the CPUs `cpus`. A stranger may get its number in that
/// moment. The stranger's CPUs are not known: it gets `before` and all of `open`.
bool bind(const outside::HeldProcess& process, pid_t tid, const CpuMask& before,
          const CpuMask& cpus, const CpuMask& open) {
        return process.on_thread(
                static_cast<std::uint32_t>(tid),
                [&] { return affinity_of(tid) == before && set_affinity(tid, cpus); },
                [&] {
                        if (const auto all = before | open; !(all == cpus))
                                set_affinity(tid, all);
                });
}

/// Another `run`, whose tree is its own matter.
bool is_governorctl(std::uint32_t pid) {
        const auto held = outside::HeldProcess::open("", pid);
        return held && held->executes("/proc/self/exe");
}

}  // namespace

CpuMask choose(const CpuMask& first, const CpuMask& allowed, std::uint32_t count) {
        CpuMask chosen;
        add(chosen, first & allowed, count);
        add(chosen, allowed, count, behind(chosen));
        return chosen;
}

Fence::Fence(const CpuMask& open, const CpuMask& granted, std::uint32_t count)
        : open_(open), start_(choose(granted, open, std::max(count, 1U))),
          wanted_(start_), ours_{open_, start_} {}

bool Fence::want(const CpuMask& granted, std::uint32_t count) {
        const auto wanted = choose(granted, open_, std::max(count, 1U));
        if (wanted == wanted_)
                return false;
        wanted_ = wanted;
        is_settled_ = false;
        again_ = kPause;
        return true;
}

void Fence::remember(const CpuMask& mask) {
        // The first two are what this process may use and what the command began with.
        if (mask == ours_[0] || mask == ours_[1])
                return;
        ours_.erase(std::remove(ours_.begin() + 2, ours_.end(), mask), ours_.end());
        ours_.push_back(mask);
        if (ours_.size() > kMostMasks)
                ours_.erase(ours_.begin() + 2);
}

bool Fence::is_ours(const CpuMask& mask) const {
        return std::ranges::any_of(
                ours_, [&](const CpuMask& ours) { return ours == mask || (ours & open_) == mask; });
}

std::vector<CpuMask> Fence::masks() const {
        std::vector<CpuMask> masks;
        const auto add = [&](const CpuMask& ours) {
                const auto mask = ours & open_;
                if (mask.count() > 0 && !(mask == open_) &&
                    std::ranges::find(masks, mask) == masks.end())
                        masks.push_back(mask);
        };
        std::ranges::for_each(ours_, add);
        add(wanted_);
        return masks;
}

void Fence::follow(Clock::time_point now) {
        if (is_settled_ || now < rest_until_)
                return;
        is_narrower_soon_ = false;
        const auto moved = move_all();
        const auto took = Clock::now() - now;
        const auto pause = moved == 0 && is_narrower_soon_ ? again_ : kPause;
        rest_until_ = now + std::max<Clock::duration>(pause, kShareOfTime * took);
        again_ = std::min(2 * again_, kLongestAgain);
        // A process that was just being forked may have the old mask: looked for once more.
        is_settled_ = moved == 0 && !is_narrower_soon_;
}

bool Fence::reopened() {
        const auto now = affinity_of(0);
        if (!now || *now == open_)
                return false;
        const auto old = open_;
        ours_.front() = *now;
        open_ = *now;
        remember(old);  // threads may still have it
        is_settled_ = false;
        return true;
}

std::size_t Fence::move_all() {
        std::size_t moved = 0;
        remember(wanted_);
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>& threads) {
                moved += move_process(process, threads);
                return !is_governorctl(process.pid);
        });
        return moved;
}

std::size_t Fence::move_process(const outside::ProcessId& process,
                                const std::vector<pid_t>& threads) {
        std::size_t moved = 0;
        std::optional<CpuMask> target;
        std::optional<outside::HeldProcess> held;
        for (const auto tid : threads) {
                const auto mask = affinity_of(tid);
                if (!mask || !is_ours(*mask))
                        continue;
                if (!target)
                        target = target_of(static_cast<pid_t>(process.pid));
                if (*mask == *target)
                        continue;
                if (!held)
                        held = outside::HeldProcess::open(process);
                if (!held)
                        return moved;
                if (!bind(*held, tid, *mask, *target, open_))
                        continue;
                // A cpuset may have cut it to what it was.
                if (const auto now = affinity_of(tid); now && !(*now == *mask))
                        moved++;
        }
        return moved;
}

CpuMask Fence::target_of(pid_t pid) {
        const auto runtime = wanted_ == open_ ? Runtime::Follows : runtime_of(pid);
        const bool is_enough = runtime == Runtime::Blocks || runtime == Runtime::Sleeps ||
                               wanted_.count() >= start_.count();
        is_narrower_soon_ |= runtime == Runtime::MaySleep && !is_enough;
        const auto& wanted = runtime == Runtime::Follows ? open_ : is_enough ? wanted_ : start_;
        const auto target = wanted & open_;
        return target.count() > 0 ? target : open_;
}

void Fence::take_down() {
        const auto give_up = Clock::now() + kTakeDown;
        (void)reopened();
        wanted_ = open_;
        // A process that ended while it was looked for may have left another one behind.
        for (int still = 0; still < kStillLooks && Clock::now() < give_up;) {
                still = move_all() == 0 ? still + 1 : 0;
                if (still == 0)
                        ::usleep(std::chrono::microseconds(kBetween).count());
        }
}

}  // namespace ctl::run
