// SPDX-License-Identifier: MIT
//
// Computes the share of a program that joins now, beside the others of its account. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace governor::registry {

/// The CPUs of an account, and all that shares them, as long as one more program wants them all.
struct Room {
        /// A tree, or a program that is in none.
        struct Part {
                std::uint32_t cpus = 0;        ///< beside one more program that wants all
                std::uint32_t guaranteed = 0;  ///< of these, whatever program comes
                std::uint32_t min = 1;         ///< comes first inside its account's share
                std::uint32_t weight = 100;
        };
        std::uint32_t cpus = 0;   ///< of the account, with one more program
        std::vector<Part> parts;  ///< as they joined

        /// CPUs for one more program that wants them all, beside `promised`, programs without a
        /// lease that want so many each. Dealt out as policy::fair::fill() does, without the
        /// control groups and CPU sets of others. >= 1. O((CPUs + programs) x log programs).
        [[nodiscard]] std::uint32_t share_beside(std::span<const std::uint32_t> promised) const;
};

}  // namespace governor::registry
