// SPDX-License-Identifier: MIT
//
// `run` without a lease: one advice, then exec. And what it would do, told only.
#pragma once

#include "connection.hpp"
#include "run/wish.hpp"

#include <string>
#include <vector>

namespace ctl::run {

/// Becomes the program with as many threads as the governor advises, or THREADCOUNT says, and says
/// so, and why there is no lease. Returns only if it cannot.
[[nodiscard]] ExitCode become(const verbs::Common& common, const verbs::RunOptions& options,
                              const Wish& wish, const std::string& why_no_lease);

/// Becomes the program as it would run without us, within the user's limits, and says why.
[[nodiscard]] ExitCode become_unadvised(const verbs::RunOptions& options, const Failure& why);

/// Prints what would be set, and why; `class_and_job` is set in any case. Asks, but takes no lease.
/// `why_no_lease` is empty where one would be asked for, under `label`.
[[nodiscard]] ExitCode rehearse(const verbs::Common& common, const verbs::RunOptions& options,
                                const Wish& wish, const std::vector<Change>& class_and_job,
                                const std::string& why_no_lease, const std::string& label);

/// The failure to execute `program` for this reason, an errno.
[[nodiscard]] Failure not_executed(const std::string& program, int error);

}  // namespace ctl::run
