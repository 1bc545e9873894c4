// SPDX-License-Identifier: MIT
//
// From what happens to a program to the words in the pages of all that it concerns.
#pragma once

#include "flock.hpp"

#include <cstdint>
#include <vector>

namespace bench {

struct EventOptions {
        std::uint32_t rounds = 0;      ///< each: one leaves, joins, and another is killed, joins
        std::uint32_t all = 0;         ///< times that the one with a large share leaves
        std::uint32_t all_weight = 0;  ///< of that one; the others have `weight`
        std::uint32_t weight = 0;
        std::uint32_t window_ms = 0;  ///< words that change so long after an event are its
        std::uint32_t settle_ms = 0;  ///< before the first event
};

struct Observed {
        const char* kind;           ///< "leave", "join", "kill" or "all"
        std::uint32_t words = 0;    ///< slots whose word changed
        std::int64_t first_ns = 0;  ///< from the event to the first of them ...
        std::int64_t last_ns = 0;   ///< ... and to the last; 0 without words
};

/// Everybody in `flock` joins; then all that happens is observed by this thread, which looks at
/// every slot again and again. Throws std::runtime_error.
[[nodiscard]] std::vector<Observed> observe(Flock& flock, const EventOptions& options);

/// Every slot there is, given out or not.
class Watched {
public:
        explicit Watched(const Flock& flock);

        /// Looks without a pause for so long, and while nothing has changed for up to two seconds.
        /// Returns the moments at which those that changed did so last.
        [[nodiscard]] std::vector<std::int64_t> look(std::int64_t window_ns);

private:
        struct Word {
                const Pages* pages;
                std::uint32_t slot;
                std::uint64_t last;
                std::int64_t changed_ns;  // 0: not
        };
        bool look_until(std::int64_t end_ns);

        std::vector<Word> words_;
};

}  // namespace bench
