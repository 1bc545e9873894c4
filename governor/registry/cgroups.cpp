// SPDX-License-Identifier: MIT
// A table of paths, each kept while a client is below it.
#include "registry/cgroups.hpp"

namespace governor::registry {

Cgroups::Chain Cgroups::enter(std::span<const Confinement::Group> groups) {
        Chain chain;
        chain.reserve(groups.size());
        for (const auto& group : groups) {
                auto& entry = entries_[group.path];
                entry.quota = group.quota;
                entry.users++;
                chain.push_back(&entry);
        }
        return chain;
}

void Cgroups::leave(std::span<const Confinement::Group> groups) {
        for (const auto& group : groups)
                if (const auto found = entries_.find(group.path);
                    found != entries_.end() && --found->second.users == 0)
                        entries_.erase(found);
}

std::optional<std::size_t> CgroupIndex::add(const Cgroups::Chain& chain) {
        // From the outermost inwards, so that no parent can come after its child: whatever the
        // chains of different clients say, there is no cycle.
        std::optional<std::size_t> nearest;
        for (auto entry = chain.rbegin(); entry != chain.rend(); ++entry) {
                if (!(*entry)->quota)
                        continue;
                const auto [known, is_new] = known_.try_emplace(*entry, cgroups_.size());
                if (is_new)
                        cgroups_.push_back({nearest, (*entry)->quota});
                nearest = known->second;
        }
        return nearest;
}

}  // namespace governor::registry
