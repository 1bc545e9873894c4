// SPDX-License-Identifier: MIT
// Speedup laws.
#include "simulation/scenario/scenario.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

double Speedup::of(std::uint32_t threads) const {
        const double n = std::max(threads, 1U);
        switch (law) {
        case Law::Linear:
                return n;
        case Law::Amdahl:
                return 1 / (1 - parameter + parameter / n);
        case Law::Flat:
                return std::min(n, std::max(parameter, 1.0));
        case Law::Power:
                return std::pow(n, parameter);
        }
        return n;
}

}  // namespace simulation
