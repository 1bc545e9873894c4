// SPDX-License-Identifier: MIT
// Word by word.
#include "policy/cpu_mask.hpp"

#include <algorithm>

namespace governor::policy {

CpuMask::CpuMask(const CpuSet& cpus) {
        for (const auto cpu : cpus)
                add(cpu);
}

CpuMask CpuMask::range(std::uint32_t first, std::uint32_t count) {
        CpuMask mask;
        for (auto cpu = first; cpu < first + count; cpu++)
                mask.add(cpu);
        return mask;
}

void CpuMask::remove(std::uint32_t cpu) {
        if (cpu / kBits >= words_.size())
                return;
        words_[cpu / kBits] &= ~(std::uint64_t{1} << (cpu % kBits));
        trim();
}

std::uint32_t CpuMask::count() const {
        int sum = 0;
        for (const auto word : words_.all())
                if (word != 0)  // counting is a call on processors that must not be too new
                        sum += std::popcount(word);
        return static_cast<std::uint32_t>(sum);
}

std::optional<std::uint32_t> CpuMask::first() const {
        for (std::size_t i = 0; i < words_.size(); i++)
                if (words_[i] != 0)
                        return static_cast<std::uint32_t>(i * kBits) +
                               static_cast<std::uint32_t>(std::countr_zero(words_[i]));
        return std::nullopt;
}

CpuSet CpuMask::to_set() const {
        CpuSet cpus;
        cpus.reserve(count());
        for_each([&](std::uint32_t cpu) { cpus.push_back(cpu); });
        return cpus;
}

std::uint32_t CpuMask::count_common(const CpuMask& other) const {
        int sum = 0;
        for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); i++)
                if (const auto common = words_[i] & other.words_[i]; common != 0)
                        sum += std::popcount(common);
        return static_cast<std::uint32_t>(sum);
}

std::optional<std::uint32_t> CpuMask::first_common(const CpuMask& other) const {
        for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); i++)
                if (const auto common = words_[i] & other.words_[i]; common != 0)
                        return static_cast<std::uint32_t>(i * kBits) +
                               static_cast<std::uint32_t>(std::countr_zero(common));
        return std::nullopt;
}

bool CpuMask::intersects(const CpuMask& other) const {
        for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); i++)
                if ((words_[i] & other.words_[i]) != 0)
                        return true;
        return false;
}

bool CpuMask::is_within(const CpuMask& other) const {
        for (std::size_t i = 0; i < words_.size(); i++)
                if ((words_[i] & ~(i < other.words_.size() ? other.words_[i] : 0)) != 0)
                        return false;
        return true;
}

CpuMask& CpuMask::operator|=(const CpuMask& other) {
        if (words_.size() < other.words_.size())
                words_.resize(other.words_.size());
        for (std::size_t i = 0; i < other.words_.size(); i++)
                words_[i] |= other.words_[i];
        return *this;
}

CpuMask& CpuMask::operator&=(const CpuMask& other) {
        if (words_.size() > other.words_.size())
                words_.resize(other.words_.size());
        for (std::size_t i = 0; i < words_.size(); i++)
                words_[i] &= other.words_[i];
        trim();
        return *this;
}

CpuMask& CpuMask::operator-=(const CpuMask& other) {
        for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); i++)
                words_[i] &= ~other.words_[i];
        trim();
        return *this;
}

void CpuMask::trim() {
        auto size = words_.size();
        while (size > 0 && words_[size - 1] == 0)
                size--;
        words_.resize(size);
}

}  // namespace governor::policy
