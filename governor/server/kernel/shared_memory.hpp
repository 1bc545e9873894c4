// SPDX-License-Identifier: MIT
//
// Memory without a name that can be handed to other processes, and cannot change its size.
#pragma once

#include "server/kernel/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace governor::server {

/// A memfd of `size` bytes of zeros, all of them there already: a process that touches them does
/// not run out of memory. Close-on-exec, not sealed yet. Throws std::system_error.
[[nodiscard]] UniqueFd make_shared_memory(const char* name, std::uint64_t size);

/// F_SEAL_...; they stay for ever. Throws std::system_error.
void seal(const UniqueFd& memory, int seals);

/// A writable mapping of the whole of it, until this goes.
class Mapping {
public:
        /// Throws std::system_error.
        Mapping(const UniqueFd& memory, std::size_t size);
        Mapping(Mapping&& other) noexcept
                : start_(std::exchange(other.start_, nullptr)), size_(other.size_) {}
        Mapping& operator=(Mapping&& other) noexcept {
                std::swap(start_, other.start_);
                std::swap(size_, other.size_);
                return *this;
        }
        ~Mapping();

        [[nodiscard]] std::byte* data() const { return start_; }
        [[nodiscard]] std::size_t size() const { return size_; }

private:
        std::byte* start_;
        std::size_t size_;
};

}  // namespace governor::server
