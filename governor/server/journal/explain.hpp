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

/// "granted 8, had 4; fair share: ... -> 8"
[[nodiscard]] std::string what_happened(const registry::Event& event);

/// "12.3 s ago: granted 8, had 4: fair share: ... -> 8" for each.
[[nodiscard]] std::vector<std::string> sentences(const std::vector<registry::Event>& events,
                                                 policy::TimePoint now);

}  // namespace governor::server
