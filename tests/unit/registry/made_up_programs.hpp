// SPDX-License-Identifier: MIT
//
// Made-up programs for the tests of this room.
#pragma once

#include "policy/machine.hpp"
#include "registry/programs.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace governor::registry {

inline const TimePoint kStart{std::chrono::hours{1}};

inline policy::Machine machine_of(std::uint32_t cpus) {
        policy::Topology topology;
        for (std::uint32_t cpu = 0; cpu < cpus; cpu++)
                topology[cpu] = {};
        return {topology, policy::CpuMask::range(0, cpus)};
}

inline Identity program_of(std::uint32_t uid, const std::string& label = "program") {
        Identity identity;
        identity.pid = 100;
        identity.account = Account{uid};
        identity.uid = uid;
        identity.label = label;
        return identity;
}

inline Confinement within(const policy::CpuMask& cpus) {
        Confinement where;
        where.cpus = cpus;
        return where;
}

inline policy::fair::Grant grant_of(ProgramId id, const policy::CpuMask& cpus) {
        policy::fair::Grant grant;
        grant.id = id;
        grant.threads = std::max(cpus.count(), 1U);
        grant.cpus = cpus;
        return grant;
}

inline policy::fair::Decision decision_of(std::initializer_list<policy::fair::Grant> grants) {
        policy::fair::Decision decision;
        decision.grants = grants;
        return decision;
}

}  // namespace governor::registry
