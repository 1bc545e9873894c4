// SPDX-License-Identifier: MIT
//
// The texts that tell about control groups, as values: cgroups(7), version 1, 2 and both. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace governor::probe {

/// The place where a hierarchy, or a part of it, can be seen.
struct CgroupMount {
        std::string controllers;  ///< comma-separated, with other words; empty: version 2
        std::string root;         ///< the group that is mounted, "/" mostly
        std::string directory;    ///< the mount point
        [[nodiscard]] bool is_v2() const { return controllers.empty(); }
};

/// The control group mounts of /proc/PID/mountinfo (proc(5)), without those hidden by a later mount
/// at the same place. Lines of another form are passed over.
[[nodiscard]] std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

/// One line of /proc/PID/cgroup: the group of a process in one hierarchy.
struct CgroupMembership {
        std::string controllers;  ///< comma-separated; "name=..." for none; empty: version 2
        std::string path;         ///< "/a/b"; "/../b" if it is outside our namespace
};

/// Lines of another form are passed over.
[[nodiscard]] std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view cgroup);

/// The directory where `group` (a path of /proc/PID/cgroup) is to be seen below `mount`. Empty: it
/// is not a part of what is mounted there.
[[nodiscard]] std::optional<std::string> directory_below(const CgroupMount& mount,
                                                         std::string_view group);

/// Groups that lie deeper than so many levels below the root are not looked at. Anybody may make
/// thousands of levels in a part of the tree that is theirs, and each costs every sample. The
/// groups nearest the root matter most: the administrator, the service manager and containers set
/// their limits there, and these hold for the most programs. A process that goes deeper escapes
/// none of these, but only limits that were set below. Slices, services, pods and containers in one
/// another come to about 12 levels.
constexpr std::size_t kMostLevels = 32;

/// `group`, or where it lies deeper than kMostLevels, its ancestor there.
[[nodiscard]] std::string_view within_levels(std::string_view group);

/// `group` and its ancestors, up to "" for the root or as far as they can be named: "/a/b" ->
/// {"/a/b", "/a", ""}; "/../b" -> {"/../b", "/.."}.
[[nodiscard]] std::vector<std::string> ancestry(std::string_view group);

/// cpu.max, "max 100000" or "250000 100000", as CPUs rounded up, 1..65535. Empty: no limit, or not
/// of that form.
[[nodiscard]] std::optional<std::uint32_t> parse_cpu_max(std::string_view text);

/// The same of cpu.cfs_quota_us (-1: no limit) and cpu.cfs_period_us.
[[nodiscard]] std::optional<std::uint32_t> parse_cfs_quota(std::string_view quota_us,
                                                           std::string_view period_us);

/// usage_usec of cpu.stat.
[[nodiscard]] std::optional<std::chrono::microseconds> parse_usage(std::string_view cpu_stat);

/// 1000 for "/user.slice/user-1000.slice" and all below. Empty elsewhere: such a name deeper down
/// could be given by anybody to a group of theirs.
[[nodiscard]] std::optional<std::uint32_t> user_of_slice(std::string_view group);

}  // namespace governor::probe
