// SPDX-License-Identifier: MIT
//
// The machine as decisions see it: which CPUs share a core, a cache, a NUMA node.
#pragma once

#include "policy/cpu_mask.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace governor::policy {

/// The place of one CPU, in the kernel's numbers; an empty number is not known.
struct CpuPlace {
        std::optional<std::uint32_t> core;  ///< within its package, or a part of it
        std::optional<std::uint32_t> package;
        std::optional<std::uint32_t> node;   ///< NUMA
        std::optional<std::uint32_t> cache;  ///< lowest CPU that shares its last-level cache
        /// Lowest CPU of its core. Tells cores apart where their numbers do not: they start anew in
        /// each cluster of some machines.
        std::optional<std::uint32_t> first_sibling = std::nullopt;

        friend bool operator==(const CpuPlace&, const CpuPlace&) = default;
};

using Topology = std::map<std::uint32_t, CpuPlace>;  ///< online CPUs, by number

/// The CPUs that are distributed, and how they hang together. Immutable.
class Machine {
public:
        Machine() = default;

        /// Distributes the CPUs of `topology` that are in `pool`. A CPU whose core is not known is
        /// a core of its own; all CPUs whose cache (node) is not known share one.
        Machine(const Topology& topology, const CpuMask& pool);

        [[nodiscard]] const CpuMask& pool() const { return pool_; }

        /// Indices into cores(), caches() and nodes().
        struct Home {
                std::uint32_t core = 0;
                std::uint32_t cache = 0;
                std::uint32_t node = 0;
        };
        /// The core, cache and node of `cpu`. It must be in the pool.
        [[nodiscard]] const Home& home(std::uint32_t cpu) const { return homes_[cpu]; }

        /// CPUs of a core, by its index: cores()[core] as a list.
        [[nodiscard]] const CpuSet& siblings(std::uint32_t core) const { return siblings_[core]; }

        /// Every core, cache and node that has CPUs in the pool: each partitions the pool.
        [[nodiscard]] const std::vector<CpuMask>& cores() const { return cores_; }
        [[nodiscard]] const std::vector<CpuMask>& caches() const { return caches_; }
        [[nodiscard]] const std::vector<CpuMask>& nodes() const { return nodes_; }

        /// One more than the highest CPU number in the pool: the size of arrays by CPU.
        [[nodiscard]] std::size_t number_limit() const { return homes_.size(); }

private:
        CpuMask pool_;
        std::vector<CpuMask> cores_;
        std::vector<CpuSet> siblings_;  // by core
        std::vector<CpuMask> caches_;
        std::vector<CpuMask> nodes_;
        std::vector<Home> homes_;  // by CPU number
};

}  // namespace governor::policy
