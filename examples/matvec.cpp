// SPDX-License-Identifier: MIT
//
// Multiplies a matrix by a vector. Regular, and the only load that reads more memory than a
// first-level cache holds; a second-level cache is enough, so that the cores are the limit.
#include <omp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/checksum.hpp"
#include "common/program.hpp"

namespace {

using examples::Description;

constexpr std::size_t kColumns = 2048;
constexpr std::size_t kStoredRows = 64;  // 1 MiB; the rows after them are the same again
constexpr std::size_t kVectorVariants = 64;
constexpr std::size_t kVariantStride = 8;  // keeps the alignment

/// Small whole numbers, -8..7: their products add up exactly, so no order of summing, not
/// even the one that a vectorising compiler chooses, changes the result.
std::vector<double> whole_numbers(std::size_t count, std::uint64_t seed) {
        std::vector<double> numbers(count);

        for (std::size_t i = 0; i < count; ++i)
                numbers[i] = static_cast<double>(examples::scramble(seed + i) % 16) - 8.0;
        return numbers;
}

double dot_product(const double* row, const double* vector) {
        double sum = 0;

#pragma omp simd reduction(+ : sum)
        for (std::size_t i = 0; i < kColumns; ++i)
                sum += row[i] * vector[i];
        return sum;
}

class MatrixVector {
public:
        static constexpr Description kDescription{
                .name = "matvec",
                .summary = "multiply a matrix by a vector",
                .unit = "one row of 2048 columns",
                .max_work = 100'000'000,
                .cost_exponent = 1,
        };

        void prepare(std::uint64_t work) {
                product_.assign(work, 0.0);
                regions_ = 0;
                checksum_ = examples::kChecksumStart;
        }

        int region() {
                const double* vector = next_vector();
                const auto rows = static_cast<std::int64_t>(product_.size());
                std::uint64_t sum = 0;
                int threads = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
                for (std::int64_t i = 0; i < rows; ++i) {
                        if (i == 0)
                                threads = omp_get_num_threads();
                        sum += multiply_row(static_cast<std::size_t>(i), vector);
                }
                checksum_ = examples::fold(checksum_, sum);
                return threads;
        }

        void serial() {
                const double* vector = next_vector();
                std::uint64_t sum = 0;

                for (std::size_t i = 0; i < product_.size(); ++i)
                        sum += multiply_row(i, vector);
                checksum_ = examples::fold(checksum_, sum);
        }

        [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

        [[nodiscard]] std::string result() const {
                return "vector of " + std::to_string(product_.size()) + " numbers, the first is " +
                       std::to_string(static_cast<std::int64_t>(product_.front()));
        }

private:
        /// Another vector for every region, or all products were the same.
        const double* next_vector() {
                return vectors_.data() + kVariantStride * (regions_++ % kVectorVariants);
        }

        /// Stores the element of the product, returns its share of the checksum: whole, and
        /// weighted by its place.
        std::uint64_t multiply_row(std::size_t i, const double* vector) {
                product_[i] = dot_product(matrix_.data() + kColumns * (i % kStoredRows), vector);
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(product_[i])) *
                       (2 * i + 1);
        }

        std::vector<double> matrix_ = whole_numbers(kColumns * kStoredRows, 0);
        std::vector<double> vectors_ =
                whole_numbers(kColumns + kVariantStride * kVectorVariants, kColumns* kStoredRows);
        std::vector<double> product_;
        std::uint64_t regions_ = 0;
        std::uint64_t checksum_ = examples::kChecksumStart;
};

}  // namespace

int main(int argc, char** argv) { return examples::run_program<MatrixVector>(argc, argv); }
