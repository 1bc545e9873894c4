// SPDX-License-Identifier: MIT
// No path leads out of a mount, and quotas are numbers of CPUs, whatever mountinfo, cgroup, cpu.max
// and cpu.stat say. The input is cut at empty lines: a file each, in that order.
#include "probe/cgroup_files.hpp"
#include "require.hpp"

#include <array>
#include <string_view>

using namespace governor::probe;

namespace {

void check_place(const CgroupMount& mount, std::string_view group) {
        const auto directory = directory_below(mount, group);
        if (!directory)
                return;
        require(directory->starts_with(mount.directory), "a group lies below its mount");
        const auto below = std::string_view(*directory).substr(mount.directory.size());
        require(below.empty() || below.front() == '/', "a group is a directory of its mount");
        require(below.find("/../") == below.npos && !below.ends_with("/.."),
                "nothing leads upwards");
        require(group.ends_with(below) || below.empty(), "the group is at the end of its path");
}

void check_ancestry(std::string_view path) {
        const auto groups = ancestry(path);
        require(!groups.empty() && (path == "/" || groups.front() == path),
                "the group itself is first");
        for (std::size_t i = 1; i < groups.size(); i++)
                require(groups[i].size() < groups[i - 1].size() &&
                                groups[i - 1].starts_with(groups[i] + "/"),
                        "each is the parent of the one before");
        require(groups.back().empty() || groups.back().ends_with("/.."),
                "the last is the root, or where names end");
        require(ancestry(within_levels(path)).size() <= kMostLevels + 1, "levels are limited");
        (void)user_of_slice(path);
}

void check_quota(std::optional<std::uint32_t> quota) {
        require(!quota || (*quota >= 1 && *quota <= 65535), "a quota is a number of CPUs");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        std::string_view rest(reinterpret_cast<const char*>(data), size);
        std::array<std::string_view, 4> files;
        for (auto& file : files) {
                const auto cut = rest.find("\n\n");
                file = rest.substr(0, cut == rest.npos ? cut : cut + 1);
                rest.remove_prefix(cut == rest.npos ? rest.size() : cut + 2);
        }
        const auto mounts = parse_cgroup_mounts(files[0]);
        for (const auto& membership : parse_cgroup_memberships(files[1])) {
                require(membership.path.starts_with('/'), "a group is a path");
                check_ancestry(membership.path);
                for (const auto& mount : mounts)
                        check_place(mount, membership.path);
        }
        check_quota(parse_cpu_max(files[2]));
        check_quota(parse_cfs_quota(files[2], files[3]));
        if (const auto usage = parse_usage(files[3]))
                require(usage->count() >= 0, "usage is not negative");
        return 0;
}
