// SPDX-License-Identifier: MIT
//
// Successive readings of /proc/stat in, idle ratios out. Pure: time is an argument.
#pragma once

#include "policy/numbers.hpp"
#include "policy/sample.hpp"
#include "policy/time_point.hpp"
#include "probe/proc_stat.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace governor::probe {

using policy::TimePoint;

/// Against which time the idle ticks of a CPU are held.
enum class TimeBase : std::uint8_t {
        Wall,   ///< the clock: what is not idle is busy, whatever the busy columns say
        Ticks,  ///< the sum of the columns: a recorded machine, where nothing runs in real time.
                ///< Its first reading counts from boot, so one file is a whole machine.
};

/// idle = (delta idle + delta iowait) / elapsed, over a window of the last period but at least
/// 1 s, since ticks are 10 ms. Busy columns are not used: with tick accounting short bursts do
/// not show there, while the kernel's idle time is exact. Only the columns nice and steal are,
/// since nothing else tells of these: delta / elapsed, 0 if it went backwards, never more than
/// busy.
class IdleHistory {
public:
        /// `shortest`: of windows; window() goes by kShortest.
        IdleHistory(TimeBase base, std::uint64_t ticks_per_second,
                    std::chrono::milliseconds shortest = kShortest)
                : base_(base), ticks_per_second_(ticks_per_second), shortest_(shortest) {}

        static constexpr auto kShortest = numbers::kWindow;

        /// Takes the next reading; `now` must not go backwards. A CPU whose counters did not
        /// move or went backwards keeps its last ratio; one that is new has none at first.
        /// Returns false, with nothing changed, if the reading is short: its list of CPUs ends
        /// without the line that used to follow.
        bool add(StatReading reading, TimePoint now, std::chrono::milliseconds period);

        /// No reading has come for long: the sample is warming up again and its ratios are unknown.
        void forget();

        /// The span that ratios are taken over.
        [[nodiscard]] static std::chrono::milliseconds window(std::chrono::milliseconds period);

        [[nodiscard]] const policy::Sample& sample() const { return sample_; }

        /// The time until the first window is full, 0 when it is.
        [[nodiscard]] std::chrono::milliseconds warm_in(TimePoint now,
                                                        std::chrono::milliseconds period) const;

private:
        struct TimedReading {
                StatReading reading;
                TimePoint at;
        };

        struct Ratios {
                std::uint32_t idle_permyriad = 0;
                std::uint32_t nice_permyriad = 0;
                std::uint32_t stolen_permyriad = 0;
        };

        struct Known {
                std::uint32_t cpu;
                Ratios ratios;
        };

        [[nodiscard]] std::chrono::milliseconds full_enough(std::chrono::milliseconds period) const;
        void update_ratios(const TimedReading& from, const TimedReading& to);
        [[nodiscard]] std::optional<Ratios> last_of(std::uint32_t cpu) const;

        /// Empty if the counters stood still or went backwards, or the CPU is new.
        [[nodiscard]] std::optional<Ratios> ratios(const CpuTicks* before, const CpuTicks& after,
                                                   std::chrono::nanoseconds elapsed) const;

        TimeBase base_;
        std::uint64_t ticks_per_second_;
        std::chrono::milliseconds shortest_;
        std::deque<TimedReading> readings_;  // oldest first; the window starts at the front
        std::vector<Known> last_;            // ascending
        policy::Sample sample_;
};

}  // namespace governor::probe
