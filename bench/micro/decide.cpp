// SPDX-License-Identifier: MIT
// The cost of one decision for the daemon: the snapshot of all clients, the decision, and taking
// note.
#include "registry/arbiter.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

namespace fair = governor::policy::fair;
using governor::policy::Account;
using governor::policy::CpuMask;
using governor::policy::Machine;
using governor::policy::Topology;
using governor::registry::Arbiter;
using governor::registry::Confinement;
using governor::registry::Programs;
using governor::registry::TimePoint;

/// SideBySide: batch programs of one user of which it is known that few CPUs pay.
enum class Kind : std::int64_t { Everywhere, FourOverlapping, Quotas, Batch, SideBySide, OwnSets };

/// The copy is in what is measured.
fair::Decision decide_side_by_side(const fair::Settings& settings, const fair::Snapshot& snapshot) {
        auto known = snapshot;
        for (auto& client : known.clients)
                for (std::size_t octave = 0; octave < fair::Scaling::kOctaves; octave++)
                        client.scaling.learn(octave, 0.3);
        return fair::decide(settings, known);
}

/// Two threads per core, 32 CPUs per cache, 64 per node.
Machine machine(std::uint32_t cpus) {
        Topology topology;
        for (std::uint32_t cpu = 0; cpu < cpus; cpu++)
                topology[cpu] = {cpu / 2, cpu / 64, cpu / 64, cpu / 32 * 32};
        return {topology, CpuMask::range(0, cpus)};
}

/// A machine with clients of four users that joined long ago.
class Host {
public:
        Host(std::uint32_t cpus, std::uint32_t clients, Kind kind)
                : cpus_(cpus), kind_(kind),
                  arbiter_({}, governor::registry::Mode::Govern, Programs({}, {}), machine(cpus),
                           kind == Kind::SideBySide ? decide_side_by_side : fair::decide) {
                for (std::uint32_t i = 0; i < clients; i++)
                        add(i);
                now_ += std::chrono::minutes{1};
        }

        fair::ProgramId add(std::uint32_t i) {
                Confinement where;
                where.cpus = cpus_of(i);
                if (kind_ == Kind::Quotas)
                        where.groups = {{"/user/" + std::to_string(i % 8), cpus_ / 8},
                                        {"/user", cpus_ / 2}};
                const auto user = kind_ == Kind::SideBySide ? 1000 : 1000 + i % 4;
                governor::registry::Identity identity{i, Account{user}, 1000, "", ""};
                identity.process_group = i;
                governor::registry::Request request;
                const bool is_batch = kind_ == Kind::Batch || kind_ == Kind::SideBySide;
                request.scheduling_class = is_batch ? fair::Class::Batch : fair::Class::Interactive;
                request.can_wait = true;
                return arbiter_.programs().join(identity, request, where, now_).id;
        }

        void settle() {
                arbiter_.decide(now_);
                arbiter_.decide(now_);
        }

        Arbiter& arbiter() { return arbiter_; }
        [[nodiscard]] TimePoint now() const { return now_; }

private:
        [[nodiscard]] CpuMask cpus_of(std::uint32_t i) const {
                if (kind_ == Kind::FourOverlapping)
                        return CpuMask::range(i % 4 * cpus_ / 8, cpus_ / 2);
                if (kind_ != Kind::OwnSets)
                        return CpuMask::range(0, cpus_);
                // In the way of a user that wants decisions to cost.
                std::minstd_rand random(i + 1);
                CpuMask cpus;
                for (std::uint32_t cpu = 0; cpu < cpus_; cpu++)
                        if (random() % 2 == 0)
                                cpus.add(cpu);
                return cpus;
        }

        std::uint32_t cpus_;
        Kind kind_;
        Arbiter arbiter_;
        TimePoint now_{std::chrono::hours{1}};
};

Host host(const benchmark::State& state) {
        return {static_cast<std::uint32_t>(state.range(0)),
                static_cast<std::uint32_t>(state.range(1)), Kind{state.range(2)}};
}

/// Nothing has changed since the last decision: what every sample costs.
void nothing_new(benchmark::State& state) {
        auto at = host(state);
        at.settle();
        for (auto _ : state)
                benchmark::DoNotOptimize(at.arbiter().decide(at.now()));
        state.SetComplexityN(state.range(1));
}

/// A program comes, and it is decided; and once more when it goes.
void one_comes_and_goes(benchmark::State& state) {
        auto at = host(state);
        at.settle();
        for (auto _ : state) {
                const auto id = at.add(7);
                benchmark::DoNotOptimize(at.arbiter().decide(at.now()));
                at.arbiter().programs().leave(id, std::nullopt, at.now());
                benchmark::DoNotOptimize(at.arbiter().decide(at.now()));
        }
}

/// Nobody holds anything yet: as after the start of the daemon under full load.
void everybody_at_once(benchmark::State& state) {
        for (auto _ : state) {
                state.PauseTiming();
                auto at = host(state);
                state.ResumeTiming();
                benchmark::DoNotOptimize(at.arbiter().decide(at.now()));
        }
}

void machines(benchmark::internal::Benchmark* benchmark) {
        benchmark->ArgNames({"cpus", "clients", "kind"})->Unit(benchmark::kMicrosecond);
        for (const auto kind : {Kind::Everywhere, Kind::FourOverlapping, Kind::Quotas, Kind::Batch,
                                Kind::SideBySide, Kind::OwnSets}) {
                benchmark->Args({256, 1000, static_cast<std::int64_t>(kind)});
                benchmark->Args({1024, 200, static_cast<std::int64_t>(kind)});
                benchmark->Args({4096, 100, static_cast<std::int64_t>(kind)});
        }
}

void growing(benchmark::internal::Benchmark* benchmark) {
        benchmark->ArgNames({"cpus", "clients", "kind"})->Unit(benchmark::kMicrosecond);
        for (const std::int64_t clients : {125, 250, 500, 1000, 2000})
                benchmark->Args({256, clients, 0});
        benchmark->Complexity(benchmark::oN);
}

BENCHMARK(nothing_new)->Apply(machines);
BENCHMARK(one_comes_and_goes)->Apply(machines);
BENCHMARK(everybody_at_once)->Apply(machines);
BENCHMARK(nothing_new)->Name("nothing_new/growing")->Apply(growing);

}  // namespace
