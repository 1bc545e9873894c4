// SPDX-License-Identifier: MIT
//
// Folding whole numbers into a checksum, and numbers that look random but never change.
#pragma once

#include <cstdint>

namespace examples {

inline constexpr std::uint64_t kChecksumStart = 0xcbf29ce484222325;

/// Depends on the order of the values: fold what no team size can reorder.
[[nodiscard]] constexpr std::uint64_t fold(std::uint64_t checksum, std::uint64_t value) {
        return ((checksum ^ value) * 0x9e3779b97f4a7c15) ^ (checksum >> 29);
}

/// The i-th number of a fixed sequence (splitmix64), the same on every machine.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t i) {
        std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
}

/// The upper 53 bits as a fraction in [0, 1), exact.
[[nodiscard]] constexpr double as_fraction(std::uint64_t bits) {
        return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace examples
