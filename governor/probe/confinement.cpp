// SPDX-License-Identifier: MIT
// Affinity and control groups.
#include "probe/confinement.hpp"

#include <cerrno>
#include <utility>

namespace governor::probe {

void ConfinementReader::forget_before(policy::TimePoint now) {
        if (std::exchange(last_, now) != now)
                cgroups_.forget();
}

std::optional<std::uint32_t> ConfinementReader::owner(std::uint32_t pid, policy::TimePoint now) {
        forget_before(now);
        std::vector<CgroupMembership> memberships;
        return cgroups_.memberships(pid, memberships) == 0 ? cgroups_.owner(memberships)
                                                           : std::nullopt;
}

int ConfinementReader::read(std::uint32_t pid, policy::TimePoint now,
                            Confinement& ret_confinement) {
        forget_before(now);
        Confinement found;
        if (const int error = affinity_.read(pid, found.cpus, found.threads); error < 0)
                return error;
        std::vector<CgroupMembership> memberships;
        if (const int error = cgroups_.memberships(pid, memberships); error == 0) {
                found.groups = cgroups_.quotas(memberships);
                found.owner = cgroups_.owner(memberships);
        }
        ret_confinement = std::move(found);
        return 0;
}

void ConfinementReader::add_claimed(std::uint32_t pid, const policy::CpuMask& claimed,
                                    policy::CpuMask& cpus) {
        std::vector<CgroupMembership> memberships;
        if (claimed.empty() || cgroups_.memberships(pid, memberships) < 0)
                return;
        const auto allowed = cgroups_.cpuset(memberships);
        cpus = cpus | (allowed ? claimed & *allowed : claimed);
}

}  // namespace governor::probe
