// SPDX-License-Identifier: MIT
//
// The words of a CpuMask: a vector that needs no memory of its own for few of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace governor::policy {

/// A decision makes some ten sets per client: with memory for each they cost most by that.
class MaskWords {
public:
        static constexpr std::size_t kInside = 4;  ///< so many need none: 256 CPUs

        MaskWords() = default;
        MaskWords(const MaskWords&) = default;
        MaskWords& operator=(const MaskWords&) = default;
        MaskWords(MaskWords&& other) noexcept
                : size_(std::exchange(other.size_, 0)), inside_(other.inside_),
                  outside_(std::move(other.outside_)) {}
        MaskWords& operator=(MaskWords&& other) noexcept {
                size_ = std::exchange(other.size_, 0);
                inside_ = other.inside_;
                outside_ = std::move(other.outside_);
                return *this;
        }
        ~MaskWords() = default;

        [[nodiscard]] std::size_t size() const { return size_; }
        [[nodiscard]] bool empty() const { return size_ == 0; }
        [[nodiscard]] std::uint64_t* data() {
                return size_ <= kInside ? inside_.data() : outside_.data();
        }
        [[nodiscard]] const std::uint64_t* data() const {
                return size_ <= kInside ? inside_.data() : outside_.data();
        }
        [[nodiscard]] std::uint64_t& operator[](std::size_t i) { return data()[i]; }
        [[nodiscard]] std::uint64_t operator[](std::size_t i) const { return data()[i]; }
        [[nodiscard]] std::span<const std::uint64_t> all() const { return {data(), size_}; }

        /// New ones are 0.
        void resize(std::size_t size) {
                if (size > kInside) {
                        if (size_ <= kInside)
                                outside_.assign(inside_.begin(), inside_.begin() + size_);
                        outside_.resize(size);
                } else if (size_ > kInside) {
                        std::copy_n(outside_.begin(), size, inside_.begin());
                        outside_.clear();
                } else if (size > size_) {
                        std::fill_n(inside_.begin() + size_, size - size_, 0);
                }
                size_ = static_cast<std::uint32_t>(size);
        }
        void clear() { resize(0); }

        friend bool operator==(const MaskWords& a, const MaskWords& b) {
                return std::ranges::equal(a.all(), b.all());
        }
        friend bool operator<(const MaskWords& a, const MaskWords& b) {
                return std::ranges::lexicographical_compare(a.all(), b.all());
        }

private:
        std::uint32_t size_ = 0;
        std::array<std::uint64_t, kInside> inside_{};
        std::vector<std::uint64_t> outside_;  // all of them, if there are more than kInside
};

}  // namespace governor::policy
