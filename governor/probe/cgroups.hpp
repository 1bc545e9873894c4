// SPDX-License-Identifier: MIT
//
// The control groups of this machine, wherever they are mounted: version 1, 2 or both.
#pragma once

#include "policy/cpu_mask.hpp"
#include "probe/cgroup_files.hpp"
#include "probe/file_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace governor::probe {

/// A group and the most CPUs that all programs below it may use together.
struct CgroupQuota {
        std::string path;                    ///< "" is the root
        std::optional<std::uint32_t> quota;  ///< rounded up; empty: no limit, or not to be seen

        friend bool operator==(const CgroupQuota&, const CgroupQuota&) = default;
};

/// The hierarchy that controls CPU time is that of the version 1 controller `cpu` if it is mounted,
/// else version 2: the kernel has the controller in one of them only. Not thread-safe.
class Cgroups {
public:
        /// Finds the mounts in `root`/proc/self/mountinfo, once: about 40 us.
        explicit Cgroups(std::string root);

        /// The groups that a process is in: about 8 us. 0 or a negative errno; -ESRCH: it has
        /// gone, or is hidden (hidepid=).
        [[nodiscard]] int memberships(std::uint32_t pid,
                                      std::vector<CgroupMembership>& ret_memberships);

        /// Its path in the hierarchy that controls CPU time. Empty: in none.
        [[nodiscard]] std::optional<std::string>
        cpu_path(const std::vector<CgroupMembership>& memberships) const;

        /// The process's group first, or its ancestor at kMostLevels if it lies deeper, then each
        /// ancestor, up to the root where it can be seen. About 6 us per level (version 1: 12 us
        /// where there is a quota), for groups that were not asked about since forget().
        [[nodiscard]] std::vector<CgroupQuota>
        quotas(const std::vector<CgroupMembership>& memberships);

        /// The user whose programs run there: the user of user-UID.slice, else the owner of the
        /// highest group that root does not own. Groups that this owner has made below do not
        /// matter (a container's users have many subordinate uids). Looks down to kMostLevels.
        /// Empty: root, or not to be seen, like an owner without a number in our user namespace.
        /// About 2 us per level, as quotas().
        [[nodiscard]] std::optional<std::uint32_t>
        owner(const std::vector<CgroupMembership>& memberships);

        /// The CPUs that its cpuset allows: that of the nearest group that can be seen. Empty: none
        /// can, as where nobody uses cpusets. About 15 us.
        [[nodiscard]] std::optional<policy::CpuMask>
        cpuset(const std::vector<CgroupMembership>& memberships);

        /// quotas() and owner() read a group's files once, however many processes are below it, and
        /// anew after this.
        void forget();

        static constexpr std::size_t kMostGroups = 4096;
        static constexpr std::size_t kMostIdleGroups = 256;

        /// Groups with cpu.idle = 1, the highest ones only: all below yields with them. Looks at
        /// `most` groups, the highest first and none deeper than kMostLevels, at 30 us each, and
        /// reads no folder on once it knows so many. It finds kMostIdleGroups at most: each will
        /// cost every sample, and anybody may make thousands. The time of further groups counts
        /// like any program's time.
        [[nodiscard]] std::vector<std::string> idle_groups(std::size_t most = kMostGroups);
        /// Entries of folders that the last idle_groups() has gone through.
        [[nodiscard]] std::size_t entries_read() const { return entries_read_; }

        /// CPU time that a group and all below have used so far: about 8 us. Empty: not to be seen,
        /// as where version 1 has cpuacct mounted apart from cpu.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> usage(const std::string& path);

private:
        using ByGroup = std::unordered_map<std::string, std::optional<std::uint32_t>>;

        [[nodiscard]] std::optional<std::uint32_t> quota(const std::string& directory);
        [[nodiscard]] std::optional<std::uint32_t> owner_of(const std::string& directory) const;
        [[nodiscard]] bool is_idle(const std::string& directory);
        [[nodiscard]] std::optional<std::string_view> text(const std::string& path);

        std::string root_;
        std::vector<CgroupMount> mounts_;
        std::string cpu_;      // the controller that names the hierarchy of CPU time; "": version 2
        std::string manager_;  // the hierarchy that systemd keeps users in
        std::uint32_t unmapped_uid_;  // an owner without a number in our user namespace
        FileReader files_;
        ByGroup quotas_;  // since forget()
        ByGroup owners_;
        std::size_t entries_read_ = 0;
};

}  // namespace governor::probe
