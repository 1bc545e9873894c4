// SPDX-License-Identifier: MIT
//
// The parallel region of the programs here: numbers of a fixed sequence, folded together. Whole
// numbers, so that the result is the same whatever the team.
#pragma once

#include <omp.h>

#include <cstdint>

#include "common/checksum.hpp"
#include "common/options.hpp"

namespace turns {

class Kernel {
public:
        static constexpr examples::Description kDescription{
                .name = "",  // each program has its own
                .summary = "",
                .unit = "a thousand numbers of a fixed sequence",
                .max_work = 1'000'000,
                .cost_exponent = 1,
        };

        void prepare(std::uint64_t work) {
                work_ = work;
                value_ = examples::kChecksumStart;
        }

        /// One region, which depends on `input` and on all regions before. Returns its team's size.
        int region(std::uint64_t input) {
                const std::uint64_t seed = value_ ^ input;
                const auto last = static_cast<std::int64_t>(work_);
                std::uint64_t sum = 0;
                int threads = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
                for (std::int64_t i = 0; i < last; ++i) {
                        if (i == 0)
                                threads = omp_get_num_threads();
                        sum += thousand(seed, static_cast<std::uint64_t>(i));
                }
                value_ = examples::fold(value_, sum);
                return threads;
        }

        /// The work of a region in the calling thread, without OpenMP.
        void serial() {
                std::uint64_t sum = 0;

                for (std::uint64_t i = 0; i < work_; ++i)
                        sum += thousand(value_, i);
                value_ = examples::fold(value_, sum);
        }

        /// The sum of all regions so far.
        [[nodiscard]] std::uint64_t value() const { return value_; }

private:
        /// Not inlined: it must cost the same in a region as in serial().
        [[gnu::noinline]] static std::uint64_t thousand(std::uint64_t seed, std::uint64_t number) {
                constexpr std::uint64_t kThousand = 1000;
                std::uint64_t sum = 0;

                for (std::uint64_t i = 0; i < kThousand; ++i)
                        sum += examples::scramble(seed + number * kThousand + i);
                return sum;
        }

        std::uint64_t work_ = 0;
        std::uint64_t value_ = examples::kChecksumStart;
};

}  // namespace turns
