// SPDX-License-Identifier: MIT
//
// The doors that `run` opens: where a program that nobody modified can be made to wait for its
// round, with the threads that it chose. Decided here only. There is one so far: an object that is
// preloaded, and acts in front of regions of gcc's OpenMP. There are two of them: one leaves teams
// as they are, the other lets them follow.
#pragma once

#include "run/executable.hpp"
#include "run/variables.hpp"
#include "verbs/verbs.hpp"

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace ctl::run {

/// Other facts that are known before the program starts.
struct Circumstances {
        bool has_lease = true;
        bool is_refused = false;         ///< --no-preload
        bool takes_turns = false;        ///< with --batch alone; else it has rounds
        bool adapts = false;             ///< teams follow, and nothing waits: see teams_of()
        bool is_by_rule = false;         ///< `adapts`, and a rule says so instead of the user
        bool is_fenced = false;          ///< without an option: the fence moves, and nothing waits
        bool has_little_memory = false;  ///< a limit may keep the program from starting a thread
        bool gains_privilege = false;    ///< or a group: nothing is preloaded then
        /// The object as the dynamic linker is to find it; or why there is none.
        tl::expected<std::string, std::string> object;
};

struct Doors {
        bool is_open = false;
        bool adapts = false;            ///< if open: teams follow, else they wait
        bool is_fenced = false;         ///< if open: they sleep where they lack CPUs instead
        std::string waits;              ///< if open: what waits for what, by what
        std::string why_shut;           ///< else
        std::vector<Change> changes;    ///< of the program's environment
        std::vector<std::string> each;  ///< a line for each door that there might be
};

/// Pure. The doors of a program under --keep, --adapt or --batch. Of one without these options,
/// which `is_fenced`, only gcc's OpenMP that it is linked with has a door. Where that is shut
/// nothing says why: all is as if there were none.
[[nodiscard]] Doors doors_of(const Image& image, const Circumstances& circumstances,
                             const Lookup& lookup);

/// Do these variables of a program let the object make threads sleep where the fence leaves them
/// too few CPUs? Not where the user binds threads, or says how many there may be or how large they
/// are. Pure.
[[nodiscard]] bool may_sleep(const Lookup& lookup);

/// The value of THREADCOUNT_ADOPT by which the object does that, and nothing else.
inline constexpr const char* kFenced = "fenced";

/// What the object does to teams. The one that keeps them has no function of OpenMP by which
/// programs ask for their number of threads, so that these calls go where they would go without it.
enum class Teams { Keep, Adapt };

/// In `folder`, such as /usr/lib/threadcount/doors. The object lies in the folder that the dynamic
/// linker puts in the place of $LIB, which another libc or word size does not find, and does
/// without. An error says why there is none that LD_PRELOAD could name.
[[nodiscard]] tl::expected<std::string, std::string> object_in(const std::string& folder,
                                                               Teams teams);

/// The one that was installed with this executable.
[[nodiscard]] tl::expected<std::string, std::string> installed_object(Teams teams);

/// What teams do where the command asks for a door. They follow with --adapt, and where OMP_DYNAMIC
/// is true, as libgomp reads it: the user lets the runtime choose smaller teams. They are kept all
/// the same with THREADCOUNT=keep.
[[nodiscard]] Teams teams_of(const verbs::RunOptions& options, const Lookup& lookup);

/// The doors of what is about to be started, with the object that was installed with this
/// executable. With a lease, libgomp's threads spin for a shorter time in any case.
[[nodiscard]] Doors look_for_doors(const verbs::RunOptions& options, bool has_lease);

/// The options of a command that holds a lease, where a rule lets its teams follow: those of
/// --adapt. The same as before where the user has said what is to be done to it, by an option, by
/// OMP_DYNAMIC=false or in the tree of another `run`. So it is where no door opens, or the program
/// has threads of another kind only: then it is fitted to its share as without the rule.
[[nodiscard]] verbs::RunOptions under_rule(const verbs::RunOptions& options);

}  // namespace ctl::run
