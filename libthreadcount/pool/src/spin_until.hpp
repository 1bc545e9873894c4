// SPDX-License-Identifier: MIT
//
// Looking for a while before going to sleep.
#pragma once

#include "monotonic.hpp"

#include <threadcount/pool/detail/machine.hpp>

namespace threadcount::pool {

/// True as soon as `is_here()` is; false if it is not for some 10 us: to sleep and to be woken
/// costs at least twice that. Does not yield: where a CPU is wanted by others, that lasts for
/// milliseconds.
template <class Check>
[[nodiscard]] bool spin_until(const Check& is_here) {
        constexpr std::uint64_t kLookNs = 10'000;
        constexpr int kPauses = 8;  // between two looks at the clock
        const auto start = monotonic_ns();
        do {
                for (int i = 0; i < kPauses; i++) {
                        Machine::pause();
                        if (is_here())
                                return true;
                }
        } while (monotonic_ns() - start < kLookNs);
        return false;
}

}  // namespace threadcount::pool
