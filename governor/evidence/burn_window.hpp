// SPDX-License-Identifier: MIT
//
// Measures what programs burn: CPU time per second, over windows of at least a second. Pure; time
// is an argument.
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

/// A window that is this long is full. It is the probe's window: the burn of clients and the idle
/// times of CPUs are measured over the same time.
inline constexpr auto kFullWindow = numbers::on_time(numbers::kWindow);
/// Likewise of ticks, by which foreign load is measured.
inline constexpr auto kFullTickWindow = numbers::on_time(numbers::kTickWindow);

/// CPU time `used` within `elapsed`, in thousandths of a CPU, rounded; 0 if no time has passed.
[[nodiscard]] std::uint32_t millicpu(std::chrono::nanoseconds used,
                                     std::chrono::nanoseconds elapsed);

/// The times of samples: since the newest that is a full window old.
class SampleTimes {
public:
        SampleTimes() = default;
        explicit SampleTimes(std::chrono::nanoseconds full) : full_(full) {}

        /// A sample is taken `now`. Once more for the same time is fine.
        void add(TimePoint now);

        /// The begin of the last sample's window. There must be a sample.
        [[nodiscard]] TimePoint window_start() const { return times_.front(); }
        /// The sample before the last one; empty: there is none.
        [[nodiscard]] std::optional<TimePoint> previous() const;

private:
        std::chrono::nanoseconds full_ = kFullWindow;
        std::deque<TimePoint> times_;
};

/// The CPU time that one program burns, in a sliding window.
class BurnWindow {
public:
        BurnWindow() = default;
        explicit BurnWindow(std::chrono::nanoseconds full) : full_(full) {}

        /// To be called before the first reading: CPU time that the program has used so far does
        /// not count. Without this call, all that it used before its first reading is taken for
        /// burnt since the sample before.
        void begin(std::chrono::nanoseconds cpu_time, TimePoint now);

        struct Reading {
                std::chrono::nanoseconds used;     ///< CPU time since the program began
                std::chrono::nanoseconds allowed;  ///< CPU time that it could have used by right
                std::uint32_t granted;             ///< CPUs that it goes by
                /// Since the last reading the program ran, if only for a while, on CPUs that nobody
                /// else wanted: nothing of that is beyond what is allowed.
                bool yielded = false;
        };
        /// Adds a reading of a program that runs on at most `most` CPUs. Time that goes backwards,
        /// or faster than `most` CPUs can, is clamped. CPU time used before the first call is taken
        /// for burnt since `previous`, the time of the sample before.
        void add(const Reading& reading, std::uint32_t most, TimePoint now, TimePoint previous);

        /// A part of the program is a program of its own from now on. It used at most `used` of
        /// this window's CPU time: judged() leaves that out, the same fraction of each part of the
        /// window.
        void hand_over(std::chrono::nanoseconds used);

        struct Rate {
                std::uint32_t millicpu = 0;
                /// The part of these beyond what was allowed between one reading and the next. Time
                /// that was allowed and not used does not count for later.
                std::uint32_t excess_millicpu = 0;
                TimePoint since;
                std::uint32_t granted = 0;  ///< the least at any reading since then
        };
        /// The rate over the last full window since the first reading. Empty: not full yet.
        [[nodiscard]] std::optional<Rate> judged() const;

        /// The rate over the window of a sample, the time before the first reading included.
        [[nodiscard]] std::uint32_t millicpu_since(TimePoint window_start) const;

        struct Span {
                TimePoint begin;
                TimePoint end;
                std::chrono::nanoseconds used{0};
        };
        /// The spans from each reading of the window to the next, oldest first. The first span
        /// starts at the sample before it. Empty: there was no reading.
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

/// Remembers what departed programs burned until no window reaches back to them. Otherwise the end
/// of every large program would be a peak of foreign load.
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
