// SPDX-License-Identifier: MIT
//
// A set of CPUs as bits: what decisions are computed with. CpuSet is its printable form.
#pragma once

#include "policy/cpu_set.hpp"
#include "policy/mask_words.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace governor::policy {

/// Bit n is the CPU that the kernel numbers n, below kCpuNumberLimit. Every operation costs
/// O(highest number / 64).
class CpuMask {
public:
        CpuMask() = default;
        explicit CpuMask(const CpuSet& cpus);

        /// {first, ..., first + count - 1}
        [[nodiscard]] static CpuMask range(std::uint32_t first, std::uint32_t count);

        void add(std::uint32_t cpu) {
                if (cpu / kBits >= words_.size())
                        words_.resize(cpu / kBits + 1);
                words_[cpu / kBits] |= std::uint64_t{1} << (cpu % kBits);
        }
        void remove(std::uint32_t cpu);
        void clear() { words_.clear(); }

        [[nodiscard]] bool contains(std::uint32_t cpu) const {
                return cpu / kBits < words_.size() &&
                       ((words_[cpu / kBits] >> (cpu % kBits)) & 1) != 0;
        }
        [[nodiscard]] bool empty() const { return words_.empty(); }
        [[nodiscard]] std::uint32_t count() const;
        [[nodiscard]] std::optional<std::uint32_t> first() const;
        [[nodiscard]] CpuSet to_set() const;

        /// Bit n % 64 of word n / 64 is CPU n; words beyond the last CPU's are left out.
        [[nodiscard]] std::span<const std::uint64_t> words() const { return words_.all(); }

        /// Without building the set: the size and the first of this & other.
        [[nodiscard]] std::uint32_t count_common(const CpuMask& other) const;
        [[nodiscard]] std::optional<std::uint32_t> first_common(const CpuMask& other) const;
        [[nodiscard]] bool intersects(const CpuMask& other) const;
        [[nodiscard]] bool is_within(const CpuMask& other) const;

        CpuMask& operator|=(const CpuMask& other);
        CpuMask& operator&=(const CpuMask& other);
        CpuMask& operator-=(const CpuMask& other);
        friend CpuMask operator|(CpuMask a, const CpuMask& b) { return a |= b; }
        friend CpuMask operator&(CpuMask a, const CpuMask& b) { return a &= b; }
        friend CpuMask operator-(CpuMask a, const CpuMask& b) { return a -= b; }

        /// Equal sets are equal, whatever they held before. The order is total, without a meaning.
        friend bool operator==(const CpuMask&, const CpuMask&) = default;
        friend bool operator<(const CpuMask& a, const CpuMask& b) { return a.words_ < b.words_; }

        /// Calls `visit(cpu)` for each CPU, ascending.
        template <class Visit>
        void for_each(Visit visit) const {
                for (std::size_t i = 0; i < words_.size(); i++)
                        for (auto word = words_[i]; word != 0; word &= word - 1)
                                visit(static_cast<std::uint32_t>(i * kBits) +
                                      static_cast<std::uint32_t>(std::countr_zero(word)));
        }

private:
        static constexpr std::size_t kBits = 64;

        void trim();  // the last word is never 0, so that equal sets have equal words

        MaskWords words_;
};

}  // namespace governor::policy
