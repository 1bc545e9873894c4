// SPDX-License-Identifier: MIT
//
// The load of each core, and its holder. Pure.
#pragma once

#include "top/picture.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ctl::top {

/// A letter for a program, always the same one while it lives; every 52nd has the same.
[[nodiscard]] char letter_of(std::uint64_t client);

/// A bar and the holder's name for each core, in columns. A map of more than `most` lines becomes
/// one character for each core: a line of levels over a line of holders' letters. More than `most`
/// lines are cut, and the last one says so. Without a width it is 80 columns wide.
[[nodiscard]] std::vector<std::string> cpu_map(const Picture& picture, const Screen& screen,
                                               std::size_t most);

}  // namespace ctl::top
