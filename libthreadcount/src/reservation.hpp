// SPDX-License-Identifier: MIT
//
// A range of addresses in which shared memory is mapped and replaced while others look at it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace threadcount {

/// An address that was ever returned can be read (if `writable`: also written) until this goes:
/// there is what is mapped, or zeros of the process's own. Not thread-safe itself.
class Reservation {
public:
        explicit constexpr Reservation(bool writable) : writable_(writable) {}
        ~Reservation();
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;

        /// Maps the first `size` > 0 bytes of `fd`, which must not become shorter, in the place of
        /// what was mapped before. Takes a new range, at least twice as large, where they do not
        /// fit. The old range then stays as zeros, and there are at most kRanges. 0 or a negative
        /// errno; then nothing is mapped.
        [[nodiscard]] int map(int fd, std::uint64_t size);

        /// Nothing is mapped any more: zeros.
        void clear();

        /// The range that map() mapped last; nullptr before.
        [[nodiscard]] std::byte* start() const {
                return ranges_ != 0 ? range_[ranges_ - 1].start : nullptr;
        }

private:
        static constexpr std::size_t kSmallest = std::size_t{1} << 20;
        static constexpr int kRanges = 16;

        struct Range {
                std::byte* start;
                std::size_t size;
        };

        [[nodiscard]] int reserve(std::size_t size);
        [[nodiscard]] int protection() const;

        bool writable_;
        int ranges_ = 0;
        Range range_[kRanges] = {};
};

}  // namespace threadcount
