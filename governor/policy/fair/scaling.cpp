// SPDX-License-Identifier: MIT
// Powers in pieces.
#include "policy/fair/scaling.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <cmath>

namespace governor::policy::fair {

namespace {

double middle(std::size_t octave) { return std::exp2(static_cast<double>(octave) + 0.5); }
double end(std::size_t octave) { return std::exp2(static_cast<double>(octave) + 1); }

/// The knee of Amdahl's law.
double knee_of(double elasticity, std::size_t octave) {
        constexpr double kAlmostAll = 0.999;
        const auto part = std::min(elasticity, kAlmostAll);
        return middle(octave) * part / (1 - part);
}

std::size_t octave_of(double cpus) {
        const auto log = std::ilogb(std::max(cpus, 1.0));
        return std::min(static_cast<std::size_t>(log), Scaling::kOctaves - 1);
}

}  // namespace

void Scaling::learn(std::size_t octave, double elasticity) {
        octaves_[octave].permyriad =
                static_cast<std::uint16_t>(std::lround(std::clamp(elasticity, 0.0, 1.0) * kUnit));
}

void Scaling::complete(const Scaling& other) {
        std::array<double, kOctaves> least{};  // of what is known of an octave and those above
        for (std::size_t i = kOctaves; i-- > 0;)
                least[i] = std::max(i + 1 < kOctaves ? least[i + 1] : 0, elasticity(i).value_or(0));
        double most = 1;
        for (std::size_t i = 0; i < kOctaves; i++)
                if (const auto own = elasticity(i))
                        most = std::min(most, *own);
                else if (const auto known = other.elasticity(i))
                        learn(i, std::clamp(*known, std::min(least[i], most), most));
}

std::size_t octave_below(std::uint32_t cpus) { return octave_of(cpus / std::sqrt(2.0)); }

double amdahl_elasticity(double knee, std::size_t octave) { return knee / (knee + middle(octave)); }

SpeedupLaw::SpeedupLaw() {
        elasticity_.fill(1);
        add_up();
}

SpeedupLaw::SpeedupLaw(const Scaling& scaling, double prior) {
        double knee = prior;
        for (std::size_t i = Scaling::kOctaves; i-- > 0;)
                if (const auto known = scaling.elasticity(i))
                        knee = std::max(prior, knee_of(*known, i));
        double most = 1;
        for (std::size_t i = 0; i < Scaling::kOctaves; i++) {
                const auto known = scaling.elasticity(i);
                if (known)
                        knee = std::min(knee_of(*known, i), numbers::kFarKnee * end(i));
                most = std::min(most, known ? *known : amdahl_elasticity(knee, i));
                elasticity_[i] = most;
        }
        add_up();
}

void SpeedupLaw::add_up() {
        double speedup = 1;
        for (std::size_t i = 0; i < Scaling::kOctaves; i++) {
                at_start_[i] = speedup;
                speedup *= std::exp2(elasticity_[i]);
        }
}

double SpeedupLaw::of(double cpus) const {
        if (cpus <= 1)
                return std::max(cpus, 0.0);
        const auto octave = octave_of(cpus);
        return at_start_[octave] *
               std::pow(std::ldexp(cpus, -static_cast<int>(octave)), elasticity_[octave]);
}

double SpeedupLaw::elasticity(double cpus) const { return elasticity_[octave_of(cpus)]; }

double weight_of(std::size_t i, double elasticity) {
        constexpr double kAlmostAll = 0.99;
        const double rank = static_cast<double>(i);
        const double q = 1 / (1 - std::clamp(elasticity, 0.0, kAlmostAll));
        return rank * std::pow(1 - std::pow((rank - 1) / rank, q), 1 / q);
}

}  // namespace governor::policy::fair
