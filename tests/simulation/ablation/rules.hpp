// SPDX-License-Identifier: MIT
//
// Rules of the real policy that can be switched off from outside, to see which are worth their
// place. Its settings, its input or the use of its answer is changed for that. The policy has no
// switches; patches/ takes out the rules that are inside of it.
#pragma once

#include "simulation/world/decider.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace simulation {

struct Rule {
        std::string_view name;
        std::string_view meaning;
        Decide* without;  ///< the real policy, but for this rule
};

[[nodiscard]] std::span<const Rule> rules();

/// Empty: there is none of that name.
[[nodiscard]] std::optional<Rule> find_rule(std::string_view name);

}  // namespace simulation
