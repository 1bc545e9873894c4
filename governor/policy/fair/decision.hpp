// SPDX-License-Identifier: MIT
//
// A decision: what each program is granted, and why.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstdint>
#include <governor/v1/reasons.h>
#include <string>
#include <vector>

namespace governor::policy::fair {

/// The first limit of a grant that applies. Numbers, sentences and meanings: reasons.h.
enum class Limit : std::uint8_t {
#define GOVERNOR_REASON(number, constant, name, sentence, meaning) name = (number),
        GOVERNOR_REASONS(GOVERNOR_REASON)
#undef GOVERNOR_REASON
};

/// The numbers behind a grant.
struct Reason {
        Limit limit = Limit::FairShare;
        std::uint32_t cpus = 0;      ///< distributed
        std::uint32_t foreign = 0;   ///< of these, left to programs that are not governed
        std::uint32_t reserved = 0;  ///< of these, kept free for programs that come and go
        std::uint32_t rigid = 0;  ///< of these, what rigid holders are charged above their shares
        std::uint32_t programs = 0;  ///< that share the rest
        std::uint32_t accounts = 0;  ///< that these programs belong to
        std::uint32_t share = 0;     ///< its fair share: what it gets when handovers are over
        std::uint32_t bound = 0;     ///< the number that `limit` is about: quota, max, burnt, ...
        std::uint32_t own_foreign = 0;  ///< of `foreign`, what counts against its account

        friend bool operator==(const Reason&, const Reason&) = default;
};

struct Grant {
        ProgramId id{};
        std::uint32_t threads = 1;  ///< >= 1
        /// It has as many CPUs as threads, and nobody else's unless `shared`. A program that is not
        /// governed has all that it may run on.
        CpuMask cpus;
        /// Somebody else may be using them: no CPU was left, or it is idle and lends its share.
        bool shared = false;
        bool parked = false;  ///< it is to begin no region: it waits for its turn
        /// Other teams run beside its own: of that, threads that wait for others are to sleep.
        bool crowded = false;
        Reason reason;
};

/// The round of a gang whose programs keep their teams, where these teams do not fit side by side.
struct Round {
        GangId id{};
        double share = 1;  ///< CPUs that it is entitled to, on average
        double uses = 0;   ///< CPUs that it keeps from others from now on
        bool waits = false;
        bool rests = false;  ///< it has no use for a round now
        bool leads = false;  ///< the round is its own: it does not merely fit beside
};

struct Decision {
        std::vector<Grant> grants;       ///< in the order of Snapshot::clients
        std::uint32_t cpus = 0;          ///< distributed
        std::uint32_t foreign = 0;       ///< of these, left to programs that are not governed
        std::optional<TimePoint> again;  ///< time alone will change it then
        std::vector<GangId> turns;       ///< gangs that have theirs
        std::vector<double> paces;       ///< of these: over that on all that they could have
        std::vector<Round> rounds;       ///< of the gangs that share by time
        bool tries_crowd = false;        ///< a program's pace in a crowd is not known yet
};

/// The reason as programs are told it.
[[nodiscard]] governor_grant_reason encode(const Reason& reason);

/// One line with the arithmetic: "fair share: 64 cpus - 9 foreign, 3 programs of 2 accounts -> 14".
[[nodiscard]] std::string explain(const Grant& grant);

}  // namespace governor::policy::fair
