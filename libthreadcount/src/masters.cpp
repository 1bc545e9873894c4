// SPDX-License-Identifier: MIT
// The first region of a thread in a period.
#include "masters.hpp"

#include <algorithm>

namespace threadcount {

namespace {

struct Counted {
        std::uint32_t period;
        std::uint16_t now;
        std::uint16_t before;
};

Counted unpack(std::uint64_t word) {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint16_t>(word >> 16),
                static_cast<std::uint16_t>(word)};
}

std::uint64_t pack(const Counted& counted) {
        return std::uint64_t{counted.period} << 32 | std::uint64_t{counted.now} << 16 |
               counted.before;
}

Counted with_one_more(const Counted& counted, std::uint32_t period) {
        if (counted.period == period)
                return {period, static_cast<std::uint16_t>(std::min(counted.now + 1, 0xffff)),
                        counted.before};
        const bool follows = counted.period + 1 == period;
        return {period, 1, follows ? counted.now : std::uint16_t{0}};
}

}  // namespace

void Masters::enter(Mark& mark, std::uint64_t period) {
        mark = period;
        auto word = counted_.load(std::memory_order_relaxed);
        std::uint64_t next = 0;
        do {
                next = pack(with_one_more(unpack(word), static_cast<std::uint32_t>(period)));
        } while (!counted_.compare_exchange_weak(word, next, std::memory_order_relaxed));
}

}  // namespace threadcount
