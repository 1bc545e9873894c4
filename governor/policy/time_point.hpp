// SPDX-License-Identifier: MIT
//
// A moment, as every room counts it.
#pragma once

#include <chrono>

namespace governor::policy {

/// A moment of the steady clock. The server alone reads the clock in the daemon; all other rooms
/// are told the time.
using TimePoint = std::chrono::steady_clock::time_point;

}  // namespace governor::policy
