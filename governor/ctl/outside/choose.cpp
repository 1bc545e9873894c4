// SPDX-License-Identifier: MIT
// Each means has its conditions, and a sentence for each condition that is not met.
#include "outside/choose.hpp"

#include <algorithm>

namespace ctl::outside {

namespace {

constexpr std::size_t kLongest = 200;

/// Why autogroups do not act on this session; empty: they do.
std::string refuse(const Session& session, const Facts& facts) {
        if (session.group.id == facts.own_group)
                return "the command is in the session of governorctl, not in one of its own";
        if (!session.is_in_root_group)
                return "its cpu control group is not the root, and autogroups act there only";
        if (session.has_terminal)
                return "its session has a terminal";
        if (!session.is_own)
                return "its session is another user's, and no guardian could give it back";
        if (session.group.nice < 0 || session.group.nice >= kYieldingNice)
                return "the nice value of its autogroup is " + std::to_string(session.group.nice) +
                       "; 0 to 18 could be set and given back";
        return {};
}

std::string refuse_autogroup(const Facts& facts) {
        if (!facts.autogroups_are_on)
                return "kernel.sched_autogroup_enabled is not 1";
        if (facts.sessions.empty())
                return "no process of the tree is in one";
        return refuse(facts.sessions.front(), facts);
}

}  // namespace

bool can_yield(const Session& session, const Facts& facts) {
        return refuse(session, facts).empty();
}

Choice choose(const Facts& facts) {
        Choice choice;
        if (facts.no_scope.empty())
                return {Means::Scope, {}};
        choice.why_not.push_back("scope: " + facts.no_scope);
        const auto why_not = refuse_autogroup(facts);
        if (why_not.empty()) {
                choice.means = Means::Autogroup;
                return choice;
        }
        choice.why_not.push_back("autogroup: " + why_not);
        if (facts.no_one_cpu.empty())
                choice.means = Means::OneCpu;
        else
                choice.why_not.push_back("one CPU: " + facts.no_one_cpu);
        return choice;
}

std::string describe(const Choice& choice, std::size_t sessions) {
        std::string text;
        if (choice.means == Means::Scope)
                return "waits with idle weight in a scope of the user's systemd";
        if (choice.means == Means::Autogroup)
                return "waits at autogroup nice 19 (" + std::to_string(sessions) +
                       (sessions == 1 ? " session)" : " sessions)");
        if (choice.means == Means::OneCpu)
                return "waits on one CPU";
        for (const auto& sentence : choice.why_not)
                text.append(text.empty() ? kNothingActs : "; ").append(sentence);
        return text.substr(0, kLongest);
}

}  // namespace ctl::outside
