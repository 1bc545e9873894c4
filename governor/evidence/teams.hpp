// SPDX-License-Identifier: MIT
//
// Remembers the size of the teams of a program that keeps its teams. Pure; time is an argument.
#pragma once

#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <algorithm>
#include <cstdint>

namespace governor::evidence {

/// The largest team of the last kMemory at least, and of twice that at most.
class Teams {
public:
        void add(std::uint32_t threads, policy::TimePoint now) {
                if (now - since_ >= numbers::kMemory) {
                        before_ = now - since_ < 2 * numbers::kMemory ? lately_ : 0;
                        lately_ = 0;
                        since_ = now;
                }
                lately_ = std::max(lately_, threads);
        }
        /// 0: there was none yet.
        [[nodiscard]] std::uint32_t largest() const { return std::max(lately_, before_); }

private:
        std::uint32_t lately_ = 0;  // since `since_`
        std::uint32_t before_ = 0;
        policy::TimePoint since_;
};

}  // namespace governor::evidence
