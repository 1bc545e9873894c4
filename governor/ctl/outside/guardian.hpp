// SPDX-License-Identifier: MIT
//
// One small process for each user that changes something from outside. It sees the end of each
// process that has a record, and takes back what that has left changed. It ends with the last of
// them. The next look of one that still runs starts another guardian if it is killed.
#pragma once

#include "exit_code.hpp"
#include "outside/records.hpp"

#include <string>

namespace ctl::outside {

/// Is there a guardian for these records? Otherwise `program` becomes one, as `PROGRAM guard
/// PLACE`, in a session of its own and not as a child of this process. Costs two system calls while
/// there is one. The process has one thread.
[[nodiscard]] bool ensure_guardian(const Records& records, const std::string& program);

/// Sees to a guardian where there are records in `place`. Makes nothing there.
void guard_left_records(const std::string& place, const std::string& program);

/// The work of that process, until there are no records. It has the lock as descriptor kLockFd.
[[nodiscard]] ExitCode guard(const std::string& place);
inline constexpr int kLockFd = 3;

}  // namespace ctl::outside
