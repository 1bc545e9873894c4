// SPDX-License-Identifier: MIT
//
// Text that others will parse or show: paths and values of files may hold any bytes.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace governor::server {

/// Bytes that are no printable ASCII become \\xNN.
[[nodiscard]] inline std::string printable_ascii(std::string_view text) {
        std::string clean;
        for (const char c : text) {
                const auto byte = static_cast<unsigned char>(c);
                const bool printable = byte >= 0x20 && byte < 0x7f;
                clean += printable ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
        }
        return clean;
}

}  // namespace governor::server
