// SPDX-License-Identifier: MIT
//
// The choices of the user of `governorctl top`, and the keys to choose by. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::top {

/// Programs come in this order; of equal ones, the one that came first.
enum class Sort : std::uint8_t { Granted, Uses, Pid, Label, Age };

[[nodiscard]] const char* name_of(Sort sort);

struct Controls {
        Sort sort = Sort::Granted;
        bool reversed = false;
        std::string filter;      ///< only programs whose label, user or process has it in it
        bool editing = false;    ///< the filter
        std::size_t scroll = 0;  ///< programs above the window; may be beyond the last
        bool quit = false;
};

enum class Special : std::uint8_t { None, Up, Down, PageUp, PageDown, Home, End, Escape };

struct Key {
        Special special = Special::None;
        char character = 0;  ///< where it is nothing special

        friend bool operator==(const Key&, const Key&) = default;
};

/// The keys that a terminal sends. Sequences that are not known, and bytes that are no ASCII, are
/// left out; an escape sequence that is cut at the end counts as Escape.
[[nodiscard]] std::vector<Key> parse_keys(std::string_view bytes);

/// `page`: programs that fit on the screen.
void press(Controls& controls, const Key& key, std::size_t page);

}  // namespace ctl::top
