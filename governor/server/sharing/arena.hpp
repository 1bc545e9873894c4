// SPDX-License-Identifier: MIT
//
// The daemon's half of the shared memory: tells programs their grants, reads what they report.
// The layout and its protocol are in governor/v1/arena.h.
#pragma once

#include "evidence/occupancy.hpp"
#include "policy/fair/decision.hpp"
#include "server/kernel/shared_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <governor/v1/arena.h>
#include <optional>
#include <vector>

namespace governor::server {

/// Regions that have ended, with teams of from .. to threads; as untrusted.
struct RegionTime {
        std::uint32_t team_from = 1;
        std::uint32_t team_to = 0;  ///< 0: there is no upper end
        std::uint64_t count = 0;    ///< >= 1
        std::uint64_t mean_ns = 0;
};

/// The counts of a program's thread pools; as untrusted, but that a part is not more than its
/// whole.
struct PoolTotals {
        std::uint32_t lanes = 0;  ///< 0 .. kMostLanes
        std::uint32_t active = 0;
        std::uint64_t executed = 0;
        std::uint64_t stolen = 0;
        std::uint64_t parked = 0;
        std::uint64_t woken = 0;

        static constexpr std::uint32_t kMostLanes = 65'536;
};

/// Slots for programs of one user; those named must be below slots(). Not thread-safe. Nothing
/// that a client can do with its two descriptors ends the daemon or makes it wait. The daemon never
/// touches memory that clients can write, and reads reports by system calls. It never writes or
/// punches that memory: this takes a lock which a client can hold for ever (a write() from a page
/// that never comes).
class Arena {
public:
        /// Descriptors that each has open.
        static constexpr std::size_t kDescriptors = 2;

        /// `cpus`: sets hold the CPUs below this number, 1..kCpuNumberLimit. Throws
        /// std::system_error: out of memory or descriptors, or (EINVAL) a number out of range.
        Arena(std::uint32_t slots, std::uint32_t cpus);
        Arena(const Arena&) = delete;
        Arena& operator=(const Arena&) = delete;

        /// Tells a grant. Returns its epoch, by which the client's reports will refer to it. Costs
        /// O(cpus / 64), no system call. CPUs that the arena has no room for are left out, threads
        /// are capped at GOVERNOR_WORD_THREADS_MAX.
        std::uint32_t publish(std::uint32_t slot, const policy::fair::Grant& grant);

        /// Tells that nobody governs the client any more; the last grant stays readable.
        std::uint32_t release(std::uint32_t slot);

        /// Makes the slot ready for another client: nothing is granted. The epoch goes on, so that
        /// a client that knew the slot before sees that it has changed. The former client's report
        /// is there until the next one clears it: report() has an epoch of before.
        std::uint32_t renew(std::uint32_t slot);

        /// One system call.
        [[nodiscard]] evidence::Report report(std::uint32_t slot) const;
        /// The first `slots` of them, <= slots(); one system call for 200 of them. For one slot in
        /// seven that is wanted it is cheaper than report().
        [[nodiscard]] std::vector<evidence::Report> reports(std::uint32_t slots) const;

        /// Smallest teams first, without those that there are none of. One system call.
        [[nodiscard]] std::vector<RegionTime> region_times(std::uint32_t slot) const;

        /// Empty: none is reported. One system call.
        [[nodiscard]] std::optional<PoolTotals> pool(std::uint32_t slot) const;

        /// To be called every 500 ms.
        void beat();

        [[nodiscard]] std::uint32_t slots() const { return header_.slot_count; }

        /// For clients: nothing can be written through this one, ...
        [[nodiscard]] int grants_fd() const { return grants_fd_.get(); }
        /// ... and anything through this one.
        [[nodiscard]] int reports_fd() const { return reports_fd_.get(); }

private:
        template <class Number>
        [[nodiscard]] std::atomic<Number>& at(std::size_t offset) const {
                return *reinterpret_cast<std::atomic<Number>*>(grants_.data() + offset);
        }
        [[nodiscard]] std::size_t offset_of(std::uint32_t slot) const;
        [[nodiscard]] std::size_t buffer_of(std::uint32_t slot, std::uint32_t epoch) const;
        [[nodiscard]] std::atomic<std::uint64_t>& word(std::uint32_t slot) const;

        void write(std::size_t buffer, const governor_grant_reason& reason,
                   const policy::CpuMask& cpus);

        governor_grant_header header_;  // our copy; the client's is in grants_
        UniqueFd grants_fd_;
        UniqueFd reports_fd_;
        Mapping grants_;
};

}  // namespace governor::server
