// SPDX-License-Identifier: MIT
//
// Decides when a program is tried on fewer CPUs. Pure; time is an argument.
#pragma once

#include "evidence/speedup.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// Tries half of the program's CPUs, for as short as will do, where it is not known whether all of
/// them pay. Tries in vain take a part of the time in its turns, which kTryParts bounds in the long
/// run. They cost at most half of what they take: a program that is faster with all of its CPUs is
/// at most twice as fast. A program that was no faster with them is tried on a quarter.
class WidthProbe {
public:
        /// The evidence of others of its kind about half of its CPUs. Fresh evidence will do. Old
        /// evidence makes a try start without delay.
        enum class Guess : std::uint8_t { None, Old, Fresh };

        struct Try {
                std::uint32_t cpus = 0;
                std::chrono::nanoseconds length{0};  ///< it is expected to take
        };
        /// The most that the program should have now, where another waits for its CPUs. `cpus` are
        /// its own; `turns`: so long it has had its turn, in all. Empty: nothing is to be tried.
        [[nodiscard]] std::optional<Try> next(const Speedup& speedup, std::uint32_t cpus,
                                              std::chrono::nanoseconds turns, Guess guess,
                                              TimePoint now) const;

        /// While no try runs, next() says nothing for less than two CPUs.
        [[nodiscard]] bool is_trying() const { return running_.has_value(); }
        /// `tried` is what next() has said at this moment, and the program was granted `granted`
        /// CPUs of its own.
        void decided(const std::optional<Try>& tried, std::uint32_t granted, const Speedup& speedup,
                     TimePoint now);

private:
        struct Running {
                std::uint32_t cpus;
                TimePoint since;
                TimePoint until;  ///< then it has failed
        };

        std::optional<Running> running_;
        std::chrono::nanoseconds spent_{0};  // on tries of fewer than are enough
        TimePoint not_before_;
};

}  // namespace governor::evidence
