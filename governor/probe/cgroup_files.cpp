// SPDX-License-Identifier: MIT
// mountinfo, cgroup, cpu.max, cpu.cfs_*, cpu.stat.
#include "probe/cgroup_files.hpp"

#include "probe/text.hpp"

#include <algorithm>
#include <array>

namespace governor::probe {

namespace {

constexpr std::int64_t kMostCpus = 65535;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Space, tab, newline and backslash are written as \ooo.
std::string unescape(std::string_view text) {
        std::string plain;
        for (std::size_t i = 0; i < text.size(); i++) {
                const auto code = text.substr(i + 1, 3);
                if (text[i] != '\\' || code.size() < 3 || !std::ranges::all_of(code, is_octal)) {
                        plain += text[i];
                        continue;
                }
                plain += static_cast<char>((code[0] - '0') * 64 + (code[1] - '0') * 8 +
                                           (code[2] - '0'));
                i += 3;
        }
        return plain;
}

struct MountLine {
        CgroupMount mount;
        bool is_cgroup = false;
};

/// "ID PARENT DEVICE ROOT DIRECTORY OPTIONS [FIELD...] - TYPE SOURCE SUPEROPTIONS"
std::optional<MountLine> parse_mount_line(std::string_view line) {
        constexpr std::string_view kSeparator = " - ";
        const auto separator = line.find(kSeparator);
        if (separator == line.npos)
                return std::nullopt;
        auto behind = line.substr(separator + kSeparator.size());
        std::array<std::string_view, 5> columns;
        for (auto& column : columns)
                column = take_until(line, ' ');
        if (!columns[3].starts_with('/') || !columns[4].starts_with('/'))
                return std::nullopt;
        const auto type = take_until(behind, ' ');
        take_until(behind, ' ');
        MountLine parsed{{"", unescape(columns[3]), unescape(columns[4])},
                         type == "cgroup" || type == "cgroup2"};
        if (type == "cgroup")
                parsed.mount.controllers = behind;
        if (type == "cgroup" && behind.empty())
                return std::nullopt;
        return parsed;
}

bool is_outside(std::string_view path) { return path == "/.." || path.starts_with("/../"); }

std::optional<std::uint32_t> whole_cpus(std::optional<std::int64_t> quota,
                                        std::optional<std::int64_t> period) {
        if (!quota || !period || *quota <= 0 || *period <= 0)
                return std::nullopt;
        const auto cpus = *quota / *period + (*quota % *period != 0 ? 1 : 0);
        return cpus <= kMostCpus ? std::optional(static_cast<std::uint32_t>(cpus)) : std::nullopt;
}

std::string_view first_line(std::string_view text) { return take_until(text, '\n'); }

}  // namespace

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
        std::vector<CgroupMount> mounts;
        while (!mountinfo.empty()) {
                auto line = parse_mount_line(take_until(mountinfo, '\n'));
                if (!line)
                        continue;
                std::erase_if(mounts, [&](const CgroupMount& earlier) {
                        return earlier.directory == line->mount.directory;
                });
                if (line->is_cgroup)
                        mounts.push_back(std::move(line->mount));
        }
        return mounts;
}

std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view cgroup) {
        std::vector<CgroupMembership> memberships;
        while (!cgroup.empty()) {
                auto line = take_until(cgroup, '\n');
                take_until(line, ':');
                const auto controllers = take_until(line, ':');
                if (line.starts_with('/'))
                        memberships.push_back({std::string(controllers), std::string(line)});
        }
        return memberships;
}

std::optional<std::string> directory_below(const CgroupMount& mount, std::string_view group) {
        const std::string_view root = mount.root == "/" ? "" : std::string_view(mount.root);
        if (!group.starts_with(root))
                return std::nullopt;
        group.remove_prefix(root.size());
        if (group == "/")
                group = "";
        if ((!group.empty() && group.front() != '/') || is_outside(group) ||
            group.find("/../") != group.npos || group.ends_with("/.."))
                return std::nullopt;
        return mount.directory + std::string(group);
}

std::string_view within_levels(std::string_view group) {
        std::size_t levels = 0;
        for (auto slash = group.find('/'); slash != group.npos; slash = group.find('/', slash + 1))
                if (levels++ == kMostLevels)
                        return group.substr(0, slash);
        return group;
}

std::vector<std::string> ancestry(std::string_view group) {
        std::vector<std::string> groups;
        if (group == "/")
                group = "";
        for (;;) {
                groups.emplace_back(group);
                if (group.empty() || group.ends_with("/.."))
                        return groups;
                const auto slash = group.rfind('/');
                group = group.substr(0, slash == group.npos ? 0 : slash);
        }
}

std::optional<std::uint32_t> parse_cpu_max(std::string_view text) {
        auto line = first_line(text);
        const auto quota = take_until(line, ' ');
        return whole_cpus(parse_number<std::int64_t>(quota), parse_number<std::int64_t>(line));
}

std::optional<std::uint32_t> parse_cfs_quota(std::string_view quota_us,
                                             std::string_view period_us) {
        return whole_cpus(parse_number<std::int64_t>(first_line(quota_us)),
                          parse_number<std::int64_t>(first_line(period_us)));
}

std::optional<std::chrono::microseconds> parse_usage(std::string_view cpu_stat) {
        while (!cpu_stat.empty()) {
                auto line = take_until(cpu_stat, '\n');
                if (take_until(line, ' ') != "usage_usec")
                        continue;
                const auto usage = parse_number<std::int64_t>(line);
                return usage && *usage >= 0 ? std::optional(std::chrono::microseconds{*usage})
                                            : std::nullopt;
        }
        return std::nullopt;
}

std::optional<std::uint32_t> user_of_slice(std::string_view group) {
        constexpr std::string_view kPrefix = "/user.slice/user-";
        constexpr std::string_view kSuffix = ".slice";
        if (!group.starts_with(kPrefix))
                return std::nullopt;
        group.remove_prefix(kPrefix.size());
        auto name = take_until(group, '/');
        if (!name.ends_with(kSuffix))
                return std::nullopt;
        name.remove_suffix(kSuffix.size());
        return parse_number<std::uint32_t>(name);
}

}  // namespace governor::probe
