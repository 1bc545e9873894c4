// SPDX-License-Identifier: MIT
//
// The time at which the tests of this room begin.
#pragma once

#include "policy/time_point.hpp"

namespace governor::evidence {

inline constexpr policy::TimePoint kStart{std::chrono::hours{1}};

}  // namespace governor::evidence
