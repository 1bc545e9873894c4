// SPDX-License-Identifier: MIT
//
// Work that takes a CPU as long as it takes, however often it is interrupted.
#pragma once

#include <cstdint>

namespace pool {

/// Each step needs the one before: a nanosecond or two.
inline void stay_busy(std::uint64_t steps) {
        std::uint64_t value = steps;

        for (std::uint64_t i = 0; i < steps; ++i) {
                value = value * 0x9E3779B97F4A7C15 + i;
                asm volatile("" : "+r"(value));
        }
}

}  // namespace pool
