// SPDX-License-Identifier: MIT
// What people order, apart from what samples and programs bring about.
#include "server/sharing/governor.hpp"

namespace governor::server {

namespace {

TimePoint now() { return std::chrono::steady_clock::now(); }

}  // namespace

registry::Orders::Outcome Governor::order(ProgramId id, const registry::Order& order,
                                          registry::Authority by, std::uint32_t uid) {
        const auto outcome = arbiter_.clients().order(id, order, by, uid, now());
        if (outcome.changed) {
                write_journal(now());
                want_decision(now());
        }
        return outcome;
}

bool Governor::pause(bool paused, std::uint32_t uid) {
        if (settings_.policy != config::PolicyName::Fair)
                return false;
        if (paused_ == paused)
                return true;
        paused_ = paused;
        arbiter_.suspended(paused, uid, now());
        write_journal(now());
        follow_settings();
        return true;
}

}  // namespace governor::server
