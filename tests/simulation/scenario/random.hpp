// SPDX-License-Identifier: MIT
//
// Random numbers that are the same with every compiler and library.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>

namespace simulation {

/// std::mt19937_64 is the same everywhere; the distributions of <random> are not.
class Random {
public:
        explicit Random(std::uint64_t seed) : engine_(seed) {}

        /// 0 .. n - 1; n > 0. Slightly uneven, which does not matter here.
        std::uint64_t below(std::uint64_t n) { return engine_() % n; }
        /// low .. high
        std::uint32_t between(std::uint32_t low, std::uint32_t high) {
                return low + static_cast<std::uint32_t>(below(std::uint64_t{high} - low + 1));
        }
        Time between(Time low, Time high, Time step = std::chrono::milliseconds(1)) {
                const auto steps = static_cast<std::uint64_t>((high - low) / step) + 1;
                return low + step * static_cast<std::int64_t>(below(steps));
        }
        bool chance(std::uint32_t percent) { return below(100) < percent; }

        template <class Value>
        Value pick(std::initializer_list<Value> values) {
                return *(values.begin() + below(values.size()));
        }

private:
        std::mt19937_64 engine_;
};

}  // namespace simulation
