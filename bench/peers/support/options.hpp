// SPDX-License-Identifier: MIT
// The options of one run of one benchmark.
#pragma once

#include <algorithm>
#include <cstddef>

namespace peers {

struct Options {
        unsigned workers = 1;
        double scale = 1;  // of all counts; below 1 for a first impression

        /// `count`, scaled, but never fewer than `least`.
        std::size_t scaled(std::size_t count, std::size_t least = 20) const {
                const auto less = static_cast<std::size_t>(static_cast<double>(count) * scale);
                return std::max(std::min(least, count), less);
        }
};

}  // namespace peers
