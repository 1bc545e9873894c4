// SPDX-License-Identifier: MIT
//
// Knows the programs that work together, and the turns that they had. Pure; time is an argument.
#pragma once

#include "evidence/served.hpp"
#include "evidence/used_time.hpp"
#include "policy/account.hpp"
#include "policy/fair/decision.hpp"
#include "policy/fair/snapshot.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace governor::evidence {

using policy::TimePoint;

using policy::fair::GangId;

class Gangs {
public:
        /// Programs of one account are one gang if their job has the same name, or, without a job,
        /// if they are in one process group. A program that has neither (a group of 0) is a gang
        /// alone. Programs of a tree that yields are of one gang, whatever else they are: that of
        /// the job of their tree, else the tree alone.
        struct Key {
                policy::Account account;
                std::string job;
                std::uint32_t process_group = 0;
                std::uint64_t alone = 0;  ///< nobody else's number
                bool yields = false;      ///< of trees that yield
                friend bool operator==(const Key&, const Key&) = default;
                friend bool operator<(const Key& a, const Key& b) {
                        return std::tie(a.account, a.job, a.process_group, a.alone, a.yields) <
                               std::tie(b.account, b.job, b.process_group, b.alone, b.yields);
                }
        };

        /// A member comes; to be followed by leave().
        GangId enter(const Key& key, TimePoint now);
        void leave(GangId id);

        /// The part of a decision about one gang that concerns its turns.
        struct Decided {
                bool has_turn = false;
                double pace = 0;  ///< then: so much of the time counts as served
                bool wants_to_run = false;
                bool is_parked = false;  ///< it waits, if only until others have left their CPUs
                std::uint32_t cpus = 0;  ///< of its own; a shared one counts as well
        };
        /// policy::fair::Settings::turn_quantum
        void set_quantum(std::chrono::milliseconds quantum) { quantum_ = quantum; }
        /// Takes the decision about all gangs. Gangs that are not in it neither want to run nor
        /// have their turn.
        void decided(const std::map<GangId, Decided>& decided, TimePoint now);
        /// Takes all gangs that share by time from now on. They must be known.
        void take_rounds(const std::vector<policy::fair::Round>& rounds, TimePoint now);

        /// Without what only its members know: what remains, and whether it is on trial.
        [[nodiscard]] policy::fair::Gang show(GangId id, TimePoint now) const;
        [[nodiscard]] Served served(GangId id, TimePoint now) const;

private:
        struct Gang {
                Key key;
                std::size_t members = 0;
                TimePoint joined;
                bool has_turn = false;
                std::optional<TimePoint> served_since;
                double pace = 0;                       // since then
                std::uint32_t cpus = 0;                // since then
                std::optional<TimePoint> waits_since;  // less the short turns since then
                std::optional<TimePoint> runs_since;   // in its turn
                std::chrono::nanoseconds waited{0};    // before that
                std::chrono::nanoseconds had{0};       // in turns that did not end that wait
                Served served;
                std::optional<TimePoint> round_since;
                std::optional<TimePoint> waits_for_round_since;
        };

        [[nodiscard]] static Served served(const Gang& gang, TimePoint now);

        std::map<GangId, Gang> gangs_;
        std::map<Key, GangId> by_key_;
        UsedTime<GangId> used_by_gangs_;
        /// Stays when the last gang of an account goes: one that comes and goes gains nothing.
        UsedTime<policy::Account> used_by_accounts_;
        std::uint64_t last_id_ = 0;
        std::chrono::milliseconds quantum_ = policy::fair::Settings{}.turn_quantum;
};

}  // namespace governor::evidence
