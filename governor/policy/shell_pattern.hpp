// SPDX-License-Identifier: MIT
//
// Shell patterns, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace governor::policy {

/// Does all of `text` match? `*` matches any bytes, '/' too; `?` matches one byte; `[a-z]` or
/// `[!a-z]` one byte of the set, or not of it. A `\` makes the next byte stand for itself. A '['
/// without its ']' stands for itself. Unlike fnmatch(3) it knows no locale, and takes a time at
/// most proportional to the text's length, which may be a hostile program's.
[[nodiscard]] bool matches_shell_pattern(std::string_view pattern, std::string_view text);

/// The element that stands at the start of a pattern.
struct PatternElement {
        enum class Kind : std::uint8_t {
                Byte,      ///< one that stands for itself, maybe behind a backslash
                AnyByte,   ///< ?
                AnyBytes,  ///< *
                Set,       ///< [...]
        };
        Kind kind = Kind::Byte;
        std::size_t length = 1;  ///< of the pattern
        char byte = '\0';        ///< of Kind::Byte
};

/// `pattern` is not empty.
[[nodiscard]] PatternElement first_element(std::string_view pattern);

}  // namespace governor::policy
