// SPDX-License-Identifier: MIT
//
// How much faster a program is with more CPUs, from how long its regions take. Pure; time is an
// argument.
#pragma once

#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// Takes what a program did with one grant and what it did with the next, half as large again at
/// least, for two points of Amdahl's law:
///
///     time of a region = serial + parallel / CPUs         f = serial / (serial + parallel)
///
/// Its knee is at
///
///     parallel / serial = (1 - f) / f
///
/// CPUs, where about half of their time is of use: D. Eager, J. Zahorjan, E. Lazowska, "Speedup
/// Versus Efficiency in Parallel Systems", IEEE Transactions on Computers 38 (1989): efficiency per
/// time is highest there. What it is left while others wait follows from it (policy:
/// efficient_width()). SCAF (T. Creech, A. Kotha, R. Barua, "Efficient Multiprogramming for
/// Multicores with SCAF", MICRO 46 (2013)) measures serial execution in a child process instead.
///
/// That less than the smaller size would do is not believed: it has to be tried. A program may do
/// something else later, or now this and now that. So only grants that follow each other are
/// compared, only for a while, and again and again in that time: who was held to less by a first
/// glance has it back when a longer look says otherwise. The earlier of the two means is over,
/// though: if a phase of the program ended shortly before, no look helps. So less is believed for
/// kFresh only, and then anew, until a step in the other direction has said the same.
class Speedup {
public:
        /// So many regions, of kShort together, are a first glance at fewer CPUs than before.
        static constexpr double kRegions = 20;
        static constexpr std::chrono::milliseconds kShort{100};
        /// So long in regions is what all else takes.
        static constexpr std::chrono::milliseconds kLong{1'000};
        /// What is older by as much counts e times less.
        static constexpr std::chrono::milliseconds kSmoothing{5'000};
        /// So long after a grant is over another one is compared with it.
        static constexpr std::chrono::milliseconds kFresh{15'000};
        /// What was found is gone by after so long, if a step up and a step down have said it, or
        /// if all pay.
        static constexpr std::chrono::milliseconds kHold{120'000};
        /// A knee at so many times the larger size is none: there half of the CPUs take 1.8 times
        /// as long, and who is linear may look like that by chance.
        static constexpr std::uint32_t kFar = 4;

        /// What it says that it has done in all; any value is possible.
        struct Totals {
                std::uint32_t cpus = 1;  ///< >= 1; of the grant that it goes by
                std::uint64_t regions = 0;
                std::uint64_t time_ns = 0;  ///< in these
        };

        /// Whenever its reports are read, while it has CPUs of its own.
        void report(const Totals& totals, TimePoint now);
        /// It runs beside others, or by an earlier grant: what it does until the next report says
        /// nothing.
        void interrupted() { last_.reset(); }

        /// In CPUs, at least 1. 0: not known, or too far to tell.
        [[nodiscard]] std::uint32_t knee(TimePoint now) const;
        /// CPUs: that fewer would do is not known. 0: neither is that these do.
        [[nodiscard]] std::uint32_t enough(TimePoint now) const;
        /// That `cpus` pay, or how far, has been found out by comparing them with fewer.
        [[nodiscard]] bool is_known(std::uint32_t cpus, TimePoint now) const;
        /// There has been a first glance at `cpus`, with its present grant.
        [[nodiscard]] bool has_seen(std::uint32_t cpus) const;
        /// How long a region takes with its present grant, of so many CPUs, as far as that will do
        /// to compare fewer with. Empty: it will not.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> region_time(std::uint32_t cpus,
                                                                          TimePoint now) const;

private:
        struct Size {
                std::uint32_t cpus = 0;
                double regions = 0;  // smoothed
                double time_ns = 0;  // in these
                TimePoint at;        // of the last ones

                [[nodiscard]] bool is_seen() const;
                [[nodiscard]] bool is_known() const;
                [[nodiscard]] bool is_fresh(TimePoint now) const { return now - at <= kFresh; }
                [[nodiscard]] double mean_ns() const { return time_ns / regions; }
        };
        struct Found {
                std::uint32_t knee = 0;  // 0: far above all that were compared
                std::uint32_t enough = 0;
                std::uint32_t least = 0;
                std::uint32_t most = 0;
                bool grew = false;     // when it was first held to less
                bool is_sure = false;  // the other direction has said so, too
                TimePoint until;
        };

        void begin(std::uint32_t cpus, TimePoint now);
        void compare(TimePoint now);
        void find(const Size& small, const Size& large, TimePoint now);

        std::optional<Totals> last_;
        Size before_;
        Size present_;
        Found found_;
};

/// By Amdahl's law, if a region takes so long with `small` and with `large` > `small` CPUs: see
/// above. 0: more are no faster; the largest number there is: nothing is serial.
[[nodiscard]] std::uint32_t knee_of(std::uint32_t small, double small_time, std::uint32_t large,
                                    double large_time);

}  // namespace governor::evidence
