// SPDX-License-Identifier: MIT
//
// What a program says of how far it is, and how far that is believed. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::registry {

/// Time is that for which its gang has had its turn, in all. What remains is taken to go as fast as
/// what is done. Who needs more than twice as long as the least that it ever said is not believed
/// any more: its progress is no reason to let it go before others. Who has done all and begins anew
/// is judged anew.
class Progress {
public:
        /// From the first report of work that is done, so long until it is judged.
        static constexpr std::chrono::milliseconds kTrial{100};
        /// Nor longer than this without any.
        static constexpr std::chrono::milliseconds kLongestTrial{1'000};

        /// `done` <= `total`; 0: it does not say. `served`: until now.
        void report(std::uint64_t done, std::uint64_t total, std::chrono::nanoseconds served);

        /// Empty: not known, or not believed.
        [[nodiscard]] std::optional<std::chrono::nanoseconds>
        remaining(std::chrono::nanoseconds served) const;
        /// It will be known before long.
        [[nodiscard]] bool is_on_trial(std::chrono::nanoseconds served) const;

private:
        struct Told {
                std::uint64_t done = 0;
                std::chrono::nanoseconds served{0};
        };

        std::optional<std::chrono::nanoseconds> began_;  // served when it first said something
        std::optional<Told> first_;                      // of work that was done
        Told told_;                                      // its last change
        std::uint64_t total_ = 0;
        std::optional<std::chrono::nanoseconds> promised_;  // its earliest end, as it said
        bool is_believed_ = true;
};

}  // namespace governor::registry
