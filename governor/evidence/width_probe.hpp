// SPDX-License-Identifier: MIT
//
// When a program is to be tried on fewer CPUs. Pure; time is an argument.
#pragma once

#include "evidence/speedup.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// Half of its CPUs for as short as will do, where it is not known whether all of them pay. What
/// that takes for nothing is a part of the time in its turns that kTryParts bounds in the long run,
/// and costs at most half of it: who is faster with all of its CPUs is at most twice as fast, and
/// who was no faster with them is tried on a quarter.
class WidthProbe {
public:
        /// What others of its kind have shown of half of its CPUs: just now, which will do, or a
        /// while ago, which is looked at without delay.
        enum class Guess : std::uint8_t { None, Old, Fresh };

        struct Try {
                std::uint32_t cpus = 0;
                std::chrono::nanoseconds length{0};  ///< it is expected to take
        };
        /// What it should have at most now, where somebody waits for what it has. `cpus` are its
        /// own; `turns`: so long it has had its turn, in all. Empty: nothing is to be tried.
        [[nodiscard]] std::optional<Try> next(const Speedup& speedup, std::uint32_t cpus,
                                              std::chrono::nanoseconds turns, Guess guess,
                                              TimePoint now) const;

        /// Else next() says nothing for less than two CPUs.
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
