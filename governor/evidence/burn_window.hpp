// SPDX-License-Identifier: MIT
//
// What programs burn: CPU time per second, over windows of at least a second. Pure; time is an
// argument.
#pragma once

#include "evidence/foreign_load.hpp"
#include "policy/cpu_mask.hpp"
#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace governor::evidence {

using policy::TimePoint;

/// A window that is this long is full. As in the probe, so that what clients burn is measured over
/// the window that idle times are.
inline constexpr auto kFullWindow = numbers::on_time(numbers::kWindow);
/// Likewise of ticks, by which foreign load is measured.
inline constexpr auto kFullTickWindow = numbers::on_time(numbers::kTickWindow);

/// The times of samples: since the newest that is a full window old.
class SampleTimes {
public:
        SampleTimes() = default;
        explicit SampleTimes(std::chrono::nanoseconds full) : full_(full) {}

        /// A sample is taken `now`. Once more for the same time is fine.
        void add(TimePoint now);

        /// Where the window of the last sample begins. There must be one.
        [[nodiscard]] TimePoint window_start() const { return times_.front(); }
        /// The sample before the last one; empty: there is none.
        [[nodiscard]] std::optional<TimePoint> previous() const;

private:
        std::chrono::nanoseconds full_ = kFullWindow;
        std::deque<TimePoint> times_;
};

/// Of one program.
class BurnWindow {
public:
        BurnWindow() = default;
        explicit BurnWindow(std::chrono::nanoseconds full) : full_(full) {}

        /// Before the first reading: what it has used so far does not count. Without this call,
        /// what it used before its first reading is taken for burnt since the sample before.
        void begin(std::chrono::nanoseconds cpu_time, TimePoint now);

        struct Reading {
                std::chrono::nanoseconds used;     ///< CPU time since the program began
                std::chrono::nanoseconds allowed;  ///< CPU time that it could have used by right
                std::uint32_t granted;             ///< CPUs that it goes by
                /// Since the last reading it ran, if only for a while, on what nobody else wanted:
                /// nothing of that is beyond what is allowed.
                bool yielded = false;
        };
        /// Of a program that runs on at most `most` CPUs. Time that goes backwards, or faster than
        /// `most` CPUs can, is clamped. What it had used before the first call is taken for burnt
        /// since `previous`: when the sample before was taken.
        void add(const Reading& reading, std::uint32_t most, TimePoint now, TimePoint previous);

        /// At most so much of what it used in this window was used by what is a program of its own
        /// from now on: judged() leaves it out. Of each part of the window the same fraction is
        /// left out.
        void hand_over(std::chrono::nanoseconds used);

        struct Rate {
                std::uint32_t millicpu = 0;
                /// Of these, beyond what was allowed between one reading and the next: what was
                /// allowed and not used does not count for later.
                std::uint32_t excess_millicpu = 0;
                TimePoint since;
                std::uint32_t granted = 0;  ///< the least at any reading since then
        };
        /// Over the last full window since the first reading. Empty: not full yet.
        [[nodiscard]] std::optional<Rate> judged() const;

        /// Over the window of a sample, the time before the first reading included.
        [[nodiscard]] std::uint32_t millicpu_since(TimePoint window_start) const;

        struct Span {
                TimePoint begin;
                TimePoint end;
                std::chrono::nanoseconds used{0};
        };
        /// From each reading of the window to the next, oldest first; the first one from the sample
        /// before it. Empty: there was none.
        [[nodiscard]] std::vector<Span> spans() const;

private:
        struct Mark {
                TimePoint at;
                std::chrono::nanoseconds used;    // clamped, since the first reading
                std::chrono::nanoseconds excess;  // of it
                std::uint32_t granted;
                std::chrono::nanoseconds handed_over{0};  // of what was used
        };

        std::chrono::nanoseconds full_ = kFullWindow;
        std::deque<Mark> marks_;                // oldest first; the window starts at the front
        std::chrono::nanoseconds cpu_time_{0};  // of the last reading, as it was read
        std::chrono::nanoseconds allowed_{0};
        std::optional<TimePoint> judged_from_;  // empty: from the first reading on
};

/// What programs burned that are gone, until no window reaches back to them: else the end of every
/// large program would be a peak of foreign load.
class Departed {
public:
        static constexpr std::size_t kMost = 4096;  ///< the oldest are forgotten

        struct Program {
                policy::CpuMask cpus;
                bool niced = false;
                std::vector<BurnWindow::Span> spans;  // oldest first
        };
        void add(Program program);

        /// Forgets those that ended by `window_start`; adds what the others burned from then until
        /// `now` to `burns`. Within a span they are taken to have burned evenly.
        void collect(TimePoint window_start, TimePoint now, std::vector<evidence::Burn>& burns);

private:
        std::deque<Program> programs_;
};

}  // namespace governor::evidence
