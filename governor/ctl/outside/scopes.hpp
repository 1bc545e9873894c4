// SPDX-License-Identifier: MIT
//
// The scopes of one tree: control groups of the user's systemd, whose weight is idle while the tree
// waits. They act among what else that systemd runs.
#pragma once

#include "outside/groups.hpp"
#include "outside/record.hpp"
#include "outside/user_manager.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ctl::outside {

/// Not thread-safe.
class Scopes {
public:
        /// The time that it may take until processes are in a scope.
        static constexpr std::chrono::milliseconds kPatience{500};

        /// Scopes of the tree below this process, whose id is `run`.
        explicit Scopes(const ProcessId& run) : run_(run), groups_("") {}

        /// Why there can be none; empty: there can. Costs some file reads, and the first time a
        /// connection to the user's systemd.
        [[nodiscard]] std::string refuse();

        /// Moves those of `processes` that are in the control group of this process into a new
        /// scope. Those that are elsewhere were put there by somebody. Takes kPatience at most, 20
        /// ms mostly.
        void take_in(const std::vector<ProcessId>& processes);

        /// The control groups of all scopes that were made; some may have ended.
        [[nodiscard]] const std::vector<std::string>& made() const { return made_; }

        /// Makes the weight of this group idle, and reads that back; then refuse() knows whether it
        /// did.
        void make_idle(const std::string& group);

private:
        [[nodiscard]] std::string name_of_next() const;
        [[nodiscard]] bool has_arrived(const std::vector<HeldProcess>& moved,
                                       const std::string& name);
        [[nodiscard]] std::string refuse_manager();

        ProcessId run_;
        Groups groups_;
        std::optional<UserManager> manager_;
        std::string failed_;  // why none is tried any more
        std::vector<std::string> made_;
};

}  // namespace ctl::outside
