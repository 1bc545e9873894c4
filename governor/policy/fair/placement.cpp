// SPDX-License-Identifier: MIT
// Ranks cores, and takes them in that order. Counts by core, cache and node, so that a choice costs
// a few steps per CPU that it is made from.
#include "policy/fair/placement.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <vector>

namespace governor::policy::fair {

namespace {

constexpr std::uint32_t kForeignHome_millicpu = 500;
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

/// How many CPUs of a set each core, cache and node has.
struct Census {
        Census(const Machine& machine, const CpuMask& cpus)
                : cores(machine.cores().size()), caches(machine.caches().size()),
                  nodes(machine.nodes().size()) {
                cpus.for_each([&](std::uint32_t cpu) {
                        const auto& home = machine.home(cpu);
                        cores[home.core]++;
                        caches[home.cache]++;
                        nodes[home.node]++;
                });
        }

        std::vector<std::uint32_t> cores;
        std::vector<std::uint32_t> caches;
        std::vector<std::uint32_t> nodes;
};

/// CPUs of one core that may be taken.
struct Candidate {
        std::array<std::uint32_t, 9> rank{};  // a smaller one is taken earlier
        std::vector<std::uint32_t> cpus;

        [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(cpus.size()); }
        friend bool operator<(const Candidate& a, const Candidate& b) { return a.rank < b.rank; }
};

/// The CPUs of `from` by core, in the order of `rank(home of the core)`.
template <class Rank>
std::vector<Candidate> by_core(const Machine& machine, const CpuMask& from, Rank rank) {
        std::vector<std::uint32_t> index(machine.cores().size(), kMost);
        std::vector<Candidate> candidates;
        from.for_each([&](std::uint32_t cpu) {
                const auto& home = machine.home(cpu);
                if (index[home.core] >= candidates.size()) {
                        index[home.core] = static_cast<std::uint32_t>(candidates.size());
                        candidates.push_back({rank(home), {}});
                }
                candidates[index[home.core]].cpus.push_back(cpu);
        });
        std::ranges::sort(candidates, std::less{});
        return candidates;
}

/// The best fit comes first: the smallest that has room for `count`, or else the largest.
std::uint32_t fit_rank(std::uint32_t room, std::uint32_t count) {
        return room >= count ? room - count : kMost - room;
}

/// Takes whole candidates in their order. From the one that is more than what is still needed, only
/// that; or, if `prefers_remnants`, from a later one that is too small to be taken as a whole core.
CpuMask take(const std::vector<Candidate>& candidates, std::uint32_t count, bool prefers_remnants) {
        CpuMask taken;
        const auto take_some = [&](const Candidate& candidate) {
                for (std::size_t i = 0; i < candidate.cpus.size() && count > 0; i++, count--)
                        taken.add(candidate.cpus[i]);
        };
        auto next = candidates.begin();
        for (; next != candidates.end() && next->size() <= count; ++next)
                take_some(*next);
        if (count > 0 && prefers_remnants && next != candidates.end())
                next = std::min_element(
                        next, candidates.end(), [&](const Candidate& a, const Candidate& b) {
                                return fit_rank(a.size(), count) < fit_rank(b.size(), count);
                        });
        for (; count > 0 && next != candidates.end(); ++next)
                take_some(*next);
        return taken;
}

}  // namespace

Placement::Placement(const Machine& machine, const ForeignLoad& foreign)
        : machine_(machine), load_(foreign) {
        machine.pool().for_each([&](std::uint32_t cpu) {
                if (foreign.now_millicpu(cpu) >= kForeignHome_millicpu)
                        foreign_.add(cpu);
        });
}

CpuMask Placement::give_up(const CpuMask& held, std::uint32_t count) const {
        CpuMask given;
        (held & foreign_).for_each([&](std::uint32_t cpu) {
                if (given.count() < count)
                        given.add(cpu);
        });
        const auto rest = held - given;
        const Census has(machine_, rest);
        const auto cores = by_core(machine_, rest, [&](const Machine::Home& home) {
                const bool is_whole = has.cores[home.core] == machine_.cores()[home.core].count();
                return std::array{is_whole ? 1U : 0U,
                                  has.nodes[home.node],
                                  kMost - home.node,
                                  has.caches[home.cache],
                                  kMost - home.cache,
                                  kMost - home.core,
                                  0U,
                                  0U,
                                  0U};
        });
        return given | take(cores, count - given.count(), false);
}

CpuMask Placement::pick(const CpuMask& held, const CpuMask& free, std::uint32_t count,
                        bool is_roomy) const {
        const Census has(machine_, held);
        const Census spare(machine_, free);
        const auto cores = by_core(machine_, free, [&](const Machine::Home& home) {
                const auto all = machine_.cores()[home.core].count();
                const bool completes_own = has.cores[home.core] > 0 &&
                                           has.cores[home.core] + spare.cores[home.core] == all;
                const bool is_whole = completes_own || spare.cores[home.core] == all;
                return std::array{completes_own ? 0U : 1U,
                                  is_whole ? 0U : 1U,
                                  kMost - has.caches[home.cache],
                                  kMost - has.nodes[home.node],
                                  fit_rank(spare.nodes[home.node], count),
                                  home.node,
                                  fit_rank(spare.caches[home.cache], count),
                                  home.cache,
                                  home.core};
        });
        return take(cores, count, !is_roomy);
}

CpuMask Placement::foreign_homes(const CpuMask& free, std::uint32_t count) const {
        auto homes = (free & foreign_).to_set();
        std::ranges::stable_sort(homes, std::greater{},
                                 [&](std::uint32_t cpu) { return load_.now_millicpu(cpu); });
        if (homes.size() > count)
                homes.resize(count);
        return CpuMask(CpuSet(homes));
}

}  // namespace governor::policy::fair
