// SPDX-License-Identifier: MIT
// Client by client.
#include "registry/holders.hpp"

namespace governor::registry {

namespace {

using policy::fair::ProgramId;

/// Who may run on no governed CPU, or begins no region until its turn, holds none.
template <class Visit>
void for_each_grant(const Clients& clients, Visit visit) {
        for (auto id = clients.next(ProgramId{}); id; id = clients.next(*id)) {
                const auto* held = clients.held(*id);
                if (held != nullptr && held->is_governed() && !held->grant.parked)
                        visit(*id, held->grant.cpus);
        }
}

}  // namespace

std::map<std::uint32_t, std::vector<ProgramId>> holders(const Clients& clients) {
        std::map<std::uint32_t, std::vector<ProgramId>> holders;
        for_each_grant(clients, [&](ProgramId id, const policy::CpuMask& cpus) {
                cpus.for_each([&](std::uint32_t cpu) {
                        if (auto& all = holders[cpu]; all.size() < kMostHolders)
                                all.push_back(id);
                });
        });
        return holders;
}

policy::CpuMask held_cpus(const Clients& clients) {
        policy::CpuMask all;
        for_each_grant(clients, [&](ProgramId, const policy::CpuMask& cpus) { all |= cpus; });
        return all;
}

}  // namespace governor::registry
