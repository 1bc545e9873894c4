// SPDX-License-Identifier: MIT
//
// Checks whether the library can go by what a governor says about its shared memory. Pure.
#pragma once

#include <cstdint>
#include <governor/v1/arena.h>

namespace threadcount {

/// The places of things, in bytes from the start of a memfd. All of it lies within the memfds'
/// sizes, set as a whole, and is aligned for what is there.
struct ArenaLayout {
        std::uint64_t grants_size = 0;
        std::uint64_t reports_size = 0;
        std::uint64_t word = 0;
        std::uint64_t reasons[2] = {};
        std::uint64_t sets[2] = {};
        std::uint64_t set_words = 0;
        std::uint64_t report = 0;
        std::uint64_t pool = 0;  // what the slot says of pools; 0: there is no room for it
};

/// For slot `slot` of memfds of these sizes. False: the header breaks a rule of arena.h, or there
/// is no such slot.
[[nodiscard]] bool find_layout(const governor_grant_header& header, std::uint64_t grants_size,
                               std::uint64_t reports_size, std::uint32_t slot,
                               ArenaLayout* ret_layout);

}  // namespace threadcount
