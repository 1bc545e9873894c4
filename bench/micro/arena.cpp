// SPDX-License-Identifier: MIT
// The cost of a grant and a report in shared memory, for both sides.
#include "arena.hpp"
#include "server/sharing/arena.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

constexpr std::uint32_t kSlot = 17;

/// A daemon with a grant of every other CPU, and a program that follows it.
struct Pair {
        explicit Pair(std::uint32_t cpus) : daemon(64, cpus), set((cpus + 63) / 64) {
                for (std::uint32_t cpu = 0; cpu < cpus; cpu += 2)
                        grant.cpus.add(cpu);
                grant.threads = grant.cpus.count();
                daemon.publish(kSlot, grant);
                if (program.attach(daemon.grants_fd(), daemon.reports_fd(), kSlot) < 0)
                        throw std::runtime_error("cannot attach");
        }

        governor::policy::fair::Grant grant;
        Daemon daemon;
        Program program;
        std::vector<std::uint64_t> set;
};

Pair pair_of(const benchmark::State& state) {
        return Pair(static_cast<std::uint32_t>(state.range(0)));
}

/// The program's hot path: threads now, and whether they may spin.
void read_word(benchmark::State& state) {
        auto pair = pair_of(state);
        for (auto _ : state) {
                const auto word = pair.program.load();
                benchmark::DoNotOptimize(governor_word_threads(word));
                benchmark::DoNotOptimize(governor_word_flags(word) & GOVERNOR_GRANT_CROWDED);
        }
}

/// The same by the pointer, for a caller that knows that nothing is attached meanwhile.
void read_word_by_pointer(benchmark::State& state) {
        auto pair = pair_of(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(governor_word_threads(
                        pair.program.word()->load(std::memory_order_relaxed)));
}

void read_set(benchmark::State& state) {
        auto pair = pair_of(state);
        std::uint64_t word = 0;
        governor_grant_reason reason{};
        for (auto _ : state) {
                benchmark::DoNotOptimize(
                        pair.program.read_set(pair.set.data(), pair.set.size(), &word, &reason));
                benchmark::ClobberMemory();
        }
}

void publish(benchmark::State& state) {
        auto pair = pair_of(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(pair.daemon.publish(kSlot, pair.grant));
}

/// The calls that a program adds to each of its regions.
void write_report(benchmark::State& state) {
        auto pair = pair_of(state);
        for (auto _ : state) {
                pair.program.count_region();
                pair.program.report(1, 8, true);
                pair.program.report(1, 8, false);
        }
}

void read_report(benchmark::State& state) {
        auto pair = pair_of(state);
        pair.program.report(1, 8, true);
        for (auto _ : state)
                benchmark::DoNotOptimize(pair.daemon.report(kSlot));
}

void attach(benchmark::State& state) {
        auto pair = pair_of(state);
        for (auto _ : state)
                benchmark::DoNotOptimize(pair.program.attach(pair.daemon.grants_fd(),
                                                             pair.daemon.reports_fd(), kSlot));
}

BENCHMARK(read_word)->ArgName("cpus")->Arg(64);
BENCHMARK(read_word_by_pointer)->ArgName("cpus")->Arg(64);
BENCHMARK(read_set)->ArgName("cpus")->Arg(64)->Arg(4096);
BENCHMARK(publish)->ArgName("cpus")->Arg(64)->Arg(4096);
BENCHMARK(write_report)->ArgName("cpus")->Arg(64);
BENCHMARK(read_report)->ArgName("cpus")->Arg(64);
BENCHMARK(attach)->ArgName("cpus")->Arg(64)->Arg(4096);

}  // namespace
