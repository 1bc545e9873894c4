// SPDX-License-Identifier: MIT
//
// By which means a tree of processes yields the CPUs while it waits for its turn. A pure function
// of what can be seen of the tree and of the machine.
#pragma once

#include "outside/autogroup.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::outside {

/// The nice value of an autogroup that yields.
inline constexpr int kYieldingNice = 19;
/// Autogroups of one tree that are acted on; those beyond run as they would.
inline constexpr std::size_t kMostAutogroups = 64;

/// The processes of a tree that are in one autogroup.
struct Session {
        Autogroup group;
        std::uint32_t pid = 0;  ///< one of them
        bool has_terminal = false;
        bool is_in_root_group = true;  ///< all of them are in the root cpu control group
        bool is_own = true;            ///< one of them is of the user that acts
};

struct Facts {
        /// Why the user's systemd gives no scope that yields; empty: it does.
        std::string no_scope = "none was asked for";
        /// Why the tree is not held to one CPU; empty: it may be.
        std::string no_one_cpu = "none was asked for";
        bool autogroups_are_on = false;          ///< kernel.sched_autogroup_enabled
        std::optional<std::uint64_t> own_group;  ///< of the process that acts
        std::vector<Session> sessions;           ///< of the tree; its first one in front
        std::vector<ProcessId> processes;        ///< of the tree, the oldest first
};

enum class Means : std::uint8_t { Nothing, Scope, Autogroup, OneCpu };

struct Choice {
        Means means = Means::Nothing;
        std::vector<std::string> why_not;  ///< a sentence for each means that was passed over
};

/// May its autogroup be made to yield, and be given back what it has?
[[nodiscard]] bool can_yield(const Session& session, const Facts& facts);

/// The first that acts: a scope whose weight is idle, then autogroups with nice value 19, then one
/// CPU that all trees share which wait.
[[nodiscard]] Choice choose(const Facts& facts);

/// The begin of describe() where the tree does not yield.
inline constexpr std::string_view kNothingActs = "nothing acts: ";

/// For people: how the tree yields, or why it does not. At most 200 bytes.
[[nodiscard]] std::string describe(const Choice& choice, std::size_t sessions);

}  // namespace ctl::outside
