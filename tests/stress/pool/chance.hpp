// SPDX-License-Identifier: MIT
//
// Decisions that a seed makes.
#pragma once

#include <chrono>
#include <cstdint>

namespace stress {

/// The same numbers for the same seed (splitmix64). One owner at a time.
class Chance {
public:
        explicit Chance(std::uint64_t seed) : state_(seed) {}

        /// 0 .. sides - 1
        [[nodiscard]] std::uint64_t roll(std::uint64_t sides) { return seed() % sides; }
        [[nodiscard]] bool one_in(std::uint64_t sides) { return roll(sides) == 0; }
        /// 0 .. most - 1 us
        [[nodiscard]] std::chrono::microseconds us(std::uint64_t most) {
                return std::chrono::microseconds(roll(most));
        }
        /// For somebody else's decisions.
        [[nodiscard]] std::uint64_t seed() {
                state_ += 0x9e3779b97f4a7c15U;
                auto mixed = state_;
                mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9U;
                mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebU;
                return mixed ^ mixed >> 31;
        }

private:
        std::uint64_t state_;
};

}  // namespace stress
