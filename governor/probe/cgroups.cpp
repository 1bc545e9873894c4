// SPDX-License-Identifier: MIT
// Mounts, paths and the files in them.
#include "probe/cgroups.hpp"

#include "probe/cpu_sets.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <sys/stat.h>

namespace governor::probe {

namespace {

constexpr std::uint32_t kDefaultOverflowUid = 65534;
constexpr std::string_view kCpuset = "cpuset";

/// `hierarchy` is the name of a controller, or empty for version 2.
bool belongs_to(std::string_view controllers, std::string_view hierarchy) {
        return hierarchy.empty() ? controllers.empty() : list_contains(controllers, hierarchy);
}

bool is_mounted(const std::vector<CgroupMount>& mounts, std::string_view hierarchy) {
        return std::ranges::any_of(mounts, [&](const CgroupMount& mount) {
                return belongs_to(mount.controllers, hierarchy);
        });
}

const std::string* path_in(const std::vector<CgroupMembership>& memberships,
                           std::string_view hierarchy) {
        const auto it = std::ranges::find_if(memberships, [&](const CgroupMembership& m) {
                return belongs_to(m.controllers, hierarchy);
        });
        return it != memberships.end() ? &it->path : nullptr;
}

/// A hierarchy may be mounted more than once; the mount that shows most of it is the best.
const CgroupMount* best_mount(const std::vector<CgroupMount>& mounts, std::string_view hierarchy,
                              std::string_view path) {
        const CgroupMount* best = nullptr;
        for (const auto& mount : mounts)
                if (belongs_to(mount.controllers, hierarchy) && directory_below(mount, path) &&
                    (best == nullptr || mount.root.size() < best->root.size()))
                        best = &mount;
        return best;
}

std::optional<std::string> find_directory(const std::vector<CgroupMount>& mounts,
                                          std::string_view hierarchy, std::string_view path) {
        const auto* mount = best_mount(mounts, hierarchy, path);
        return mount != nullptr ? directory_below(*mount, path) : std::nullopt;
}

/// The entry of `groups` for `group`; asks `read` only once.
template <class ByGroup, class Read>
std::optional<std::uint32_t> remembered(ByGroup& groups, const std::string& group, Read read) {
        const auto [entry, is_new] = groups.try_emplace(group);
        if (is_new)
                entry->second = read();
        return entry->second;
}

}  // namespace

Cgroups::Cgroups(std::string root) : root_(std::move(root)) {
        std::string_view mounts;
        if (files_.read(root_ + "/proc/self/mountinfo", mounts) == 0)
                mounts_ = parse_cgroup_mounts(mounts);
        if (is_mounted(mounts_, "cpu"))
                cpu_ = "cpu";
        if (is_mounted(mounts_, "name=systemd"))
                manager_ = "name=systemd";
        auto unmapped = text("/proc/sys/kernel/overflowuid").value_or("");
        unmapped_uid_ = parse_number<std::uint32_t>(take_until(unmapped, '\n'))
                                .value_or(kDefaultOverflowUid);
}

std::optional<std::string_view> Cgroups::text(const std::string& path) {
        std::string_view text;
        return files_.read_short(root_ + path, text) == 0 ? std::optional(text) : std::nullopt;
}

int Cgroups::memberships(std::uint32_t pid, std::vector<CgroupMembership>& ret_memberships) {
        std::string_view text;
        const int error =
                files_.read_short(root_ + "/proc/" + std::to_string(pid) + "/cgroup", text);
        if (error < 0)
                return error == -ENOENT ? -ESRCH : error;
        ret_memberships = parse_cgroup_memberships(text);
        return 0;
}

std::optional<std::string>
Cgroups::cpu_path(const std::vector<CgroupMembership>& memberships) const {
        const auto* path = path_in(memberships, cpu_);
        return path != nullptr ? std::optional(*path) : std::nullopt;
}

std::optional<std::uint32_t> Cgroups::quota(const std::string& directory) {
        if (cpu_.empty())
                return parse_cpu_max(text(directory + "/cpu.max").value_or(""));
        const std::string quota_us(text(directory + "/cpu.cfs_quota_us").value_or(""));
        if (quota_us.starts_with('-'))
                return std::nullopt;
        return parse_cfs_quota(quota_us, text(directory + "/cpu.cfs_period_us").value_or(""));
}

std::optional<std::uint32_t> Cgroups::owner_of(const std::string& directory) const {
        struct stat about {};
        if (::stat((root_ + directory).c_str(), &about) < 0 || about.st_uid == 0 ||
            about.st_uid == unmapped_uid_)
                return std::nullopt;
        return about.st_uid;
}

void Cgroups::forget() {
        quotas_.clear();
        owners_.clear();
}

std::vector<CgroupQuota> Cgroups::quotas(const std::vector<CgroupMembership>& memberships) {
        std::vector<CgroupQuota> quotas;
        const auto* path = path_in(memberships, cpu_);
        if (path == nullptr)
                return quotas;
        for (auto& group : ancestry(within_levels(*path))) {
                const auto limit = remembered(quotas_, group, [&] {
                        const auto directory = find_directory(mounts_, cpu_, group);
                        return directory ? quota(*directory) : std::nullopt;
                });
                quotas.push_back({std::move(group), limit});
        }
        return quotas;
}

std::optional<std::uint32_t> Cgroups::owner(const std::vector<CgroupMembership>& memberships) {
        const auto* path = path_in(memberships, manager_);
        if (path == nullptr)
                return std::nullopt;
        const auto* mount = best_mount(mounts_, manager_, *path);
        // A container sees the host's path in front of its own.
        std::string_view within = *path;
        if (mount != nullptr && mount->root != "/")
                within.remove_prefix(mount->root.size());
        if (const auto user = user_of_slice(within))
                return user;
        std::optional<std::uint32_t> highest;
        for (const auto& group : ancestry(within_levels(*path))) {
                const auto owner = remembered(owners_, group, [&] {
                        const auto directory = find_directory(mounts_, manager_, group);
                        return directory ? owner_of(*directory) : std::nullopt;
                });
                if (owner)
                        highest = owner;
        }
        return highest;
}

std::optional<policy::CpuMask> Cgroups::cpuset(const std::vector<CgroupMembership>& memberships) {
        const std::string_view hierarchy = is_mounted(mounts_, kCpuset) ? kCpuset : "";
        const auto* file = hierarchy.empty() ? "/cpuset.cpus.effective" : "/cpuset.effective_cpus";
        const auto* path = path_in(memberships, hierarchy);
        if (path == nullptr)
                return std::nullopt;
        // Version 2 has the file only where the group above hands the controller on.
        for (const auto& group : ancestry(within_levels(*path))) {
                const auto directory = find_directory(mounts_, hierarchy, group);
                const auto list = directory ? text(*directory + file) : std::nullopt;
                const auto cpus = list ? parse_cpu_set(*list) : std::nullopt;
                if (cpus)
                        return cpus;
        }
        return std::nullopt;
}

bool Cgroups::is_idle(const std::string& directory) {
        auto idle = text(directory + "/cpu.idle").value_or("");
        return take_until(idle, '\n') == "1";
}

/// Breadth first, so that many groups deep down, which any user may make, cannot hide those above.
std::vector<std::string> Cgroups::idle_groups(std::size_t most) {
        entries_read_ = 0;
        std::vector<std::string> idle;
        std::deque<std::string> waiting;
        for (const auto& mount : mounts_)
                if (belongs_to(mount.controllers, cpu_) &&
                    (waiting.empty() || mount.root.size() < waiting.front().size()))
                        waiting = {mount.root};
        if (!waiting.empty() && waiting.front() == "/")
                waiting.front().clear();
        for (std::size_t known = waiting.size();
             !waiting.empty() && idle.size() < kMostIdleGroups;) {
                const auto group = std::move(waiting.front());
                waiting.pop_front();
                const auto directory = find_directory(mounts_, cpu_, group);
                if (!directory)
                        continue;
                if (is_idle(*directory)) {
                        idle.push_back(group);
                        continue;
                }
                if (known >= most || std::ranges::count(group, '/') >= std::ptrdiff_t{kMostLevels})
                        continue;
                std::error_code error;
                std::filesystem::directory_iterator entry(root_ + *directory, error);
                for (; !error && entry != std::filesystem::directory_iterator() && known < most;
                     entry.increment(error)) {
                        entries_read_++;
                        if (!entry->is_directory(error) || entry->is_symlink(error))
                                continue;
                        waiting.push_back(group + "/" + entry->path().filename().string());
                        known++;
                }
        }
        return idle;
}

std::optional<std::chrono::nanoseconds> Cgroups::usage(const std::string& path) {
        const auto directory = find_directory(mounts_, cpu_, path);
        if (!directory)
                return std::nullopt;
        if (cpu_.empty())
                return parse_usage(text(*directory + "/cpu.stat").value_or(""));
        auto usage = text(*directory + "/cpuacct.usage").value_or("");
        const auto ns = parse_number<std::int64_t>(take_until(usage, '\n'));
        return ns && *ns >= 0 ? std::optional(std::chrono::nanoseconds{*ns}) : std::nullopt;
}

}  // namespace governor::probe
