// SPDX-License-Identifier: MIT
//
// A lease by hand: what the client library does, with a look at the clock in between.
#pragma once

#include "descriptors.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <governor/v1/arena.h>
#include <string>

namespace bench {

/// The memory of one account's grants and reports, mapped. Any number of slots is in it.
class Pages {
public:
        /// Looks at the header, maps both. Throws std::system_error.
        Pages(int grants_fd, int reports_fd);
        ~Pages();
        Pages(const Pages&) = delete;
        Pages& operator=(const Pages&) = delete;

        [[nodiscard]] std::uint32_t slots() const { return header_.slot_count; }
        [[nodiscard]] std::uint64_t word(std::uint32_t slot) const {
                const auto offset = header_.slots_offset + std::size_t{slot} * header_.slot_size;
                return reinterpret_cast<const std::atomic<std::uint64_t>*>(grants_ + offset)
                        ->load(std::memory_order_acquire);
        }
        /// Counts up twice a second while the governor lives.
        [[nodiscard]] std::uint64_t heartbeat() const {
                return reinterpret_cast<const std::atomic<std::uint64_t>*>(
                               grants_ + offsetof(governor_grant_header, heartbeat))
                        ->load(std::memory_order_relaxed);
        }
        /// Reports a region that began by the grant in force and goes on.
        void begin_region(std::uint32_t slot) const;

private:
        governor_grant_header header_{};
        const std::byte* grants_ = nullptr;
        std::byte* reports_ = nullptr;
};

/// The wishes of a program; 0: as the governor likes.
struct Wishes {
        std::uint32_t max = 0;
        std::uint32_t weight = 0;
};

/// One connection to the governor; blocks. Not thread-safe. Every function throws
/// std::runtime_error, with the governor's own words where it refuses.
class Lease {
public:
        /// Connects; waits while the governor's queue is full.
        explicit Lease(const std::string& governor);

        /// Sends the hello and takes the welcome. Returns when it was sent, of CLOCK_MONOTONIC.
        std::int64_t hello(const Wishes& wishes);
        /// Ends the lease and waits until that is done. Returns when it was sent.
        std::int64_t bye();

        [[nodiscard]] std::uint32_t slot() const { return slot_; }
        [[nodiscard]] int grants_fd() const { return grants_.get(); }
        [[nodiscard]] int reports_fd() const { return reports_.get(); }
        /// Bytes of the last request and reply, with their lengths in front.
        [[nodiscard]] std::size_t request_bytes() const { return request_bytes_; }
        [[nodiscard]] std::size_t reply_bytes() const { return reply_bytes_; }

private:
        std::int64_t send(const std::string& request);
        /// The body of the next reply.
        std::string receive();

        UniqueFd socket_;
        UniqueFd grants_;
        UniqueFd reports_;
        std::uint32_t slot_ = 0;
        std::size_t request_bytes_ = 0;
        std::size_t reply_bytes_ = 0;
};

}  // namespace bench
