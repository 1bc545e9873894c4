// SPDX-License-Identifier: MIT
//
// A moment, as every room counts it.
#pragma once

#include <chrono>

namespace governor::policy {

/// Of the steady clock. Only who serves reads it; all others are told.
using TimePoint = std::chrono::steady_clock::time_point;

}  // namespace governor::policy
