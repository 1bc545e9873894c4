// SPDX-License-Identifier: MIT
// The arithmetic as a sentence.
#include "policy/fair/decision.hpp"

namespace governor::policy::fair {

namespace {

std::string counted(std::uint32_t number, const std::string& noun) {
        return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// "64 cpus - 9 foreign, 3 programs of 2 accounts"
std::string division(const Reason& reason) {
        std::string text = counted(reason.cpus, "cpu");
        if (reason.foreign > 0)
                text += " - " + std::to_string(reason.foreign) + " foreign";
        if (reason.reserved > 0)
                text += " - " + std::to_string(reason.reserved) + " for newcomers";
        if (reason.rigid > 0)
                text += " - " + std::to_string(reason.rigid) +
                        " kept by programs that do not follow";
        return text + ", " + counted(reason.programs, "program") + " of " +
               counted(reason.accounts, "account");
}

std::string because(const Reason& reason) {
        const auto share = ", fair share " + std::to_string(reason.share);
        switch (reason.limit) {
        case Limit::Ungoverned:
                return "not governed: it may run on none of the governed cpus";
        case Limit::FairShare:
                return "fair share: " + division(reason);
        case Limit::Everything:
                return "all cpus: " + division(reason);
        case Limit::OwnMax:
                return "its own maximum of " + std::to_string(reason.bound) + share;
        case Limit::Cpuset:
                return "all cpus that it may run on" + share;
        case Limit::TreeMax:
                return "maximum of its tree: " + counted(reason.bound, "thread") +
                       " for all programs in it" + share;
        case Limit::Quota:
                return "quota of its control group: " + counted(reason.bound, "cpu") +
                       " for all programs in it" + share;
        case Limit::Demand:
                return "it makes use of no more than " + std::to_string(reason.bound) + ": " +
                       division(reason);
        case Limit::Idle:
                return "idle or stopped: its share is lent until it goes on";
        case Limit::Floor:
                return "no cpu left, so one that is shared: " + division(reason);
        case Limit::Light:
                return "it uses little: a cpu that is shared, others have the rest";
        case Limit::Newcomer:
                return "newcomer: what is free now" + share;
        case Limit::Handover:
                return "handover: others have still to leave cpus" + share;
        case Limit::Rigid:
                return "it runs on " + counted(reason.bound, "cpu") + " instead, and keeps them" +
                       share;
        case Limit::Returning:
                return "the governor was restarted: what it had, until all are back" + share;
        case Limit::Parked:
                return "parked: " + counted(reason.bound, "batch job") + " first, fair share " +
                       std::to_string(reason.share);
        }
        return {};
}

}  // namespace

std::string explain(const Grant& grant) {
        return because(grant.reason) + " -> " + std::to_string(grant.threads);
}

}  // namespace governor::policy::fair
