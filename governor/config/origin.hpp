// SPDX-License-Identifier: MIT
//
// The place of a setting, or of a mistake.
#pragma once

#include <cstddef>
#include <string>

namespace governor::config {

struct Origin {
        std::string file;      ///< or the option of the command line
        std::size_t line = 0;  ///< counted from 1; 0: the file as a whole

        /// "FILE:LINE" or "FILE"
        [[nodiscard]] std::string text() const {
                return line > 0 ? file + ":" + std::to_string(line) : file;
        }
        friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace governor::config
