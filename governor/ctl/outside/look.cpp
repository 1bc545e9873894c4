// SPDX-License-Identifier: MIT
// A scan of /proc, and of each process of the tree its autogroup and control group.
#include "outside/look.hpp"

#include "probe/file_reader.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <unistd.h>
#include <unordered_map>

namespace ctl::outside {

namespace {

using governor::probe::CgroupMembership;
using governor::probe::CgroupMount;
using governor::probe::PidStat;
namespace probe = governor::probe;

bool is_of_cpu(std::string_view controllers) { return probe::list_contains(controllers, "cpu"); }

/// The hierarchy that has the controller: version 1 if it is mounted there, else version 2.
const CgroupMount* cpu_mount(const std::vector<CgroupMount>& mounts) {
        auto found = std::ranges::find_if(
                mounts, [](const CgroupMount& mount) { return is_of_cpu(mount.controllers); });
        if (found == mounts.end())
                found = std::ranges::find_if(mounts, &CgroupMount::is_v2);
        return found != mounts.end() ? &*found : nullptr;
}

}  // namespace

Look::Look(std::string root, std::string guardian)
        : root_(std::move(root)), guardian_(std::move(guardian)), scan_(root_) {
        probe::FileReader files;
        std::string_view text;
        if (files.read(root_ + "/proc/self/mountinfo", text) == 0)
                mounts_ = probe::parse_cgroup_mounts(text);
}

bool Look::exists(const std::string& path) const {
        return ::access((root_ + path).c_str(), F_OK) == 0;
}

bool Look::has_word(const std::string& path, std::string_view word) const {
        probe::FileReader files;
        std::string_view text;
        if (files.read_short(root_ + path, text) < 0)
                return false;
        text = probe::take_until(text, '\n');
        while (!text.empty())
                if (probe::take_until(text, ' ') == word)
                        return true;
        return false;
}

/// In a namespace of control groups "/" may be any group: only the real root has a release_agent
/// (version 1), or no type (version 2).
bool Look::is_in_root_group(const HeldProcess& process) const {
        const auto* mount = cpu_mount(mounts_);
        if (mount == nullptr)
                return true;
        const auto text = process.read("cgroup");
        const auto memberships = probe::parse_cgroup_memberships(text.value_or(""));
        const auto membership =
                std::ranges::find_if(memberships, [&](const CgroupMembership& group) {
                        return mount->is_v2() ? group.controllers.empty()
                                              : is_of_cpu(group.controllers);
                });
        if (membership == memberships.end() || mount->root != "/")
                return false;
        const bool is_top = membership->path == "/";
        if (!mount->is_v2())
                return is_top && exists(mount->directory + "/release_agent");
        return !exists(mount->directory + "/cgroup.type") &&
               (is_top || !has_word(mount->directory + "/cgroup.subtree_control", "cpu"));
}

std::vector<const PidStat*> Look::below(std::uint32_t top) const {
        std::unordered_multimap<std::uint32_t, const PidStat*> children;
        for (const auto& process : scan_.processes())
                children.emplace(process.ppid, &process);
        std::vector<const PidStat*> found;
        std::vector<std::uint32_t> parents{top};
        while (!parents.empty()) {
                const auto [first, last] = children.equal_range(parents.back());
                parents.pop_back();
                for (auto child = first; child != last; ++child) {
                        found.push_back(child->second);
                        parents.push_back(child->second->pid);
                }
                children.erase(first, last);  // ends the walk should a number have come again
        }
        std::ranges::sort(found, {}, [](const PidStat* process) {
                return std::pair(process->started_ticks, process->pid);
        });
        return found;
}

/// Its words alone would not do: any program may have them.
bool Look::is_guardian(const PidStat& process) const {
        constexpr std::string_view kWords("governorctl\0guard\0", 18);
        const auto held = HeldProcess::open(root_, process.pid);
        return held && held->read("cmdline").value_or("").starts_with(kWords) &&
               held->executes(guardian_);
}

void Look::add(const PidStat& process, std::vector<Session>& sessions) const {
        const auto held = HeldProcess::open(root_, process.pid);
        const auto group = held ? autogroup_of(*held) : std::nullopt;
        if (!group)
                return;
        auto session = std::ranges::find_if(
                sessions, [&](const Session& known) { return known.group.id == group->id; });
        if (session == sessions.end()) {
                if (sessions.size() == kMostAutogroups)
                        return;
                session =
                        sessions.insert(session, Session{*group, process.pid, false, true, false});
        }
        session->has_terminal |= process.has_terminal;
        session->is_in_root_group &= is_in_root_group(*held);
        session->is_own |= held->is_own();
}

Facts Look::take(std::uint32_t top) {
        Facts facts;
        probe::FileReader files;
        std::string_view text;
        facts.autogroups_are_on =
                files.read_short(root_ + "/proc/sys/kernel/sched_autogroup_enabled", text) == 0 &&
                text == "1\n";
        if (const auto own = HeldProcess::open(root_, top); own)
                if (const auto group = autogroup_of(*own); group)
                        facts.own_group = group->id;
        if (scan_.take() < 0)
                return facts;
        for (const auto* process : below(top)) {
                if (is_guardian(*process))
                        continue;
                add(*process, facts.sessions);
                facts.processes.push_back({process->pid, process->started_ticks});
        }
        return facts;
}

}  // namespace ctl::outside
