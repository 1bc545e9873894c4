// SPDX-License-Identifier: MIT
// Threads that spin for each other, as those of gcc's OpenMP do.
#include "demo/team.hpp"

#include <algorithm>
#include <thread>

namespace ctl::demo {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// As long as libgomp spins where its user has not said otherwise.
constexpr int kSpins = 300'000;
/// A word has the number of the region above the size of its team.
constexpr std::uint32_t kTeamBits = 8;
constexpr std::uint32_t kTeamMask = (1U << kTeamBits) - 1;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
        asm volatile("yield");
#endif
}

/// Each step needs the one before.
void burn(std::uint64_t steps) {
        std::uint64_t value = 88'172'645'463'325'252U;
        for (std::uint64_t i = 0; i < steps; i++) {
                value ^= value << 13U;
                value ^= value >> 7U;
                value ^= value << 17U;
        }
        asm volatile("" : : "r"(value));
}

/// What the word becomes once it is not `known` any more.
std::uint32_t wait_for_another(const std::atomic<std::uint32_t>& word, std::uint32_t known,
                               int spins) {
        for (int i = 0; i < spins; i++) {
                const auto now = word.load(std::memory_order_acquire);
                if (now != known)
                        return now;
                relax();
        }
        word.wait(known, std::memory_order_acquire);
        return word.load(std::memory_order_acquire);
}

class Team {
public:
        Team(std::uint32_t most, std::uint64_t steps) : steps_(steps) {
                for (std::uint32_t i = 1; i < most; i++)
                        std::thread([this, i] { follow(i); }).detach();
        }

        /// The calling thread is one of `team`.
        void region(std::uint32_t team) {
                ready_.store(0, std::memory_order_relaxed);
                const auto number = (begun_.load(std::memory_order_relaxed) >> kTeamBits) + 1;
                begun_.store(number << kTeamBits | team, std::memory_order_release);
                begun_.notify_all();
                burn(steps_ / team);
                auto ready = ready_.load(std::memory_order_acquire);
                while (ready != team - 1)
                        ready = wait_for_another(ready_, ready, kSpins);
        }

private:
        void follow(std::uint32_t index) {
                std::uint32_t region = 0;
                std::uint32_t team = kTeamMask;
                for (;;) {
                        // A smaller team has no need of it for now.
                        region = wait_for_another(begun_, region, index < team ? kSpins : 0);
                        team = region & kTeamMask;
                        if (index >= team)
                                continue;
                        burn(steps_ / team);
                        ready_.fetch_add(1, std::memory_order_release);
                        ready_.notify_one();
                }
        }

        const std::uint64_t steps_;
        std::atomic<std::uint32_t> begun_ = 0;
        std::atomic<std::uint32_t> ready_ = 0;
};

}  // namespace

std::uint64_t steps_in(nanoseconds time) {
        constexpr std::uint64_t kSteps = 1'000'000;
        auto best = nanoseconds::max();
        const auto until = steady_clock::now() + std::chrono::milliseconds{100};
        // The fastest one was disturbed least.
        while (steady_clock::now() < until || best == nanoseconds::max()) {
                const auto begun = steady_clock::now();
                burn(kSteps);
                best = std::min<nanoseconds>(best, steady_clock::now() - begun);
        }
        return kSteps * static_cast<std::uint64_t>(time.count()) /
               static_cast<std::uint64_t>(std::max(best, nanoseconds{1}).count());
}

void perform(const Work& work, threadcount_handle* governor, std::atomic<std::uint64_t>& done) {
        // Its threads use it until the process ends.
        static Team* team = nullptr;
        team = new Team(work.threads, work.steps);
        for (std::uint64_t i = 0; i < work.regions; i++) {
                auto threads = work.threads;
                if (governor != nullptr)
                        threads = std::clamp(threadcount_region_begin(governor), 1U, threads);
                team->region(threads);
                if (governor != nullptr)
                        threadcount_region_end(governor, threads);
                done.store(i + 1, std::memory_order_relaxed);
        }
}

}  // namespace ctl::demo
