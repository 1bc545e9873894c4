// SPDX-License-Identifier: MIT
// Races of submit() with a lane that looks for work, and with one that has gone to sleep: a wake
// that is lost is a task that does not run.
//
//      pool_races [SPINNING [PARKED]]
//
// Repeats each race so often. Exits 0, or 1 if a task has not run within two seconds.
#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using threadcount::Pool;

constexpr auto kPatience = 2s;
// Looking at the clock costs more than a task.
constexpr int kLooksPerYield = 256;

[[nodiscard]] bool comes(const std::atomic<std::uint64_t>& ran, std::uint64_t expected) {
        for (int i = 0; i < kLooksPerYield; i++)
                if (ran.load(std::memory_order_acquire) == expected)
                        return true;
        for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
                std::this_thread::yield();
                if (ran.load(std::memory_order_acquire) == expected)
                        return true;
        }
        return false;
}

std::uint64_t parkings(const Pool& pool) {
        std::uint64_t sum = 0;
        for (const auto& lane : pool.statistics())
                sum += lane.parked;
        return sum;
}

struct Race {
        const char* what;
        std::chrono::nanoseconds spin;
        std::uint64_t times;
        /// There are this many delays, in steps of a pause each, so that the task comes just when
        /// the lane stops looking.
        std::uint64_t delays;
};

[[nodiscard]] bool run(const Race& race) {
        Pool pool({.spin = race.spin});
        std::atomic<std::uint64_t> ran{0};
        const auto before = Clock::now();
        for (std::uint64_t i = 0; i < race.times; i++) {
                for (auto delay = i % race.delays; delay > 0; delay--)
                        std::atomic_signal_fence(std::memory_order_seq_cst);
                pool.submit([&ran] { ran.fetch_add(1, std::memory_order_release); });
                if (!comes(ran, i + 1)) {
                        std::fprintf(stderr, "%s: task %llu was not run\n", race.what,
                                     static_cast<unsigned long long>(i));
                        std::_Exit(1);  // stop() would wait for it
                }
        }
        const std::chrono::duration<double> took = Clock::now() - before;
        std::printf("%s: %llu races, a lane parked %llu times, %.1f s\n", race.what,
                    static_cast<unsigned long long>(race.times),
                    static_cast<unsigned long long>(parkings(pool)), took.count());
        return true;
}

}  // namespace

int main(int argc, char** argv) {
        const auto spinning = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
        const auto parked = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000;
        return run({"spinning", 1ms, spinning, 64}) && run({"parked", 0ns, parked, 1000}) ? 0 : 1;
}
