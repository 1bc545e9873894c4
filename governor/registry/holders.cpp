// SPDX-License-Identifier: MIT
// Program by program.
#include "registry/holders.hpp"

namespace governor::registry {

namespace {

/// A program that may run on no governed CPU holds none, nor does one that waits for its turn.
template <class Visit>
void for_each_grant(const Programs& programs, Visit visit) {
        programs.for_each([&](const Program& program) {
                const auto* held = program.held();
                if (held != nullptr && held->is_governed() && !held->grant.parked)
                        visit(program.id(), held->grant.cpus);
        });
}

}  // namespace

std::map<std::uint32_t, std::vector<ProgramId>> holders(const Programs& programs) {
        std::map<std::uint32_t, std::vector<ProgramId>> holders;
        for_each_grant(programs, [&](ProgramId id, const policy::CpuMask& cpus) {
                cpus.for_each([&](std::uint32_t cpu) {
                        if (auto& all = holders[cpu]; all.size() < kMostHolders)
                                all.push_back(id);
                });
        });
        return holders;
}

policy::CpuMask held_cpus(const Programs& programs) {
        policy::CpuMask all;
        for_each_grant(programs, [&](ProgramId, const policy::CpuMask& cpus) { all |= cpus; });
        return all;
}

}  // namespace governor::registry
