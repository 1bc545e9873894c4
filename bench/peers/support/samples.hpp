// SPDX-License-Identifier: MIT
// Single measurements, their quantiles, and the lines that a program prints for bench/peers/run.
#pragma once

#include "clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace peers {

class Samples {
public:
        explicit Samples(std::size_t expected = 0) { values_.reserve(expected); }

        void add(double value) { values_.push_back(value); }
        bool empty() const { return values_.empty(); }

        /// The smallest value that at least `share` (0 to 1) of all do not exceed; 0 without any.
        double quantile(double share) const {
                if (values_.empty())
                        return 0;
                std::vector<double> sorted = values_;
                const auto last = static_cast<double>(sorted.size() - 1);
                const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(share * last);
                std::nth_element(sorted.begin(), middle, sorted.end());
                return *middle;
        }

        double median() const { return quantile(0.5); }

private:
        std::vector<double> values_;
};

/// One line `NAME VALUE`.
inline void report(const std::string& name, double value) {
        std::printf("%s %.6g\n", name.c_str(), value);
}

/// Makes the compiler believe that all memory was read and written.
inline void clobber_memory() { asm volatile("" ::: "memory"); }

}  // namespace peers
