// SPDX-License-Identifier: MIT
//
// Estimates how much faster a program is with more CPUs, from the length of its regions. Pure; time
// is an argument.
#pragma once

#include "policy/fair/scaling.hpp"
#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace governor::evidence {

using policy::TimePoint;

/// Takes what a program did with one grant and what it did with the next, half as large again at
/// least, for two points of Amdahl's law:
///
///     time of a region = serial + parallel / CPUs
///
/// and notes what that says of the octaves of CPUs between them. SCAF (T. Creech, A. Kotha, R.
/// Barua, "Efficient Multiprogramming for Multicores with SCAF", MICRO 46 (2013)) measures serial
/// execution in a child process instead.
///
/// A program may do something else later, or now this and now that. Only grants that follow each
/// other are therefore compared, only for a while, and again and again in that time: a longer look
/// mends the first glance. A glance at the larger size can say that CPUs pay. That they do not
/// takes a longer look there, and a step up takes a longer look at the smaller size. The result is
/// believed for kHold. The result that fewer CPUs are worth as much is believed for kMemory only,
/// until a step in the other direction has said the same.
class Speedup {
public:
        /// The program's own totals; any value is possible.
        struct Totals {
                std::uint32_t cpus = 1;  ///< of the grant that it goes by
                std::uint64_t regions = 0;
                std::uint64_t time_ns = 0;  ///< in these
        };

        using Octaves = std::pair<std::size_t, std::size_t>;

        /// To be called whenever the program's reports are read, while it has CPUs of its own.
        /// Returns the octaves, first and last, about which the report told something.
        std::optional<Octaves> report(const Totals& totals, TimePoint now);
        /// The program runs beside others, or by an earlier grant: its work until the next report
        /// says nothing.
        void interrupted() { last_.reset(); }
        /// It has not ended a region yet: its next report is of all of its regions.
        void starts() { last_ = Totals{.cpus = 0}; }

        [[nodiscard]] policy::fair::Scaling scaling(TimePoint now) const;
        /// The measured worth of half as many CPUs to the program. Empty: it was not measured.
        [[nodiscard]] std::optional<double> elasticity_below(std::uint32_t cpus,
                                                             TimePoint now) const;
        /// There has been a first glance at `cpus`, with its present grant.
        [[nodiscard]] bool has_seen(std::uint32_t cpus) const;
        /// The length of a region with the present grant, of `cpus` CPUs, if it is known well
        /// enough to compare fewer CPUs with it. Empty: it is not.
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
                [[nodiscard]] bool is_fresh(TimePoint now) const {
                        return now - at <= numbers::kMemory;
                }
                [[nodiscard]] double mean_ns() const { return time_ns / regions; }
        };
        struct Belief {
                TimePoint until;
                bool grew = false;     // in the step that said first that few are worth as much
                bool is_sure = false;  // the other direction has said so, too
        };

        void note(std::size_t octave, double elasticity, bool grew, TimePoint now);
        void begin(std::uint32_t cpus, TimePoint now);
        std::optional<Octaves> compare(TimePoint now);
        static bool pays(const Size& small, const Size& large);
        Octaves find(const Size& small, const Size& large, TimePoint now);

        std::optional<Totals> last_;
        Size before_;
        Size present_;
        policy::fair::Scaling found_;
        std::array<Belief, policy::fair::Scaling::kOctaves> beliefs_{};
};

/// By Amdahl's law, if a region takes so long with `small` and with `large` > `small` CPUs: see
/// above. 0: more are no faster; the largest number there is: nothing is serial.
[[nodiscard]] double knee_of(std::uint32_t small, double small_time, std::uint32_t large,
                             double large_time);

}  // namespace governor::evidence
