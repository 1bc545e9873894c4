// SPDX-License-Identifier: MIT
//
// Counts the primes in a range by trial division with primes. Irregular: a prime costs
// thousands of divisions, most other numbers cost a few.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/checksum.hpp"
#include "common/program.hpp"

namespace {

using examples::Description;

constexpr std::uint32_t kRangeBegin = 1'000'000'001;  // odd, as all candidates
constexpr std::uint64_t kMostCandidates = 1'000'000'000;
constexpr std::uint32_t kLargestDivisor = 55'000;

static_assert(std::uint64_t{kLargestDivisor} * kLargestDivisor >=
              kRangeBegin + 2 * kMostCandidates);

std::vector<std::uint32_t> odd_primes_up_to(std::uint32_t limit) {
        std::vector<bool> composite(limit + 1);
        std::vector<std::uint32_t> primes;

        for (std::uint32_t n = 3; n <= limit; n += 2) {
                if (composite[n])
                        continue;
                primes.push_back(n);
                for (std::uint64_t multiple = std::uint64_t{n} * n; multiple <= limit;
                     multiple += 2 * n)
                        composite[multiple] = true;
        }
        return primes;
}

class Prime {
public:
        static constexpr Description kDescription{
                .name = "prime",
                .summary = "count the primes in a range",
                .unit = "one odd number, counted from 1000000001",
                .max_work = kMostCandidates,
                .cost_exponent = 1,
        };

        void prepare(std::uint64_t work) {
                candidates_ = static_cast<std::int32_t>(work);
                found_ = 0;
                checksum_ = examples::kChecksumStart;
        }

        int region() {
                // Long enough (some microseconds) that a team does not fight for the next chunk,
                // short enough to balance.
                const auto chunk = std::clamp(candidates_ / 128, 4, 32);
                std::uint64_t found = 0;
                int threads = 0;

#pragma omp parallel for schedule(dynamic, chunk) reduction(+ : found)
                for (std::int32_t i = 0; i < candidates_; ++i) {
                        if (i == 0)
                                threads = omp_get_num_threads();
                        found += is_prime(candidate(i)) ? 1 : 0;
                }
                account(found);
                return threads;
        }

        void serial() {
                std::uint64_t found = 0;

                for (std::int32_t i = 0; i < candidates_; ++i)
                        found += is_prime(candidate(i)) ? 1 : 0;
                account(found);
        }

        [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

        [[nodiscard]] std::string result() const {
                return std::to_string(found_) + " primes from " + std::to_string(candidate(0)) +
                       " to " + std::to_string(candidate(candidates_ - 1));
        }

private:
        static std::uint32_t candidate(std::int32_t i) {
                return kRangeBegin + 2 * static_cast<std::uint32_t>(i);
        }

        [[nodiscard]] bool is_prime(std::uint32_t odd) const {
                for (const std::uint32_t divisor : divisors_) {
                        if (divisor * divisor > odd)
                                return true;
                        if (odd % divisor == 0)
                                return false;
                }
                return true;
        }

        void account(std::uint64_t found) {
                found_ = found;
                checksum_ = examples::fold(checksum_, found);
        }

        std::vector<std::uint32_t> divisors_ = odd_primes_up_to(kLargestDivisor);
        std::int32_t candidates_ = 0;
        std::uint64_t found_ = 0;  // in the last region; each goes over the same range
        std::uint64_t checksum_ = examples::kChecksumStart;
};

}  // namespace

int main(int argc, char** argv) { return examples::run_program<Prime>(argc, argv); }
