// SPDX-License-Identifier: MIT
//
// The verbs of governorctl: one function per verb, each in a file of its own here, but run and
// demo, which have folders. They print their result to stdout, errors to stderr, and return the
// exit code.
#pragma once

#include "exit_code.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ctl::verbs {

/// Options that every verb has.
struct Common {
        std::string socket;  ///< empty: as ctl::addresses() finds it
        bool json = false;
};

struct AdviseOptions {
        std::uint32_t current = 0;  ///< threads in use already
        std::uint32_t max = 0;      ///< 0: none given
};

struct RunOptions {
        std::uint32_t max = 0;        ///< 0: none given
        bool is_batch = false;        ///< it follows by itself, and takes turns
        bool execs = false;           ///< one advice, then exec: no lease
        bool keeps = false;           ///< a lease, and nothing of the program is changed
        bool adapts = false;          ///< as `keeps`, but for teams that its programs leave open
        bool is_by_rule = false;      ///< `adapts` is not the user's word but a rule's
        bool is_unpreloaded = false;  ///< no door is opened by a preloaded object
        bool is_quiet = false;        ///< says nothing of what it has set
        bool is_dry = false;          ///< says what it would do, and does nothing
        std::string job;              ///< empty: none given
        std::vector<std::string> command;  ///< at least the program

        /// It takes turns by what acts on it from outside.
        [[nodiscard]] bool yields() const { return is_batch && !keeps; }
};

struct TopOptions {
        std::chrono::milliseconds interval{1'000};
        std::uint32_t count = 0;  ///< pictures; 0: until it is ended
};

struct DemoOptions {
        std::chrono::milliseconds length{4'000};  ///< that its CPUs have work for, in each part
        bool anyway = false;                      ///< also on a busy host
};

struct SetOptions {
        std::uint32_t pid = 0;
        std::optional<std::uint32_t> max;     ///< 0: none by order any more
        std::optional<std::uint32_t> weight;  ///< 0: likewise
        std::string scheduling_class;         ///< "interactive", "batch" or empty: as it is
};

[[nodiscard]] ExitCode status(const Common& common);
[[nodiscard]] ExitCode advise(const Common& common, const AdviseOptions& options);
[[nodiscard]] ExitCode cpus(const Common& common);
[[nodiscard]] ExitCode config(const Common& common);
[[nodiscard]] ExitCode clients(const Common& common);
/// Runs until it is ended, whether the governor is there or not: it must be there at the beginning.
[[nodiscard]] ExitCode top(const Common& common, const TopOptions& options);
/// Runs until it is interrupted, or the governor goes.
[[nodiscard]] ExitCode monitor(const Common& common);
[[nodiscard]] ExitCode explain(const Common& common, std::uint32_t pid);
/// Why programs that are started from here may not be governed, and what `run` can do to `program`,
/// if it is not empty. kFailed: a problem was found.
[[nodiscard]] ExitCode doctor(const Common& common, const std::string& program);
[[nodiscard]] ExitCode set(const Common& common, const SetOptions& options);
/// Without a process: governing as a whole.
[[nodiscard]] ExitCode pause(const Common& common, std::optional<std::uint32_t> pid);
[[nodiscard]] ExitCode resume(const Common& common, std::optional<std::uint32_t> pid);

/// Runs the same programs without a governor, with one of its own, and in turn. It leaves
/// nothing; after SIGKILL a temporary folder. It dies by the signal that ends it.
[[nodiscard]] ExitCode demo(const Common& common, const DemoOptions& options);

/// Returns what the program ended with; it dies by the signal that has killed the program. It
/// returns only if the program could not be executed, where it becomes the program.
[[nodiscard]] ExitCode run(const Common& common, const RunOptions& options);

}  // namespace ctl::verbs
