// SPDX-License-Identifier: MIT
//
// Estimates the area of the Mandelbrot set by counting the sample points inside it, as the
// OpenMP Source Code Repository's program does. Irregular: a point outside escapes early.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/checksum.hpp"
#include "common/program.hpp"

namespace {

using examples::Description;

constexpr int kMostSteps = 1000;

// The set is symmetric, so only its upper half is sampled.
constexpr double kLeft = -2.0;
constexpr double kWidth = 2.5;
constexpr double kHeight = 1.125;

// Steps of the additive sequence that fills a plane evenly (powers of the plastic number's
// inverse), in units of 2^-64. Whole numbers wrap around exactly on every machine.
constexpr std::uint64_t kStepX = 0xc13fa9a902a6328f;
constexpr std::uint64_t kStepY = 0x91e10da5c79e7b1c;

/// Steps until the point escapes, most_steps if it does not: then it counts as inside.
int steps_to_escape(double x, double y) {
        double zx = 0;
        double zy = 0;

        for (int step = 0; step < kMostSteps; ++step) {
                const double zx2 = zx * zx;
                const double zy2 = zy * zy;

                if (zx2 + zy2 > 4.0)
                        return step;
                zy = 2 * zx * zy + y;
                zx = zx2 - zy2 + x;
        }
        return kMostSteps;
}

int sample(std::uint64_t number) {
        return steps_to_escape(kLeft + kWidth * examples::as_fraction(number * kStepX),
                               kHeight * examples::as_fraction(number * kStepY));
}

class Mandel {
public:
        static constexpr Description kDescription{
                .name = "mandel",
                .summary = "estimate the area of the Mandelbrot set",
                .unit = "one sample point; each region takes the next ones",
                .max_work = 1'000'000'000,
                .cost_exponent = 1,
        };

        void prepare(std::uint64_t work) {
                points_ = static_cast<std::int32_t>(work);
                sampled_ = 0;
                inside_ = 0;
                checksum_ = examples::kChecksumStart;
        }

        int region() {
                // Long enough (some microseconds) that a team does not fight for the next chunk,
                // short enough to balance.
                const auto chunk = std::clamp(points_ / 128, 4, 32);
                std::uint64_t inside = 0;
                std::uint64_t steps = 0;
                int threads = 0;

#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : inside, steps)
                for (std::int32_t i = 0; i < points_; ++i) {
                        if (i == 0)
                                threads = omp_get_num_threads();
                        const int taken = sample(sampled_ + static_cast<std::uint64_t>(i));
                        inside += taken == kMostSteps ? 1 : 0;
                        steps += static_cast<std::uint64_t>(taken);
                }
                account(inside, steps);
                return threads;
        }

        void serial() {
                std::uint64_t inside = 0;
                std::uint64_t steps = 0;

                for (std::int32_t i = 0; i < points_; ++i) {
                        const int taken = sample(sampled_ + static_cast<std::uint64_t>(i));
                        inside += taken == kMostSteps ? 1 : 0;
                        steps += static_cast<std::uint64_t>(taken);
                }
                account(inside, steps);
        }

        [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

        [[nodiscard]] std::string result() const {
                const double share = static_cast<double>(inside_) / static_cast<double>(sampled_);
                char text[96];

                std::snprintf(text, sizeof text, "area %.5f, %llu of %llu points inside",
                              2 * kWidth * kHeight * share,
                              static_cast<unsigned long long>(inside_),
                              static_cast<unsigned long long>(sampled_));
                return text;
        }

private:
        void account(std::uint64_t inside, std::uint64_t steps) {
                sampled_ += static_cast<std::uint64_t>(points_);
                inside_ += inside;
                checksum_ = examples::fold(examples::fold(checksum_, inside), steps);
        }

        std::int32_t points_ = 0;    // in a region
        std::uint64_t sampled_ = 0;  // in all regions, as inside_
        std::uint64_t inside_ = 0;
        std::uint64_t checksum_ = examples::kChecksumStart;
};

}  // namespace

int main(int argc, char** argv) { return examples::run_program<Mandel>(argc, argv); }
