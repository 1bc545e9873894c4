// SPDX-License-Identifier: MIT
//
// Text that others will parse or show: paths and values of files may hold any bytes.
#pragma once

#include <fmt/format.h>
#include <governor/v1/text.h>
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

/// The text as readable as it can be shown on a terminal. A '?' stands for each character that
/// steers one or breaks a line, and for each byte that is no UTF-8.
[[nodiscard]] inline std::string printable_text(std::string_view text) {
        std::string clean(text);
        clean.resize(governor_text_printable(clean.data(), clean.size(), clean.data()));
        return clean;
}

/// The same, of at most `most` bytes, and without a part of a character at the end.
[[nodiscard]] inline std::string printable_text(std::string_view text, std::size_t most) {
        return printable_text(text.substr(0, governor_text_cut(text.data(), text.size(), most)));
}

}  // namespace governor::server
