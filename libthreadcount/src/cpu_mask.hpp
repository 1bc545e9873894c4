// SPDX-License-Identifier: MIT
//
// A set of CPUs as the kernel writes it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace threadcount {

/// The most CPUs that Linux may be built for.
inline constexpr std::uint32_t kMostCpus = 8192;

/// CPU n is bit n % 64 of word n / 64.
struct CpuMask {
        static constexpr std::size_t kWords = kMostCpus / 64;

        std::uint64_t words[kWords] = {};

        [[nodiscard]] std::uint32_t count() const {
                unsigned count = 0;
                for (const auto word : words)
                        count += static_cast<unsigned>(__builtin_popcountll(word));
                return count;
        }

        friend CpuMask operator&(const CpuMask& a, const CpuMask& b) {
                CpuMask both;
                for (std::size_t i = 0; i < kWords; i++)
                        both.words[i] = a.words[i] & b.words[i];
                return both;
        }
        friend bool operator==(const CpuMask&, const CpuMask&) = default;
};

}  // namespace threadcount
