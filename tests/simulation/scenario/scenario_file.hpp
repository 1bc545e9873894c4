// SPDX-License-Identifier: MIT
//
// Scenario files: INI, with the sections and keys of keys.hpp, and two for what is expected:
//
//     [expect]        a figure of the report = a range, such as fairness = 0.95..
//     [expect TIME]   a program = a range: what each of its copies is granted then
#pragma once

#include "config/apply.hpp"
#include "simulation/scenario/scenario.hpp"

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace simulation {

using governor::config::Error;
using governor::config::Errors;

/// `file` is what errors name; the scenario is called by its stem.
[[nodiscard]] tl::expected<Scenario, Errors> parse_scenario(std::string_view text,
                                                            const std::string& file);

[[nodiscard]] tl::expected<Scenario, Errors> load_scenario(const std::string& path);

/// The text of a file that is read back as the same scenario.
[[nodiscard]] std::string write_scenario(const Scenario& scenario);

/// All sections and keys with what they mean and accept.
[[nodiscard]] std::string describe_keys();

}  // namespace simulation
