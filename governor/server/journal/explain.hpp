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

/// What happened to it last, oldest first: "12.3 s ago: granted 8, had 4: fair share: ... -> 8".
/// At most `most`.
[[nodiscard]] std::vector<std::string> events(const registry::History& history,
                                              policy::fair::ProgramId id, policy::TimePoint now,
                                              std::size_t most);

}  // namespace governor::server
