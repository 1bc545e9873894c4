// SPDX-License-Identifier: MIT
// Three partitions of the pool.
#include "policy/machine.hpp"

#include <tuple>

namespace governor::policy {

namespace {

/// The index of the part that `key` stands for, made when it is new.
template <class Key>
std::uint32_t part(std::map<Key, std::uint32_t>& known, const Key& key,
                   std::vector<CpuMask>& parts) {
        const auto [entry, is_new] =
                known.try_emplace(key, static_cast<std::uint32_t>(parts.size()));
        if (is_new)
                parts.emplace_back();
        return entry->second;
}

}  // namespace

Machine::Machine(const Topology& topology, const CpuMask& pool) {
        using Number = std::optional<std::uint32_t>;
        std::map<std::tuple<Number, Number, Number>, std::uint32_t> cores;
        std::map<Number, std::uint32_t> caches;
        std::map<Number, std::uint32_t> nodes;
        for (const auto& [cpu, place] : topology) {
                if (!pool.contains(cpu))
                        continue;
                pool_.add(cpu);
                homes_.resize(cpu + 1);
                auto& home = homes_[cpu];
                const Number own = place.first_sibling ? place.first_sibling
                                   : place.core        ? std::nullopt
                                                       : Number(cpu);
                home.core = part(cores, {place.package, place.core, own}, cores_);
                home.cache = part(caches, place.cache, caches_);
                home.node = part(nodes, place.node, nodes_);
                cores_[home.core].add(cpu);
                caches_[home.cache].add(cpu);
                nodes_[home.node].add(cpu);
        }
        for (const auto& core : cores_)
                siblings_.push_back(core.to_set());
}

}  // namespace governor::policy
