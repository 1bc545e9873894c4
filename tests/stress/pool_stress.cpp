// SPDX-License-Identifier: MIT
// Pools of all kinds, one after the other. Threads and tasks use each in every way at once: tasks,
// futures, continuations, timers, loops, other pools, masks, waiting for idleness; it is stopped
// while they do so, or afterwards. Each task that was accepted is run once, or cancelled, or handed
// back once, and no other is run.
//
//      pool_stress [SECONDS [SEED]]
//
// Exits 0, or 1 and says what is wrong, of which seed. The seed decides what is done, the machine
// in which order. It says what hangs.
#include "pool/round.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>

int main(int argc, char** argv) {
        using namespace std::chrono_literals;
        static constexpr const char* kNames[] = {"tasks",
                                                 "calls refused at the end",
                                                 "futures",
                                                 "cancelled",
                                                 "followers",
                                                 "timers",
                                                 "ticks",
                                                 "loops",
                                                 "forks",
                                                 "runs",
                                                 "pools inside of tasks",
                                                 "masks",
                                                 "handed back",
                                                 "forgotten"};
        static_assert(std::size(kNames) == stress::kCounts);
        const auto seconds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2;
        const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;

        const stress::Watchdog watchdog(60s);
        stress::Counts counts{};
        auto seed = first;
        for (const auto end = stress::Clock::now() + std::chrono::seconds(seconds);
             stress::Clock::now() < end; seed++)
                stress::run_a_round(seed, counts);

        std::printf("%llu pools, seeds %llu ..", static_cast<unsigned long long>(seed - first),
                    static_cast<unsigned long long>(first));
        for (std::size_t i = 0; i < stress::kCounts; i++)
                std::printf(", %llu %s", static_cast<unsigned long long>(counts[i].load()),
                            kNames[i]);
        std::printf("\n");
        return 0;
}
