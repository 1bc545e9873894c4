// SPDX-License-Identifier: MIT
//
// The user's environment and options, as they are before any governor is asked.
#pragma once

#include "connection.hpp"
#include "run/variables.hpp"
#include "verbs/verbs.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ctl::run {

/// THREADCOUNT.
struct Wish {
        enum class Kind : std::uint8_t {
                Follow,     ///< a lease
                StartOnly,  ///< one advice
                Fixed,      ///< `threads`, and nobody is asked
                Off         ///< nothing
        };
        Kind kind = Kind::Follow;
        std::uint32_t threads = 0;
        bool keeps = false;  ///< as with --keep
};

/// From THREADCOUNT. A value that is not accepted is a Failure that says which ones are.
[[nodiscard]] tl::expected<Wish, Failure> parse_wish(const Lookup& lookup = of_process);

/// Puts class and job of a batch program into the environment, and says what it changed.
std::vector<Change> set_class_and_job(const verbs::RunOptions& options);

/// The job that the tree takes its turns with. Ranks of a launcher are of one, as they spin while
/// they wait for each other. Empty: none. To be asked after set_class_and_job().
[[nodiscard]] std::string job_of(const verbs::RunOptions& options);

}  // namespace ctl::run
