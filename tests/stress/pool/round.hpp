// SPDX-License-Identifier: MIT
//
// One pool from its beginning to its end.
#pragma once

#include "scene.hpp"

#include <cstdint>

namespace stress {

/// Ends the program if something is wrong.
void run_a_round(std::uint64_t seed, Counts& counts);

}  // namespace stress
