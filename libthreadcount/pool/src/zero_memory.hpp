// SPDX-License-Identifier: MIT
//
// Memory that is all zero, and costs nothing before it is used.
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace threadcount::pool {

/// One mapping, to be given out in parts. Not thread-safe.
class ZeroMemory {
public:
        /// Throws std::bad_alloc.
        explicit ZeroMemory(std::size_t bytes)
                : bytes_(bytes),
                  start_(static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                                      -1, 0))) {
                if (start_ == MAP_FAILED)
                        throw std::bad_alloc();
        }
        ~ZeroMemory() { munmap(start_, bytes_); }
        ZeroMemory(const ZeroMemory&) = delete;
        ZeroMemory& operator=(const ZeroMemory&) = delete;

        /// The bytes of it that an array takes.
        template <class T>
        static constexpr std::size_t bytes_for(std::size_t count) {
                return (count * sizeof(T) + kLine - 1) / kLine * kLine;
        }

        /// The next `count` of T, for which a byte representation of all zero is a valid value;
        /// they begin with a cache line. There must be enough left.
        template <class T>
        [[nodiscard]] T* take(std::size_t count) {
                auto* taken = start_ + taken_;
                taken_ += bytes_for<T>(count);
                return reinterpret_cast<T*>(taken);
        }

private:
        static constexpr std::size_t kLine = 64;

        std::size_t bytes_;
        std::size_t taken_ = 0;
        std::byte* start_;
};

}  // namespace threadcount::pool
