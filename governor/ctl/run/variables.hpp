// SPDX-License-Identifier: MIT
//
// The variables that OpenMP runtimes, BLAS libraries and thread pools read at their start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::run {

struct Change {
        std::string name;
        std::optional<std::string> before;  ///< empty: it was not set
        std::string after;
};

/// Its value in an environment; nullptr: it is not set.
using Lookup = std::function<const char*(const char* name)>;

/// Sets `name` to `after`; keeps the value that it has before. Pure.
[[nodiscard]] Change change_to(const Lookup& lookup, const char* name, std::string after);

/// A whole number 1 .. verbs::kMostThreads.
[[nodiscard]] std::optional<std::uint32_t> parse_count(std::string_view text);

/// The value that `name` gets for so many threads; empty: it stays. A smaller number that the user
/// has set stays, without blanks and a sign, which only some programs pass over. Of a list ("9,2",
/// for nested regions) the first number counts. A value that is no number (0, auto) means "all" to
/// somebody and is replaced. Pure.
[[nodiscard]] std::optional<Change> lowered(const char* name, std::uint32_t threads,
                                            const Lookup& lookup);

/// The same of all variables.
[[nodiscard]] std::vector<Change> all_lowered(std::uint32_t threads, const Lookup& lookup);

/// Those of this process.
[[nodiscard]] const char* of_process(const char* name);
/// Its value; empty also where it is not set.
[[nodiscard]] std::string text_of(const Lookup& lookup, const char* name);
void apply(const Change& change);

}  // namespace ctl::run
