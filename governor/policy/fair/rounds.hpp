// SPDX-License-Identifier: MIT
//
// Programs that keep their teams share by time: a team runs on as many CPUs as it has threads, or
// waits at its next region. A team on fewer CPUs than threads would spin for threads that wait for
// a CPU.
#pragma once

#include "policy/fair/capacity.hpp"
#include "policy/fair/decision.hpp"
#include "policy/fair/shares.hpp"
#include "policy/fair/snapshot.hpp"
#include "policy/fair/turns.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy::fair {

/// There are none, and all is 0, as long as all teams fit into their programs' shares.
struct Rounds {
        std::vector<std::uint32_t> behind;    ///< by client: gangs before it; 0: it does not wait
        std::vector<std::uint32_t> entitled;  ///< by client: CPUs, on average; 0: takes no part
        std::vector<Round> gangs;        ///< that take part; `uses` counts what their teams want
        std::optional<TimePoint> again;  ///< time alone changes it then
};

/// Deals out anew what programs that keep their teams are entitled to together. It goes to the gang
/// that has used least of its share, in CPU time, and to those behind it whose teams fit beside. A
/// gang keeps its round for numbers::kRound, and for as long as it has used least. Rounds are so
/// short where a gang is interactive that it waits for no more than numbers::kRoundWait, and it
/// comes first then. Programs that wait for their turns take no part, and neither do newcomers,
/// which make nobody leave. Costs gangs times classes of CPUs.
[[nodiscard]] Rounds take_rounds(const Settings& settings, const Snapshot& snapshot,
                                 const Classes& classes, const Turns& turns,
                                 std::vector<Share>& shares);

/// Teams that do not fit side by side, but sleep while they wait: they need no rounds, the kernel
/// shares the CPUs out among them.
struct Crowd {
        std::vector<bool> sleeps;  ///< by client
        std::uint32_t others = 0;  ///< teams that each of them has beside it
        bool is_tried = false;     ///< the pace of one there is not known yet
};

/// Empty: the teams fit, or somebody would be hurt. These are programs that follow, and foreign
/// load. So is one that takes part and spins, or has its turn alone (batch). Nor is it a crowd
/// where the kernel, which gives each thread as much, would not give each account, tree and program
/// nearly its part, or where they may run on different CPUs. Nor where their regions were more in
/// rounds, on average, or are to be counted there (CrowdGain).
[[nodiscard]] std::optional<Crowd> crowd_of(const Snapshot& snapshot);

/// As if those that sleep followed, and had left all CPUs that they are to leave.
[[nodiscard]] Snapshot beside_each_other(const Snapshot& snapshot, const Crowd& crowd);

/// It waits for the ends of others' regions no more: an interactive program for
/// numbers::kRoundWait in all, a batch program for Settings::turn_max_wait.
[[nodiscard]] bool has_waited_enough(const Settings& settings, const Client& client,
                                     const Gang& gang, TimePoint now);

}  // namespace governor::policy::fair
