// SPDX-License-Identifier: MIT
// The record first, then the guardian, then the change.
#include "outside/yielding.hpp"

#include "outside/one_cpu.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <utility>

namespace ctl::outside {

namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;

const ChangedAutogroup* find(const Record& record, std::uint64_t group) {
        const auto found = std::ranges::find(record.autogroups, group, &ChangedAutogroup::id);
        return found != record.autogroups.end() ? &*found : nullptr;
}

/// Processes of the tree that have come since; those that have ended make room for them.
void join(Narrowed& tree, const Narrowed& fresh) {
        std::erase_if(tree.processes,
                      [](const ProcessId& process) { return !HeldProcess::open(process); });
        for (const auto& process : fresh.processes)
                if (std::ranges::find(tree.processes, process) == tree.processes.end() &&
                    tree.processes.size() < kMostNarrowed)
                        tree.processes.push_back(process);
        tree.groups = fresh.groups;
}

}  // namespace

Yielding::Yielding(const std::string& place, const std::string& guardian)
        : own_(place, guardian), record_(record_of_this()), look_("", guardian),
          scopes_(record_.run), undo_("", ::geteuid() == 0) {
        own_.guard_what_was_left();
}

std::vector<Session> Yielding::fresh_sessions(Facts& facts) const {
        std::vector<Session> fresh;
        for (auto& session : facts.sessions) {
                if (const auto* changed = find(record_, session.group.id); changed != nullptr) {
                        session.group.nice = changed->was;
                        session.is_own = true;  // it was, and this process gives it back
                } else if (can_yield(session, facts))
                        fresh.push_back(session);
        }
        const auto room = kMostAutogroups - std::min(kMostAutogroups, record_.autogroups.size());
        fresh.resize(std::min(fresh.size(), room));
        return fresh;
}

std::string Yielding::remember(Record record) {
        if (!own_.is_written() || !(record == record_))
                if (auto why_not = own_.write(record); !why_not.empty())
                        return why_not;
        if (!own_.guard())
                return "no guardian can be started, which would undo it";
        record_ = std::move(record);
        return {};
}

std::string Yielding::yield_by_autogroups(const std::vector<Session>& fresh) {
        auto record = record_;
        for (const auto& session : fresh)
                record.autogroups.push_back({session.group.id, session.group.nice});
        if (auto why_not = remember(std::move(record)); !why_not.empty())
                return why_not;
        for (const auto& session : fresh)
                pending_.push_back({session.group.id, session.pid});
        return {};
}

std::string Yielding::yield_by_scopes(const Facts& facts) {
        scopes_.take_in(facts.processes);
        auto record = record_;
        record.scopes = scopes_.made();
        if (auto why_not = remember(std::move(record)); !why_not.empty())
                return why_not;
        for (const auto& group : record_.scopes)
                scopes_.make_idle(group);
        return {};
}

/// The tree may use what this process may use: it has inherited that.
std::string Yielding::yield_by_one_cpu(const Facts& facts) {
        std::vector<std::uint64_t> groups;
        for (const auto& session : facts.sessions)
                if (session.group.id != facts.own_group)
                        groups.push_back(session.group.id);
        auto record = record_;
        const auto fresh =
                narrowed(facts.processes, groups, mask_of(0).value_or(CpuMask()), record_.narrowed);
        if (!record.narrowed)
                record.narrowed = fresh;
        else
                join(*record.narrowed, fresh);
        if (auto why_not = remember(std::move(record)); !why_not.empty())
                return why_not;
        return narrow(*record_.narrowed)
                       ? ""
                       : "one CPU: all processes of the tree are bound, or another user's";
}

void Yielding::look() {
        auto facts = look_.take(record_.run.pid);
        const auto fresh = fresh_sessions(facts);
        std::string why_not;
        facts.no_scope = scopes_.refuse();
        if (facts.no_scope.empty()) {
                why_not = yield_by_scopes(facts);
                facts.no_scope = scopes_.refuse();
        }
        auto choice = choose(facts);
        if (choice.means == Means::Nothing) {
                facts.no_one_cpu = refuse_one_cpu(facts.processes, mask_of(0).value_or(CpuMask()));
                choice = choose(facts);
        }
        if (choice.means == Means::Autogroup)
                why_not = yield_by_autogroups(fresh);
        if (choice.means == Means::OneCpu && why_not.empty())
                why_not = yield_by_one_cpu(facts);
        else if (record_.narrowed)  // it has loaded a runtime that spins
                undo_.widen(record_);
        has_means_ = why_not.empty() && choice.means != Means::Nothing;
        acts_ = why_not.empty() ? describe(choice, record_.autogroups.size())
                                : describe({Means::Nothing, {why_not}}, 0);
}

/// False: the kernel wants us to wait.
bool Yielding::yield_all() {
        while (!pending_.empty()) {
                const auto group = pending_.back().group;
                const auto held = HeldProcess::open("", pending_.back().pid);
                const auto now = held ? autogroup_of(*held) : std::nullopt;
                // Another process that has its number by now is found anew, if it is of the tree.
                const bool is_there = now && now->id == group;
                const int error = is_there ? set_autogroup_nice(*held, kYieldingNice) : -ESRCH;
                if (error == -EAGAIN)
                        return false;
                if (error < 0)
                        std::erase_if(record_.autogroups, [&](const ChangedAutogroup& changed) {
                                return changed.id == group;
                        });
                if (error < 0 && error != -ESRCH) {
                        has_means_ = !record_.autogroups.empty();
                        acts_ = describe({Means::Nothing,
                                          {"autogroup: " + std::string(std::strerror(-error))}},
                                         0);
                }
                pending_.pop_back();
        }
        return true;
}

void Yielding::give_back() {
        pending_.clear();
        look_at_.reset();
        undo_.work(record_);
        if (!record_.has_changes() && own_.is_written())
                (void)own_.write(record_);
}

std::optional<milliseconds> Yielding::work(Clock::time_point now) {
        if (!wants_) {
                if (record_.has_changes())
                        give_back();
                return record_.has_changes() ? std::optional(kRetry) : std::nullopt;
        }
        if (!look_at_ || now >= *look_at_) {
                look();
                look_at_ = now + kLook;
        }
        return yield_all() ? ceil<milliseconds>(*look_at_ - now) : kRetry;
}

void Yielding::end() {
        wants_ = false;
        const auto give_up = Clock::now() + kLastPatience;
        while (work(Clock::now()) && Clock::now() < give_up)
                std::this_thread::sleep_for(kRetry);
        if (!record_.has_changes())
                own_.remove();
}

}  // namespace ctl::outside
