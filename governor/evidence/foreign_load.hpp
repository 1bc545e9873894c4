// SPDX-License-Identifier: MIT
//
// Measures how much of the machine programs use that are not governed.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/foreign.hpp"
#include "policy/sample.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

namespace governor::evidence {

using policy::CpuMask;
using policy::Sample;
using policy::TimePoint;
using policy::fair::Foreign;

/// CPU time per second that is not foreign load, somewhere on `cpus`: clients burn it, or threads
/// that yield to all others.
struct Burn {
        CpuMask cpus;
        std::uint32_t millicpu = 0;
        bool niced = false;  ///< with a positive nice value
        /// So much of it is foreign load all the same: see Program::load_of().
        std::uint32_t load_millicpu = 0;
};

/// The facts about ungoverned programs that a look at all processes tells.
struct Ungoverned {
        struct Owner {
                policy::fair::AccountId account{};
                std::uint32_t millicpu = 0;  ///< burned, niced time aside
                /// Niced time, times the part of a CPU that it takes: see `niced_permyriad`.
                std::uint32_t niced_millicpu = 0;
        };
        std::vector<Owner> owners;  ///< each account once
        /// The part that threads with a positive nice value get of a CPU that a thread of nice 0
        /// wants as well, on average over their time. 0: there is none, or they are hidden.
        std::uint32_t niced_permyriad = 0;
};

/// foreign = busy - what clients burn. Niced time of others than clients counts for what it takes
/// from a thread of nice 0 on the same CPU. It counts by the part W where only niced threads run,
/// and in full where others leave these no more than W. The load is the least of the last kLasting,
/// so that a begin counts when it has lasted. An end counts in one step, when samples do not reach
/// back before it. A load that falls again within kPeriod of its last fall counts as steady, at its
/// mean from the one fall to the other. This ends when it is more or less than it was in that time,
/// or has not fallen for kPeriod. Small changes do not count. Pure: time is an argument.
class ForeignLoad {
public:
        /// Takes the sample of the window that ends `now`, and what clients burned in it. The CPUs
        /// of a set on which they burned it are not known: it is spread over the busy ones, the
        /// smallest sets first. A CPU whose idle time is not known counts as idle. The first sample
        /// counts in full; one that is warming up not at all. Rises and falls are looked for in the
        /// sum over `pool`, because a load that moves from CPU to CPU has not ended. True: the load
        /// that decisions go by is another one. O(CPUs x different sets).
        bool add(const Sample& sample, std::span<const Burn> clients, const CpuMask& pool,
                 TimePoint now);

        /// Before the first client begins. `running` threads run at this moment, none of them a
        /// client's: up to that number, the load of the last sample counts at once. The client's
        /// first region may be its only one, and would begin on CPUs that others have.
        void catch_sight(std::uint32_t running, const CpuMask& pool);

        /// Until the next call no more load counts than in this sample. To be used where the burn
        /// of clients is known at some times only, and guessed in between.
        void limit(const Sample& sample, std::span<const Burn> clients);
        /// Likewise no more than at the last call of add(), or of attribute() if that was later.
        void limit_to_last();
        void no_limit() { limit_.reset(); }

        /// Takes what is known about the time of this sample. Until the next call niced time counts
        /// as `ungoverned` says, and the load belongs to those accounts that run enough of it to
        /// count as a load. Small changes do not count.
        void attribute(const Sample& sample, std::span<const Burn> clients,
                       const Ungoverned& ungoverned, const CpuMask& pool);

        /// The load that decisions go by.
        [[nodiscard]] const Foreign& seen() const { return seen_; }

private:
        struct Measured {
                TimePoint at;
                Foreign::PerCpu load;
                float sum;  // over the pool
        };

        struct Load {
                Foreign::PerCpu all;
                float niced = 0;         // of it, as it counts
                float niced_burned = 0;  // for that
        };
        [[nodiscard]] Load measure(const Sample& sample, std::span<const Burn> clients) const;

        void follow_cycle(float small);
        bool believe(const Foreign::PerCpu& load, const CpuMask& pool);

        /// From a fall to the next one.
        struct Cycle {
                Foreign::PerCpu load;  // the mean; while it goes on, times seconds
                float least = 0;
                float most = 0;
        };

        Foreign seen_;
        float niced_part_ = 0;  // 0..1: see Ungoverned::niced_permyriad
        std::optional<Foreign::PerCpu> limit_;
        Foreign::PerCpu last_load_;    // of add() or attribute()
        std::deque<Measured> recent_;  // within kLasting, oldest first
        TimePoint added_at_;
        Cycle cycle_;
        TimePoint fell_at_;
        std::optional<Cycle> last_;  // of a load that comes and goes
        bool is_falling_ = true;
        float turn_ = 0;  // the least while it falls, the most while it rises
};

}  // namespace governor::evidence
