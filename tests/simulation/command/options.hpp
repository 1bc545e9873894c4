// SPDX-License-Identifier: MIT
//
// The command line of `simulate`.
#pragma once

#include "simulation/ablation/rules.hpp"
#include "simulation/policies/policies.hpp"
#include "simulation/scenario/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace simulation {

struct SeedRange {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
};

struct Options {
        std::string file;                   ///< a scenario file, or
        std::optional<std::uint64_t> seed;  ///< one random scenario, or
        std::optional<SeedRange> seeds;     ///< many, checked only
        std::optional<NamedPolicy> policy;  ///< always set; without the rule of --without
        bool print = false;                 ///< the scenario itself, as a file
        bool json = false;
        bool brief = false;  ///< JSON without what happened when
        bool check = false;  ///< invariants and expectations, where nothing is promised
        bool timeline = false;
        bool colour = false;
        std::optional<Time> explain;
        std::optional<Runtime> runtime;  ///< of a machine that is free of it
        bool must_break = false;  ///< with `seeds`: the policy must break what the real one keeps
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  ///< an expectation or an invariant
inline constexpr int kExitUsage = 2;

/// Prints help or one error by itself; then the result is the exit code to end with.
[[nodiscard]] std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace simulation
