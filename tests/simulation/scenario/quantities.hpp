// SPDX-License-Identifier: MIT
//
// Values as they are written in scenario files, and back. Every parser is empty-handed for what it
// does not understand.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace simulation {

/// "50us", "20ms", "1.5s", "2min" up to 24 h; a unit is needed, except for 0.
[[nodiscard]] std::optional<Time> parse_time(std::string_view text);
[[nodiscard]] std::string format_time(Time time);

/// Digits only, low <= result <= high.
[[nodiscard]] std::optional<std::uint64_t> parse_whole(std::string_view text, std::uint64_t low,
                                                       std::uint64_t high);
/// "1.5", low <= result <= high.
[[nodiscard]] std::optional<double> parse_real(std::string_view text, double low, double high);
/// The shortest text that is read back as the same number.
[[nodiscard]] std::string format_real(double value);

/// "3..8", "3..", "..8" or "3".
[[nodiscard]] std::optional<Range> parse_range(std::string_view text);
[[nodiscard]] std::string format_range(const Range& range);

/// "5s..8s" or "5s..", several with commas between.
[[nodiscard]] std::optional<std::vector<Span>> parse_spans(std::string_view text);
[[nodiscard]] std::string format_spans(const std::vector<Span>& spans);

/// "linear", "amdahl:0.95" (the parallel part), "flat:8" (no faster with more) or "power:0.8".
[[nodiscard]] std::optional<Speedup> parse_speedup(std::string_view text);
[[nodiscard]] std::string format_speedup(const Speedup& speedup);

/// The names of behaviours, in the order of the enumeration.
[[nodiscard]] std::optional<Behaviour> parse_behaviour(std::string_view text);
[[nodiscard]] std::string format_behaviour(Behaviour behaviour);

/// "free", "libgomp" or "libomp".
[[nodiscard]] std::optional<Runtime> parse_runtime(std::string_view text);
[[nodiscard]] std::string format_runtime(Runtime runtime);

}  // namespace simulation
