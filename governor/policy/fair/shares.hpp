// SPDX-License-Identifier: MIT
//
// The number of CPUs that each client is entitled to, before anybody asks which are free.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy::fair {

struct Share {
        bool is_governed = false;  ///< it may run on CPUs of the pool
        std::uint32_t limit = 1;   ///< its maximum and its CPUs: never more
        std::uint32_t share = 0;   ///< what it gets when all handovers are over; 0: a shared CPU
        std::uint32_t target = 0;  ///< what it should have now: more, as long as only newcomers ask
        bool wants_a_part = false;  ///< of a CPU, and none of its own: it is light
        bool is_rigid = false;      ///< above its grant for too long, so it is charged
        /// On CPUs that it lost, or shares while it is light: they are not waited for. Or it is
        /// idle.
        bool stays = false;
        bool waits = false;   ///< for its turn or round: it begins nothing on its shared CPU
        bool joins = false;   ///< a CPU of its user's batch programs, if not of nobody
        bool begins = false;  ///< on its share, wherever others have still to leave it
        /// CPUs that its first region after a pause begins with, beside others. An idle client: the
        /// share that it would have if none were idle. A client that was granted nothing yet,
        /// beside rigid holders: its share if nobody were charged. 0: all other clients.
        std::uint32_t starts_with = 0;
        /// CPUs that a rigid holder is taken to use instead.
        std::optional<std::uint32_t> charge;
        std::optional<std::uint32_t> quota;     ///< of a control group, if that is what limits it
        std::optional<std::uint32_t> tree_max;  ///< of its tree, likewise
};

/// The part of the foreign load that CPUs are left to, as far as Settings::foreign_max allows:
/// Classes see to that. The load that an account is known to run shares as one more program of it.
/// Nobody can tell that load how much to use, so what it uses above its share is not yielded to.
/// The other programs of its account alone yield to more, up to `foreign_max` of the account's
/// share. Load that is nobody's in particular counts in full. Costs a part of a decision where
/// something is `owned`.
[[nodiscard]] Foreign left_to_foreign(const Settings& settings, const Snapshot& snapshot);

/// By client. `classes` must be those of the same snapshot.
[[nodiscard]] std::vector<Share> entitle(const Settings& settings, const Snapshot& snapshot,
                                         const Classes& classes);

/// By client: the CPUs that each will have when others have made room and foreign load has gone.
/// This holds as long as all want what they want now. 0: a shared CPU. Costs a part of a decision.
[[nodiscard]] std::vector<std::uint32_t> undivided_shares(const Settings& settings,
                                                          const Snapshot& snapshot);

/// It has run on more than it is granted for `Settings::handover_max`.
[[nodiscard]] bool is_rigid(const Settings& settings, const Client& client, TimePoint now);

/// It is one of a stream of short programs, and younger than `Settings::newcomer`.
[[nodiscard]] bool is_newcomer(const Settings& settings, const Client& client, TimePoint now);

}  // namespace governor::policy::fair
