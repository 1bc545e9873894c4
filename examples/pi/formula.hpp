// SPDX-License-Identifier: MIT
//
// Pi by the formula of Bailey, Borwein and Plouffe: a sum whose terms do not need each other.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace examples::pi {

constexpr double kPi = std::numbers::pi;

/// Term k, from 0 on. Some ten terms are all that a double can hold; the others only cost time.
inline double term(std::uint64_t k) {
        constexpr std::uint64_t kLastPower = 268;  // 16 to that is 2 to 1072
        const auto eight_k = 8.0 * static_cast<double>(k);
        const double bracket =
                4 / (eight_k + 1) - 2 / (eight_k + 4) - 1 / (eight_k + 5) - 1 / (eight_k + 6);

        // Behind that nothing is left, and ldexp() is slow where it has to say so in errno.
        return k <= kLastPower ? std::ldexp(bracket, -4 * static_cast<int>(k)) : 0 * bracket;
}

}  // namespace examples::pi
