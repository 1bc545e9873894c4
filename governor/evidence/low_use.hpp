// SPDX-License-Identifier: MIT
//
// Finds programs that use so little of their one CPU that they need none of their own. Pure; time
// is an argument.
#pragma once

#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// A program with one thread is light when it has been runnable for less than half of a window.
/// (Runnable means that it runs or waits for a CPU.) It stays light until it is runnable for more
/// than three quarters of one. The CPU time that it burns would not tell alone: a program that is
/// crowded out burns little, too. On a CPU that it shares with one thread it runs half as fast, so
/// that a half becomes two thirds: that is below three quarters.
class LowUse {
public:
        /// A program that burns more is not light.
        static constexpr std::uint32_t kHeavy_millicpu = 1000 - 1000 / (2 * numbers::kLightParts);

        /// All since it began.
        struct Reading {
                std::chrono::nanoseconds process;  ///< CPU time, with its descendants
                std::chrono::nanoseconds thread;   ///< CPU time of its first thread
                std::chrono::nanoseconds waited;   ///< time that this thread waited for a CPU
        };
        /// To be called while the program is granted one thread; judged over windows of about a
        /// second or more. Nobody knows how long other threads than the first one wait: the program
        /// is not light where these do the work.
        void add(const Reading& reading, TimePoint now);
        /// Its time cannot be read, or says nothing: not light.
        void unknown();
        /// It has more than one thread now, which others leave to it: light as before.
        void pause() { last_.reset(); }
        /// The program has burned that much, however long it waited.
        void burned(std::uint32_t millicpu);

        [[nodiscard]] bool light() const { return light_; }
        /// It is light and burns so little that the next reading may wait: kSeldom after the last.
        [[nodiscard]] bool may_wait(std::uint32_t millicpu, TimePoint now) const {
                return light_ && millicpu < numbers::kAsleep_millicpu && last_ &&
                       now - at_ < numbers::on_time(numbers::kSeldom);
        }

private:
        std::optional<Reading> last_;
        TimePoint at_;  // of last_
        bool light_ = false;
};

}  // namespace governor::evidence
