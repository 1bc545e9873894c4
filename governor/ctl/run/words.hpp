// SPDX-License-Identifier: MIT
//
// The words of `run` on what it does. Pure.
#pragma once

#include "run/affinity.hpp"
#include "run/doors.hpp"
#include "run/variables.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ctl::run {

/// The state that a tree begins with.
struct Beginning {
        std::string name;            ///< of the command
        bool is_ungoverned = false;  ///< it is left alone
        std::uint32_t threads = 1;   ///< its share
        std::uint32_t cpus = 0;      ///< of all; 0: not known
        std::uint32_t limit = 0;     ///< enum governor_grant_limit
        bool keeps = false;          ///< it is to follow by itself, or not at all
        bool yields = false;         ///< to others, while it waits for its turn
        Doors doors;                 ///< where it waits by itself
        std::vector<Change> changes;
        std::string fence;          ///< "at least 3 CPUs"; empty: none
        std::string without_lease;  ///< "advised once, no lease (--exec)"; empty: it has one
};

/// "numpy.py: 14 of 64 CPUs, fair share; OMP_NUM_THREADS 32 -> 14": only variables that were set
/// are named, three at most. The substitute for a lease stands for the reason if there is no lease.
[[nodiscard]] std::string summary(const Beginning& beginning);

/// The same with all that is set, a line each: for --dry-run.
[[nodiscard]] std::string details(const Beginning& beginning);

/// The words for a tree on which nothing acts.
inline constexpr const char* kOnlyCounted = "only counted";

/// The words for a tree with an open door.
inline constexpr const char* kRegionsWait = "regions of gcc's openmp wait";
inline constexpr const char* kTeamsFollow = "teams of gcc's openmp follow";
inline constexpr const char* kThreadsSleep = "its threads sleep where they lack cpus";

/// The words for a tree for which no door opens: for one that is kept, and for one that yields.
inline constexpr const char* kUnchanged = "nothing of it is changed";
inline constexpr const char* kNoRegionWaits = "no region of it waits";

/// Names what waits by an open door; else `nothing`, and why.
[[nodiscard]] std::string keeping_in_words(const Doors& doors, const char* nothing);

/// The words for a batch tree that follows nothing by itself.
inline constexpr const char* kYields = "yields to all others until its turn";

/// For users of the governor to read: what acts on the tree. At most 200 bytes.
[[nodiscard]] std::string acts(const Beginning& beginning, bool follows);

/// The last part of a path.
[[nodiscard]] std::string base_name(const std::string& path);

/// The remark on a command that has others started elsewhere; empty: nothing.
[[nodiscard]] std::string outside(const std::vector<std::string>& command);

}  // namespace ctl::run
