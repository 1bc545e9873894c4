// SPDX-License-Identifier: MIT
//
// The speed that a program gains by more CPUs, as far as that was measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace governor::policy::fair {

/// The time of a region is ~ CPUs ^ -elasticity in each octave of CPUs, from 2^i to 2^(i + 1).
/// Elasticity 1: twice the CPUs do twice as much, 0: no more.
class Scaling {
public:
        static constexpr std::size_t kOctaves = 14;

        /// Measured.
        [[nodiscard]] std::optional<double> elasticity(std::size_t octave) const {
                const auto permyriad = octaves_[octave].permyriad;
                return permyriad != kUnknown ? std::optional(permyriad / kUnit) : std::nullopt;
        }
        void learn(std::size_t octave, double elasticity);
        /// Adds what `other` knows and this does not, as far as the two go together: no program
        /// gains less at fewer CPUs than at more.
        void complete(const Scaling& other);

        friend bool operator==(const Scaling&, const Scaling&) = default;

private:
        static constexpr double kUnit = 10'000;
        static constexpr std::uint16_t kUnknown = std::numeric_limits<std::uint16_t>::max();
        struct Octave {
                std::uint16_t permyriad = kUnknown;
                friend bool operator==(const Octave&, const Octave&) = default;
        };

        std::array<Octave, kOctaves> octaves_;
};

/// The octave that tells most about the step from half as many CPUs to `cpus` >= 2.
[[nodiscard]] std::size_t octave_below(std::uint32_t cpus);

/// By Amdahl's law with a knee at `knee` = parallel / serial CPUs, where half of their time is of
/// use: D. Eager, J. Zahorjan, E. Lazowska, "Speedup Versus Efficiency in Parallel Systems", IEEE
/// Transactions on Computers 38 (1989).
[[nodiscard]] double amdahl_elasticity(double knee, std::size_t octave);

/// The speedup of a program. Sizes that were not measured are guessed. Beyond the largest measured
/// size the guess is Amdahl's law through the last octave, with its knee at most at four times that
/// size. Below the smallest the guess is made likewise, but is no worse than that of an unknown
/// program: half of the time of `prior` CPUs is of use.
class SpeedupLaw {
public:
        SpeedupLaw(const Scaling& scaling, double prior);
        /// The program is as many times as fast as it has CPUs.
        SpeedupLaw();

        /// Over one CPU; 0 of none. Concave.
        [[nodiscard]] double of(double cpus) const;
        [[nodiscard]] double elasticity(double cpus) const;

private:
        void add_up();

        std::array<double, Scaling::kOctaves> elasticity_;
        std::array<double, Scaling::kOctaves> at_start_;  // speedup where the octave begins
};

/// The worth of an hour less of the i-th longest of several programs (of one hour of the longest),
/// if all have this elasticity. The next CPU goes where weight times gain is largest. Equal parts
/// for those that more CPUs do not make faster, the shortest first for those that are linear;
/// between them as in B. Berg, R. Vesilo, M. Harchol-Balter, "heSRPT: Parallel scheduling to
/// minimize mean slowdown" (2020).
[[nodiscard]] double weight_of(std::size_t i, double elasticity);

}  // namespace governor::policy::fair
