// SPDX-License-Identifier: MIT
//
// Tracks the CPUs that one client holds, and those that it may still run on although they were
// taken away. Pure; time is an argument.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/decision.hpp"
#include "policy/fair/snapshot.hpp"
#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace governor::evidence {

using policy::TimePoint;

/// The content of its report slot. Untrusted: any value is possible.
struct Report {
        std::uint64_t epoch = 0;  ///< of the grant that its present or last region began with
        std::uint32_t team = 0;   ///< threads of that region
        bool in_region = false;
        /// Begun so far; may wrap. Tells of those that began and ended since the slot was last
        /// read.
        std::uint64_t regions = 0;
        std::uint64_t progress_done = 0;   ///< <= progress_total, in any unit
        std::uint64_t progress_total = 0;  ///< 0: it does not say how far it is
        std::uint64_t ended = 0;           ///< regions, of teams of any size; may wrap
        std::uint64_t ended_ns = 0;        ///< the time in these
        bool waits = false;                ///< parked, in front of a region

        friend bool operator==(const Report&, const Report&) = default;
};

/// The grant that it was last told.
struct Held {
        std::uint64_t epoch = 0;  ///< counts its grants; 0: none yet
        policy::fair::Grant grant;
        std::chrono::steady_clock::time_point since;

        /// It may run on CPUs of the pool.
        [[nodiscard]] bool is_governed() const {
                return grant.reason.limit != policy::fair::Limit::Ungoverned;
        }
        /// Its CPUs are in the pool, and nobody else's.
        [[nodiscard]] bool is_own() const { return !grant.shared && is_governed(); }
};

/// A shrink acts at the client's next region: until it reports one that began with the newest
/// grant, or that it is outside of regions, what it lost lingers. A client that never reported
/// counts as outside: it is found out by what it burns.
class Occupancy {
public:
        /// nullptr: nothing granted yet.
        [[nodiscard]] const Held* held() const { return held_.epoch != 0 ? &held_ : nullptr; }

        /// Takes note of a grant. True if it must be told: other threads or CPUs, or the same
        /// CPU as its own now, or no longer.
        bool grant(const policy::fair::Grant& grant, TimePoint now);

        /// A signal or a debugger has stopped it, or it goes on: while it is stopped it runs on
        /// nothing, whatever region it is in.
        void set_stopped(bool stopped, TimePoint now);

        /// A client that yields runs on CPUs that nobody else wants while it is parked: it occupies
        /// nothing and is not above its grant, whatever region it is in.
        void set_yields(bool yields, TimePoint now);

        /// It keeps its teams, and waits at regions: while it is parked it is not above its grant,
        /// whatever region it is in. Before the first grant.
        void set_waits(bool waits) { waits_ = waits; }

        struct Effect {
                bool gave_back = false;  ///< it is in nobody's way any more
                bool began = false;      ///< a region, since the last report
        };
        /// The team is clamped to `most`; an epoch that was not granted yet counts as the oldest.
        Effect report(const Report& report, std::uint32_t most, TimePoint now);

        /// CPU time that it could have used by right until `now`: what it was granted, and what
        /// lingered, while it did. Never decreases.
        [[nodiscard]] std::chrono::nanoseconds allowed(TimePoint now) const;

        /// The client has kept `cpus` CPUs busy since `since`, `excess` of them beyond what it was
        /// allowed at the time. Both are rounded to the nearest.
        void burned(std::uint32_t cpus, std::uint32_t excess, TimePoint since, TimePoint now);

        /// It has begun a region, as it says.
        [[nodiscard]] bool has_begun() const { return report_.epoch > 0 || report_.regions > 0; }
        [[nodiscard]] bool in_region() const { return report_.in_region; }
        /// The threads of the present region, as the client says; 0: it is in none.
        [[nodiscard]] std::uint32_t team() const { return report_.in_region ? report_.team : 0; }
        [[nodiscard]] const policy::CpuMask& lingering() const { return lingering_; }
        /// Its present region began with CPUs of its own that it has lost, or that it shares now.
        [[nodiscard]] bool is_in_the_way() const;
        /// The time since which it is in the way. Empty: it is not.
        [[nodiscard]] std::optional<TimePoint> lingers_since() const { return lingers_since_; }
        /// CPUs of its own that its present region began with; empty outside of regions, and while
        /// it is stopped, or parked and yields.
        [[nodiscard]] policy::CpuMask in_use() const;
        /// CPUs that it keeps busy.
        [[nodiscard]] std::uint32_t burning() const { return burning_; }
        /// Of these, beyond what it was allowed.
        [[nodiscard]] std::uint32_t excess() const { return excess_; }

        /// The time since which the client has run on more than is granted: CPUs linger, its team
        /// is larger, or it burns more than it is allowed. Empty: it does not.
        [[nodiscard]] std::optional<TimePoint> above_since() const { return above_since_; }

        /// The threads of the grant that it goes by: of its region's, else of the newest. 0: none.
        [[nodiscard]] std::uint32_t knows_of() const;

private:
        static constexpr std::size_t kFormer = 4;  // grants are rarer than regions: these are few

        struct Former {
                std::uint64_t epoch;
                std::uint32_t threads;
                policy::CpuMask cpus;
        };

        /// Stopped, or parked and yielding.
        [[nodiscard]] bool occupies_nothing() const {
                return stopped_ || (yields_ && held_.grant.parked);
        }
        void remember_former();
        void count_allowed(TimePoint now);
        [[nodiscard]] policy::CpuMask own_cpus() const;
        [[nodiscard]] const Former* former_of_region() const;
        void update(TimePoint burning_since, TimePoint now);

        Held held_;
        Report report_;
        bool stopped_ = false;
        bool yields_ = false;         // while it is parked
        bool waits_ = false;          // with its team, while it is parked
        std::vector<Former> former_;  // that a region may still go by, oldest first
        policy::CpuMask lingering_;
        std::optional<TimePoint> lingers_since_;
        std::chrono::nanoseconds allowed_{0};  // until allowed_at_
        TimePoint allowed_at_;
        std::uint32_t burning_ = 0;
        std::uint32_t excess_ = 0;  // of these
        std::optional<TimePoint> above_since_;
};

}  // namespace governor::evidence
