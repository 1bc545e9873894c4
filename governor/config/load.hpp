// SPDX-License-Identifier: MIT
//
// Configuration file and its drop-ins -> Settings, or what is wrong with them.
#pragma once

#include "config/settings.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace governor::config {

/// One mistake.
struct Error {
        std::string file;
        std::size_t line = 0;  ///< counted from 1; 0: the file as a whole
        std::string message;   ///< one sentence

        /// "FILE:LINE: message" or "FILE: message"
        [[nodiscard]] std::string text() const;
        friend bool operator==(const Error&, const Error&) = default;
};

using Errors = std::vector<Error>;

/// Reads `path` and then PATH.d/*.conf in the order of their names; later files win. A file that
/// does not exist is fine if `optional` (its drop-ins still count).
[[nodiscard]] tl::expected<Settings, Errors> load(const std::string& path, bool optional);

/// Applies one file's text. Appends to `errors`; settings with mistakes must not be used.
void apply(std::string_view text, const std::string& file, Settings& settings, Errors& errors);

}  // namespace governor::config
