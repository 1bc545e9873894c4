// SPDX-License-Identifier: MIT
//
// Grants over time, drawn with characters.
#pragma once

#include "simulation/report/trace.hpp"

#include <cstddef>
#include <string>

namespace simulation {

/// A row for each process, and one for the CPUs left to foreign load. It shows the number of CPUs
/// where it changes, and a line as long as it stays; `*` where it changes more often than there is
/// room for. With `colour`, what limits the grant: yellow while it waits for others, grey while it
/// is lent.
[[nodiscard]] std::string draw_timeline(const Trace& trace, std::size_t columns, bool colour);

}  // namespace simulation
