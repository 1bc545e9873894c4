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
        }

        std::vector<std::uint32_t> cores;
        std::vector<std::uint32_t> caches;
        std::vector<std::uint32_t> nodes;
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
                if (missing_ == 0)
                        return;
                (cpus & from_).for_each([&](std::uint32_t cpu) {
                        const auto core = machine_.home(cpu).core;
                        if (missing_ == 0 || !from_.contains(cpu) || !is_wanted(core))
                                return;
                        if (census_.cores[core] <= missing_)
                                take(machine_.cores()[core] & from_);
                });
        }

        /// CPU by CPU.
        template <class Wanted>
        void take_cpus(const CpuMask& cpus, Wanted is_wanted) {
                if (missing_ == 0)
                        return;
                (cpus & from_).for_each([&](std::uint32_t cpu) {
                        if (missing_ > 0 && is_wanted(machine_.home(cpu).core))
                                take(CpuMask(CpuSet{cpu}));
                });
        }

        [[nodiscard]] CpuMask result() && { return std::move(taken_); }

private:
        void take(const CpuMask& cpus) {
                taken_ |= cpus;
                from_ -= cpus;
                missing_ -= cpus.count();
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
        const Census has(machine_, held);
        const auto caches = rank_caches(machine_, has, [&](const Machine::Home& home) {
                return std::array{has.nodes[home.node], kMost - home.node, has.caches[home.cache],
                                  kMost - home.cache};
        });
        const auto is_shared = [&](std::uint32_t core) {
                return has.cores[core] < machine_.core_size(core);
        };
        const auto is_any = [](std::uint32_t) { return true; };

        Taking taking(machine_, held, has, count);
        taking.take_cpus(foreign_, is_any);
        for (const auto cache : caches)
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
        const Census has(machine_, held);
        const Census spare(machine_, free);
        const auto caches = rank_caches(machine_, spare, [&](const Machine::Home& home) {
                return std::array{kMost - has.caches[home.cache], kMost - has.nodes[home.node],
                                  fit_rank(spare.nodes[home.node], count), home.node,
                                  fit_rank(spare.caches[home.cache], count)};
        });
        const auto is_own = [&](std::uint32_t core) { return has.cores[core] > 0; };
        const auto is_whole = [&](std::uint32_t core) {
                return spare.cores[core] == machine_.core_size(core);
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
                taking.take_cpus(machine_.caches()[cache], is_remnant);
        for (const auto cache : caches)
                taking.take_cpus(machine_.caches()[cache], is_any);
        return std::move(taking).result();
}

Placement::Move Placement::spread(const CpuMask& held, const CpuMask& fresh, const CpuMask& others,
                                  const CpuMask& free) const {
        const auto core_of = [&](std::uint32_t cpu) -> const CpuMask& {
                return machine_.cores()[machine_.home(cpu).core];
        };
        const auto is_first = [&](std::uint32_t cpu, const CpuMask& cpus) {
                return (core_of(cpu) & cpus).first() == cpu;
        };
        CpuMask crowded;
        held.for_each([&](std::uint32_t cpu) {
                if (!is_first(cpu, held) ||
                    (fresh.contains(cpu) && core_of(cpu).intersects(others)))
                        crowded.add(cpu);
        });
        if (crowded.empty())
                return {};
        CpuMask cores;  // the first CPU of each
        (free - held).for_each([&](std::uint32_t cpu) {
                const auto& core = core_of(cpu);
                if (core.first() == cpu && core.is_within(free) && !core.intersects(held) &&
                    !core.intersects(foreign_))
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
