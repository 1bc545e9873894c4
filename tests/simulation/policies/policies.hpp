// SPDX-License-Identifier: MIT
//
// Policies by name: the real one, a naive one to compare with, and mutants, which are the real one
// with a mistake that the invariants must find.
#pragma once

#include "registry/arbiter.hpp"

#include <span>
#include <string_view>

namespace simulation {

struct NamedPolicy {
        std::string_view name;
        std::string_view meaning;
        governor::registry::Arbiter::Decide decide;
};

/// "fair" and "naive".
[[nodiscard]] std::span<const NamedPolicy> policies();

[[nodiscard]] std::span<const NamedPolicy> mutants();

/// Of either kind; nullptr if there is none of that name.
[[nodiscard]] const NamedPolicy* find_policy(std::string_view name);

}  // namespace simulation
