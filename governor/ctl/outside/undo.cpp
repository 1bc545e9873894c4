// SPDX-License-Identifier: MIT
// An autogroup is reached by any of its processes.
#include "outside/undo.hpp"

#include "outside/choose.hpp"
#include "outside/one_cpu.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>

namespace ctl::outside {

namespace {

/// The members of an autogroup that are kept; one of them is not to be reached only if it is not
/// dumpable (prctl(2)).
constexpr std::size_t kMostMembers = 64;

}  // namespace

/// Empty: it is not to be changed by this process.
std::optional<Autogroup> Undo::group_of(const HeldProcess& process) const {
        return is_by_others_ || process.is_own() ? autogroup_of(process) : std::nullopt;
}

void Undo::look() {
        members_.clear();
        const std::unique_ptr<DIR, int (*)(DIR*)> processes(::opendir((root_ + "/proc").c_str()),
                                                            ::closedir);
        while (processes) {
                const auto* entry = ::readdir(processes.get());
                if (entry == nullptr)
                        return;
                const auto pid = governor::probe::parse_number<std::uint32_t>(
                        static_cast<const char*>(entry->d_name));
                const auto held = pid ? HeldProcess::open(root_, *pid) : std::nullopt;
                const auto group = held ? group_of(*held) : std::nullopt;
                if (!group)
                        continue;
                auto& members = members_[group->id];
                if (members.size() < kMostMembers)
                        members.push_back(*pid);
        }
}

/// A process may have ended, and its number be another's now: what counts is in which autogroup it
/// is. One that nobody may change any more is done with, too.
Undo::Outcome Undo::undo(const ChangedAutogroup& group) const {
        const auto members = members_.find(group.id);
        auto outcome = Outcome::NotFound;
        if (members == members_.end())
                return outcome;
        for (const auto pid : members->second) {
                const auto held = HeldProcess::open(root_, pid);
                const auto now = held ? group_of(*held) : std::nullopt;
                if (!now || now->id != group.id)
                        continue;
                const int error =
                        now->nice == kYieldingNice ? set_autogroup_nice(*held, group.was) : 0;
                if (error == 0 || error == -EAGAIN)
                        return error == 0 ? Outcome::Done : Outcome::Waits;
                outcome = Outcome::Done;
        }
        return outcome;
}

/// The kernel does it where the user's systemd does not: the group is this user's.
void Undo::undo(const std::string& scope) {
        if (groups_.is_idle(scope) != true)
                return;
        if (!manager_) {
                auto manager = UserManager::open();
                if (manager)
                        manager_.emplace(std::move(*manager));
        }
        if (manager_ && manager_->set_cpu_weight(unit_of(scope), kDefaultWeight) < 0)
                manager_.reset();
        if (groups_.is_idle(scope) == true)
                groups_.end_idle(scope);
}

void Undo::widen(Record& record) {
        if (record.narrowed) {
                // Orphans are its children, also those that have come since it looked last.
                record.narrowed->processes.push_back(record.run);
                outside::widen(*record.narrowed);
        }
        record.narrowed.reset();
        if (record.fenced)
                outside::widen(*record.fenced);
        record.fenced.reset();
}

void Undo::work(Record& record) {
        for (const auto& scope : record.scopes)
                undo(scope);
        record.scopes.clear();
        widen(record);
        bool has_looked = false;
        auto& groups = record.autogroups;
        while (!groups.empty()) {
                const auto outcome = undo(groups.front());
                if (outcome == Outcome::Waits)  // all others would have to, too
                        return;
                if (outcome == Outcome::NotFound && !has_looked)
                        look();
                else
                        groups.erase(groups.begin());
                has_looked |= outcome == Outcome::NotFound;
        }
}

}  // namespace ctl::outside
