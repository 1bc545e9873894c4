// SPDX-License-Identifier: MIT
//
// Finds where the kernel lets a process run, and on whose behalf.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/time_point.hpp"
#include "probe/affinity.hpp"
#include "probe/cgroups.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace governor::probe {

struct Confinement {
        policy::CpuMask cpus;             ///< cpuset and the union of its threads' affinity
        std::vector<CgroupQuota> groups;  ///< as Cgroups::quotas()
        /// The user that its control group belongs to. Empty: nobody in particular.
        std::optional<std::uint32_t> owner;
        std::uint32_t threads = 0;  ///< as count_threads(); 0 below a root

        friend bool operator==(const Confinement&, const Confinement&) = default;
};

/// Not thread-safe.
class ConfinementReader {
public:
        /// `root` is empty for this machine.
        explicit ConfinementReader(const std::string& root) : affinity_(root), cgroups_(root) {}

        /// Returns 0 or a negative errno; -ESRCH: the process has gone or is hidden (hidepid=).
        /// Facts about control groups that cannot be found out are left out. About 20 us for a
        /// process of few threads, and 8 us for each level of control groups, kMostLevels at most.
        /// Successive calls with the same `now` read each group once, whatever processes are in it.
        [[nodiscard]] int read(std::uint32_t pid, policy::TimePoint now,
                               Confinement& ret_confinement);

        /// Confinement::owner alone, empty also where the process has gone: about 8 us, and 2 us
        /// for each level. In calls with the same `now` as read().
        [[nodiscard]] std::optional<std::uint32_t> owner(std::uint32_t pid, policy::TimePoint now);

        /// For a process that binds its threads itself, and says that it may run on `claimed`: adds
        /// as much of that as its cpuset allows. Adds nothing if the process has gone. About 25 us.
        void add_claimed(std::uint32_t pid, const policy::CpuMask& claimed, policy::CpuMask& cpus);

        /// For YieldingLoad, which needs the same.
        [[nodiscard]] Cgroups& cgroups() { return cgroups_; }

private:
        void forget_before(policy::TimePoint now);

        Affinity affinity_;
        Cgroups cgroups_;
        std::optional<policy::TimePoint> last_;  // what cgroups_ remembers was read then
};

}  // namespace governor::probe
