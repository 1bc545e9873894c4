// SPDX-License-Identifier: MIT
//
// Everything that a fair decision depends on.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/foreign.hpp"
#include "policy/fair/scaling.hpp"
#include "policy/machine.hpp"
#include "policy/numbers.hpp"
#include "policy/permyriad.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy::fair {

enum class ProgramId : std::uint64_t {};
enum class AccountId : std::uint64_t {};  ///< whose share is counted as one: a user
enum class GangId : std::uint64_t {};     ///< programs that work together

struct Settings {
        /// Programs that are not governed are yielded at most this part of the CPUs.
        std::uint32_t foreign_max_permyriad =
                static_cast<std::uint32_t>(kPermyriad * numbers::kForeignMax);
        /// A client of a stream that is younger than this takes what is free but makes nobody
        /// shrink.
        std::chrono::milliseconds newcomer = numbers::kShortLife;
        /// A program that is still above its grant after this is charged for what it burns.
        std::chrono::milliseconds handover_max = numbers::kHandoverMax;
        /// Batch programs of one account take turns; else they share as all others do.
        bool turns = true;
        /// Users together take turns, as if they were one: the administrator's choice.
        bool turns_across_users = false;
        /// A gang whose end is not known keeps its turn for so long at first; later turns are
        /// longer.
        std::chrono::milliseconds turn_quantum = numbers::kQuantum;
        /// Nobody waits for its turn longer than this without a thread.
        std::chrono::milliseconds turn_max_wait = numbers::kMaxWait;
};

/// The rounds of a gang whose programs keep their teams, where these do not fit side by side.
struct RoundState {
        /// CPU time that its teams have kept from others, over its share: seconds.
        double used_s = 0;
        double share = 0;                      ///< CPUs that this counts; 0: none yet
        std::optional<TimePoint> since;        ///< it runs in its round since then
        std::optional<TimePoint> waits_since;  ///< for its round
        std::chrono::nanoseconds region{0};    ///< how long one takes; 0: not known
        double account_used_s = 0;             ///< as `used_s`, of all gangs of its account
        double account_share = 0;              ///< as `share`
};

/// A program's pace in a crowd (Grant::crowded) is compared with that in rounds.
struct CrowdGain {
        /// To be measured next. A program that does not end its Rounds has Done after a while.
        enum class Step : std::uint8_t { Crowd, Rounds, Done };
        Step step = Step::Crowd;
        bool has_left = false;  ///< the crowd, since it is to be measured in rounds
        /// Its pace in a crowd, over that in rounds; above 0. Empty: not known, or its regions are
        /// too long for it to matter.
        std::optional<double> gain;
};

/// Programs that work together, and so run and wait together.
struct Gang {
        GangId id{};
        AccountId account{};
        TimePoint joined;  ///< its oldest member
        /// Gangs of one account that have the same are taken to be as long as each other: programs
        /// of one label. 0: it is like no other.
        std::uint64_t kind = 0;
        bool has_turn = false;
        /// It runs on what nobody else wants while it waits: no CPU is lost where the gang whose
        /// turn it is does not use all.
        bool yields = false;
        std::chrono::nanoseconds served{0};  ///< so long it has been served in its turns, in all
        /// It runs from then on at most on what a gang that is out of patience is given. Empty: it
        /// runs in its turn, or does not want to run. Without the time that it had in turns too
        /// short to end its wait.
        std::optional<TimePoint> waits_since;
        /// It runs in its turn since then, and had waited for so long before. Empty: it does not.
        std::optional<TimePoint> runs_since;
        std::chrono::nanoseconds waited{0};
        std::chrono::nanoseconds had{0};  ///< in turns before that which did not end its wait
        /// The time that it will need its turn for; empty: not known.
        std::optional<std::chrono::nanoseconds> remaining;
        /// It says how far it is, but has not run long enough to tell `remaining` by that.
        bool is_on_trial = false;
        RoundState round;
};

/// A control group that clients run in.
struct Cgroup {
        std::optional<std::size_t> parent;  ///< index of the nearest ancestor in Snapshot::cgroups
        /// Most CPUs of all clients below it together: cpu.max rounded up. Empty: no limit.
        std::optional<std::uint32_t> quota;
};

/// The programs that one `governorctl run` started: they are of one account, and share as one
/// program of it.
struct Tree {
        std::uint32_t weight = 100;        ///< against other trees and programs of its account
        std::uint32_t min = 1;             ///< comes first inside its account's share
        std::optional<std::uint32_t> max;  ///< of all its programs together; empty: no limit
};

/// A program that came back after the governor was restarted keeps the threads that it had. It gets
/// no more until others had the time to come back for theirs.
struct Resumed {
        std::uint32_t threads = 1;
        TimePoint settled;  ///< all are back by then
};

/// One program that holds a lease.
struct Client {
        ProgramId id{};
        AccountId account{};
        TimePoint joined;
        /// Index in Snapshot::trees. Empty: it is in none, and shares as a tree of its own would.
        std::optional<std::size_t> tree;
        std::uint32_t weight = 100;    ///< share against others of its tree or account, 1..10000
        std::uint32_t min = 1;         ///< comes first inside its tree's or account's share
        std::uint32_t guaranteed = 1;  ///< comes before the shares of accounts; by the admin only
        /// Programs of its account ended within a second of late: it may be gone as soon.
        bool in_stream = false;
        std::optional<std::uint32_t> max;  ///< never more, >= 1; empty: no limit of its own
        /// Its threads under the last governor. Empty: it was not there.
        std::optional<Resumed> resumed;
        CpuMask allowed;                    ///< cpuset and the union of its threads' affinity
        std::optional<std::size_t> cgroup;  ///< index in Snapshot::cgroups
        /// Index in Snapshot::gangs: a program that can wait, for its turn if it is batch, for its
        /// round if it keeps its team. Empty: it cannot, or has no reason to.
        std::optional<std::size_t> gang;
        /// It keeps the team that it chose, of so many threads, whatever it is granted. Empty: it
        /// follows.
        std::optional<std::uint32_t> team;
        /// Its threads that wait for others of its team sleep where it is crowded (Grant::crowded).
        /// The holder of a tree says so where nothing holds its programs to the grant.
        bool sleeps = false;
        CrowdGain crowd_gain;     ///< if its threads sleep there
        bool takes_turns = true;  ///< if it has a gang; else it waits for rounds alone
        bool rests = false;       ///< it is outside of regions, and waits for none
        /// Threads of the present region of a program that keeps its team, more than `in_use` if
        /// that began on fewer CPUs. 0: it is in none.
        std::uint32_t present_team = 0;
        std::optional<TimePoint> team_since;  ///< it is parked since then, and still in that region

        // The members below are what it has, as the registry keeps it.
        CpuMask granted;  ///< empty: nothing yet
        /// `granted` is (also) somebody else's: one CPU, or what an idle client wakes up with.
        bool shared = false;
        bool parked = false;  ///< it was told to wait for its turn
        /// CPUs of its own that its present region began with: it gives back at its end what is no
        /// longer granted. Empty outside of regions.
        CpuMask in_use;
        std::optional<TimePoint> above_since;  ///< runs on more than is granted, since then
        /// Its present region lost CPUs of `in_use` then, or shares them since. Empty: neither.
        std::optional<TimePoint> lingers_since;
        std::uint32_t burning = 0;  ///< CPUs it keeps busy, rounded to the nearest
        /// Of these, beyond its grant at the time and beyond CPUs that it had still to leave.
        std::uint32_t excess = 0;
        /// CPUs it can make use of now, >= 1. Empty: not known, or all that it may have.
        std::optional<std::uint32_t> wants;
        bool idle = false;   ///< why it wants no more than one
        bool light = false;  ///< likewise: uses little of a CPU, and does not wait for one
        Scaling scaling;     ///< what more CPUs are worth to it, as far as that is known
        /// CPUs that it should have at most for a moment, so that `scaling` becomes known, if
        /// others wait for their turns. Empty: there is no reason to.
        std::optional<std::uint32_t> probe_width;

        [[nodiscard]] bool is_returning(TimePoint now) const {
                return resumed && now < resumed->settled;
        }
        /// It begins or wakes up: its next region, or the one that it has just begun, runs on its
        /// share, beside programs that have still to leave. One that keeps its team, or yields,
        /// waits instead when it wakes.
        [[nodiscard]] bool begins() const { return !idle && (granted.empty() || is_lent()); }
        /// It is idle, or was, and is told to wake up with CPUs that others have.
        [[nodiscard]] bool is_lent() const { return shared && granted.count() > 1; }
        /// CPUs that it is granted for itself.
        [[nodiscard]] std::uint32_t held() const { return shared ? 0 : granted.count(); }
};

/// CPUs that are to be kept free for newcomers of an account.
struct Kept {
        AccountId account{};
        std::uint32_t cpus = 0;
};
[[nodiscard]] inline std::uint32_t sum_of(const std::vector<Kept>& kept) {
        std::uint32_t sum = 0;
        for (const auto& one : kept)
                sum += one.cpus;
        return sum;
}

/// Clients in the order in which they joined.
struct Snapshot {
        TimePoint now;
        const Machine& machine;
        const Foreign& foreign;
        std::vector<Cgroup> cgroups;
        std::vector<Client> clients;
        std::vector<Kept> kept;  ///< each account once
        std::vector<Gang> gangs = {};
        std::vector<Tree> trees = {};
};

}  // namespace governor::policy::fair
