// SPDX-License-Identifier: MIT
//
// Why a program has what it has, for people.
#pragma once

#include "policy/time_point.hpp"
#include "registry/programs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace governor::server {

/// One sentence each, in the order of the reckoning. `turns`: of the same client; empty: it takes
/// none.
[[nodiscard]] std::vector<std::string> steps(const registry::Program& program,
                                             const std::optional<registry::Programs::Turns>& turns);

/// The thing that there is not enough of for one more lease, and how many there are.
struct Shortage {
        enum class Of : std::uint8_t {
                Account,      ///< leases of one account
                All,          ///< leases: its account would hold more than it leaves free
                Descriptors,  ///< the account's connections and leases take as many as they may
                System,       ///< the system gives no more memory or descriptors
        };
        Of of;
        std::size_t held = 0;  ///< leases of its account
        std::size_t all = 0;   ///< leases
};

/// "its user holds 1024 leases, as many as one user may"
[[nodiscard]] std::string why_refused(const Shortage& shortage);

/// "granted 8, had 4; fair share: ... -> 8"
[[nodiscard]] std::string what_happened(const registry::Event& event);

/// "12.3 s ago: granted 8, had 4: fair share: ... -> 8" for each.
[[nodiscard]] std::vector<std::string> sentences(const std::vector<registry::Event>& events,
                                                 policy::TimePoint now);

}  // namespace governor::server
