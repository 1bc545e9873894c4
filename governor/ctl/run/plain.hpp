// SPDX-License-Identifier: MIT
//
// `run` without a lease: one advice, then exec. And what it would do, told only.
#pragma once

#include "connection.hpp"
#include "run/wish.hpp"

#include <string>

namespace ctl::run {

/// Becomes the program with as many threads as the governor advises, or THREADCOUNT says. Returns
/// only if it cannot.
[[nodiscard]] ExitCode become(const verbs::Common& common, const verbs::RunOptions& options,
                              const Wish& wish);

/// Becomes the program as it would run without us, within the user's limits, and says why.
[[nodiscard]] ExitCode become_unadvised(const verbs::RunOptions& options, const Failure& why);

/// Prints what would be set, and why. Asks, but takes no lease.
[[nodiscard]] ExitCode rehearse(const verbs::Common& common, const verbs::RunOptions& options,
                                const Wish& wish);

/// That `program` could not be executed for this reason, an errno.
[[nodiscard]] Failure not_executed(const std::string& program, int error);

}  // namespace ctl::run
