// SPDX-License-Identifier: MIT
//
// CPU time of processes that belong to no lease holder, by the user that they are run by.
#pragma once

#include "probe/descendants.hpp"
#include "probe/pid_stat.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace governor::probe {

/// The part of a CPU that a thread with this nice value, 1..19, gets beside one with nice 0: 0..1.
[[nodiscard]] double niced_part(std::int32_t nice);

/// Not thread-safe.
class OwnedLoad {
public:
        /// The user that a process belongs to; empty: not to be seen, or its time counts elsewhere.
        using OwnerOf = std::function<std::optional<std::uint32_t>(std::uint32_t pid)>;

        /// Clock ticks between the last two scans. The user time of processes with a positive nice
        /// value (their first thread's) is niced time, as in /proc/stat.
        struct Used {
                double ticks = 0;  ///< without niced time
                double niced = 0;  ///< times niced_part()
        };

        /// Takes a scan and its growth (Descendants::growth()). SCHED_IDLE processes are left out,
        /// and so is the time that processes use between their last scan and their end. Asks for
        /// the owner of a process that has run when it is new, and then at one of kTurns scans: a
        /// process may change its user. Asks for no more than kMostAsked at a scan, those that have
        /// run most; the others' time is nobody's. Costs about 0.1 us per process besides.
        void add(std::span<const PidStat> processes, std::span<const Descendants::Growth> growth,
                 const OwnerOf& owner_of);
        static constexpr std::uint32_t kTurns = 16;
        static constexpr std::size_t kMostAsked = 64;

        /// By user. Valid until the next scan.
        [[nodiscard]] const std::map<std::uint32_t, Used>& by_owner() const { return by_owner_; }
        /// niced_part() on average over all niced time, also without a known owner; 0: there is
        /// none.
        [[nodiscard]] double niced_part() const { return niced_ > 0 ? niced_taken_ / niced_ : 0; }

private:
        struct Known {
                std::uint32_t pid = 0;
                std::uint64_t started_ticks = 0;
                bool is_asked = false;
                std::optional<std::uint32_t> owner = {};
        };

        void find_owners(std::span<const PidStat> processes,
                         std::span<const Descendants::Growth> growth, const OwnerOf& owner_of);
        void count(const PidStat& process, const Descendants::Growth& growth,
                   std::optional<std::uint32_t> owner);

        std::vector<Known> known_;  // ascending by pid
        std::uint32_t turn_ = 0;
        std::map<std::uint32_t, Used> by_owner_;
        double niced_ = 0;  // ticks
        double niced_taken_ = 0;
};

}  // namespace governor::probe
