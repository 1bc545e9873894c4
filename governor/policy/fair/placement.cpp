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

/// The CPUs of a set that each core, cache and node has.
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
                for (std::uint32_t core = 0; core < cores.size(); core++) {
                        if (cores[core] == 0)
                                continue;
                        least_of_core = std::min(least_of_core, cores[core]);
                        has_parts = has_parts || cores[core] < machine.siblings(core).size();
                }
        }

        std::vector<std::uint32_t> cores;
        std::vector<std::uint32_t> caches;
        std::vector<std::uint32_t> nodes;
        std::uint32_t least_of_core = kMost;  // of those that it has CPUs of
        bool has_parts = false;               // it has a core in part
};

/// The best fit comes first: the smallest that has room for `count`, or else the largest.
std::uint32_t fit_rank(std::uint32_t room, std::uint32_t count) {
        return room >= count ? room - count : kMost - room;
}

/// The indices of all caches that `cpus` has CPUs in; a smaller rank_of(home of its CPUs) comes
/// first.
template <class Rank>
std::vector<std::uint32_t> rank_caches(const Machine& machine, const Census& cpus, Rank rank_of) {
        struct Ranked {
                decltype(rank_of(Machine::Home{})) rank;
                std::uint32_t cache;
        };
        std::vector<Ranked> ranked;
        for (std::uint32_t cache = 0; cache < cpus.caches.size(); cache++)
                if (cpus.caches[cache] > 0)
                        ranked.push_back(
                                {rank_of(machine.home(*machine.caches()[cache].first())), cache});
        std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
                return a.rank != b.rank ? a.rank < b.rank : a.cache < b.cache;
        });
        std::vector<std::uint32_t> caches;
        for (const auto& [rank, cache] : ranked)
                caches.push_back(cache);
        return caches;
}

/// Takes CPUs from a set, core by core.
class Taking {
public:
        /// `census` is that of `from`.
        Taking(const Machine& machine, CpuMask from, const Census& census, std::uint32_t count)
                : machine_(machine), from_(std::move(from)), census_(census), missing_(count) {}

        [[nodiscard]] std::uint32_t missing() const { return missing_; }

        /// Those of `cores` that `is_wanted(core)`, whole, as long as they are not too large.
        template <class Wanted>
        void take_cores(const CpuMask& cpus, Wanted is_wanted) {
                if (missing_ < census_.least_of_core)
                        return;
                (cpus & from_).for_each([&](std::uint32_t cpu) {
                        const auto core = machine_.home(cpu).core;
                        if (missing_ == 0 || !from_.contains(cpu) || !is_wanted(core))
                                return;
                        if (census_.cores[core] > missing_)
                                return;
                        for (const auto sibling : machine_.siblings(core))
                                if (from_.contains(sibling))
                                        take(sibling);
                });
        }

        /// CPU by CPU.
        template <class Wanted>
        void take_cpus(const CpuMask& cpus, Wanted is_wanted) {
                if (missing_ == 0)
                        return;
                (cpus & from_).for_each([&](std::uint32_t cpu) {
                        if (missing_ > 0 && is_wanted(machine_.home(cpu).core))
                                take(cpu);
                });
        }

        [[nodiscard]] CpuMask result() && { return std::move(taken_); }

private:
        void take(std::uint32_t cpu) {
                taken_.add(cpu);
                from_.remove(cpu);
                missing_--;
        }

        const Machine& machine_;
        CpuMask from_;
        const Census& census_;
        CpuMask taken_;
        std::uint32_t missing_;
};

}  // namespace

Placement::Placement(const Machine& machine, const Foreign& foreign)
        : machine_(machine), load_(foreign) {
        machine.pool().for_each([&](std::uint32_t cpu) {
                if (foreign.millicpu_on(cpu) >= kForeignHome_millicpu)
                        foreign_.add(cpu);
        });
}

CpuMask Placement::give_up(const CpuMask& held, std::uint32_t count) const {
        if (count == 0)
                return {};
        if (count >= held.count())
                return held;
        const Census has(machine_, held);
        const auto caches = rank_caches(machine_, has, [&](const Machine::Home& home) {
                return std::array{has.nodes[home.node], kMost - home.node, has.caches[home.cache],
                                  kMost - home.cache};
        });
        const auto is_shared = [&](std::uint32_t core) {
                return has.cores[core] < machine_.siblings(core).size();
        };
        const auto is_any = [](std::uint32_t) { return true; };

        Taking taking(machine_, held, has, count);
        taking.take_cpus(foreign_, is_any);
        for (const auto cache : caches)
                if (has.has_parts)
                        taking.take_cpus(machine_.caches()[cache], is_shared);
        for (const auto cache : caches)
                taking.take_cores(machine_.caches()[cache], is_any);
        for (const auto cache : caches)
                taking.take_cpus(machine_.caches()[cache], is_any);
        return std::move(taking).result();
}

CpuMask Placement::pick(const CpuMask& held, const CpuMask& free, std::uint32_t count) const {
        if (count == 0)
                return {};
        if (count >= free.count())
                return free;
        const Census has(machine_, held);
        const Census spare(machine_, free);
        const auto caches = rank_caches(machine_, spare, [&](const Machine::Home& home) {
                return std::array{kMost - has.caches[home.cache], kMost - has.nodes[home.node],
                                  fit_rank(spare.nodes[home.node], count), home.node,
                                  fit_rank(spare.caches[home.cache], count)};
        });
        const auto is_own = [&](std::uint32_t core) { return has.cores[core] > 0; };
        const auto is_whole = [&](std::uint32_t core) {
                return spare.cores[core] == machine_.siblings(core).size();
        };
        const auto is_remnant = [&](std::uint32_t core) { return !is_whole(core); };
        const auto is_any = [](std::uint32_t) { return true; };

        Taking taking(machine_, free, spare, count);
        for (const auto cache : caches)
                if (has.caches[cache] > 0)
                        taking.take_cpus(machine_.caches()[cache], is_own);
        for (const auto cache : caches)
                taking.take_cores(machine_.caches()[cache], is_whole);
        for (const auto cache : caches)
                if (spare.has_parts)
                        taking.take_cpus(machine_.caches()[cache], is_remnant);
        for (const auto cache : caches)
                taking.take_cpus(machine_.caches()[cache], is_any);
        return std::move(taking).result();
}

Placement::Move Placement::spread(const CpuMask& held, const CpuMask& fresh, const CpuMask& others,
                                  const CpuMask& free) const {
        const auto core_of = [&](std::uint32_t cpu) -> const CpuSet& {
                return machine_.siblings(machine_.home(cpu).core);
        };
        const auto in = [](const CpuMask& cpus) {
                return [&cpus](std::uint32_t cpu) { return cpus.contains(cpu); };
        };
        CpuMask crowded;
        held.for_each([&](std::uint32_t cpu) {
                const auto& core = core_of(cpu);
                if (*std::ranges::find_if(core, in(held)) != cpu ||
                    (fresh.contains(cpu) && std::ranges::any_of(core, in(others))))
                        crowded.add(cpu);
        });
        if (crowded.empty())
                return {};
        CpuMask cores;  // the first CPU of each
        (free - held).for_each([&](std::uint32_t cpu) {
                const auto& core = core_of(cpu);
                if (core.front() == cpu && std::ranges::all_of(core, in(free)) &&
                    std::ranges::none_of(core, in(held)) &&
                    std::ranges::none_of(core, in(foreign_)))
                        cores.add(cpu);
        });
        auto to = pick(held, cores, crowded.count());
        return {give_up(crowded, to.count()), std::move(to)};
}

CpuMask Placement::foreign_homes(const CpuMask& free, std::uint32_t count) const {
        auto homes = (free & foreign_).to_set();
        std::ranges::stable_sort(homes, std::greater{},
                                 [&](std::uint32_t cpu) { return load_.millicpu_on(cpu); });
        if (homes.size() > count)
                homes.resize(count);
        return CpuMask(CpuSet(homes));
}

}  // namespace governor::policy::fair
