// SPDX-License-Identifier: MIT
//
// Text of configuration files -> Settings, and the wording of mistakes.
#pragma once

#include "config/settings.hpp"
#include "config/users.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace governor::config {

/// One mistake.
struct Error {
        Origin origin;
        std::string message;  ///< one sentence

        /// "FILE:LINE: message" or "FILE: message"
        [[nodiscard]] std::string text() const { return origin.text() + ": " + message; }
        friend bool operator==(const Error&, const Error&) = default;
};

using Errors = std::vector<Error>;

/// Applies one file's text. Appends to `errors`; settings with mistakes must not be used. Users
/// are looked up by name only, so numbers need no `users`.
void apply(std::string_view text, const std::string& file, Settings& settings, Errors& errors,
           const UserLookup& users = find_user);

/// Appends what is wrong with settings that were applied without a mistake, all files together.
void check(const Settings& settings, Errors& errors);

/// The settings that have no effect under the policy in force, one line for each setting and one
/// for all rules together. No mistakes.
[[nodiscard]] std::vector<std::string> notes(const Settings& settings);

}  // namespace governor::config
