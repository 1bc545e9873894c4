// SPDX-License-Identifier: MIT
// The user's systemd makes and changes them; the kernel's files tell whether it did.
#include "outside/scopes.hpp"

#include <cstring>
#include <thread>
#include <unistd.h>

namespace ctl::outside {

std::string Scopes::name_of_next() const {
        return std::string(kScopePrefix) + std::to_string(run_.pid) + "-" +
               std::to_string(run_.started_ticks) + "-" + std::to_string(made_.size()) + ".scope";
}

std::string Scopes::refuse_manager() {
        if (manager_)
                return {};
        auto manager = UserManager::open();
        if (!manager)
                return manager.error();
        if (!groups_.hands_out_cpu(manager->control_group()))
                return "the user's systemd has no cpu controller (Delegate= of user@.service)";
        manager_.emplace(std::move(*manager));
        return {};
}

std::string Scopes::refuse() {
        if (!failed_.empty() || !made_.empty())
                return failed_;
        const auto self = HeldProcess::open("", run_.pid);
        failed_ = self ? groups_.refuse_to_leave(groups_.of(*self), ::geteuid()) : "no /proc";
        if (failed_.empty())
                failed_ = refuse_manager();
        return failed_;
}

bool Scopes::has_arrived(const std::vector<HeldProcess>& moved, const std::string& name) {
        for (const auto& process : moved)
                if (const auto group = groups_.of(process);
                    group.ends_with("/" + name) && is_scope_of_ours(group)) {
                        made_.push_back(group);
                        return true;
                }
        return false;
}

void Scopes::take_in(const std::vector<ProcessId>& processes) {
        const auto self = HeldProcess::open("", run_.pid);
        const auto left = self ? groups_.of(*self) : std::string();
        std::vector<HeldProcess> moved;
        std::vector<std::uint32_t> numbers;
        for (const auto& process : processes)
                if (auto held = HeldProcess::open(process); held && groups_.of(*held) == left) {
                        moved.push_back(std::move(*held));
                        numbers.push_back(process.pid);
                }
        if (made_.empty() && numbers.empty())
                failed_ = "the command is in a control group of its own";
        if (numbers.empty() || made_.size() == kMostScopes || !manager_)
                return;
        const auto name = name_of_next();
        // A process that has ended meanwhile makes systemd refuse all of them: the next look tries
        // again, if there is a scope already.
        const int error = manager_->start_scope(name, numbers);
        const auto give_up = std::chrono::steady_clock::now() + kPatience;
        while (error >= 0 && std::chrono::steady_clock::now() < give_up) {
                if (has_arrived(moved, name))
                        return;
                std::this_thread::sleep_for(std::chrono::milliseconds{5});
        }
        if (made_.empty())
                failed_ = error < 0 ? "the user's systemd starts none: " +
                                              std::string(std::strerror(-error))
                                    : "the user's systemd did not move the command into its scope";
}

void Scopes::make_idle(const std::string& group) {
        if (!groups_.exists(group) || groups_.is_idle(group) == true)
                return;
        if (!manager_ || manager_->set_cpu_weight(unit_of(group), kIdleWeight) < 0 ||
            groups_.is_idle(group) != true)
                failed_ = "its weight does not become idle";
}

}  // namespace ctl::outside
