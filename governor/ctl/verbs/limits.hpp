// SPDX-License-Identifier: MIT
//
// Limits of the number of threads, whatever the governor says. A limit of 0 is none.
#pragma once

#include <cstdint>

namespace ctl::verbs {

/// The largest count that anybody may name, here and on the wire.
inline constexpr std::uint32_t kMostThreads = 65536;
/// Bytes of a job's name, as in the protocol.
inline constexpr std::size_t kLongestJob = 63;

/// The smaller of two limits.
[[nodiscard]] std::uint32_t smaller_limit(std::uint32_t a, std::uint32_t b);

/// THREADCOUNT_MAX as the library understands it; 0: not set.
[[nodiscard]] std::uint32_t user_limit();

/// Threads without a governor: CPU affinity, cgroup quotas, THREADCOUNT_MAX; >= 1.
[[nodiscard]] std::uint32_t own_limit();

/// The number that is never to be exceeded, whatever a governor says: `asked` and own_limit().
[[nodiscard]] std::uint32_t limit(std::uint32_t asked);

}  // namespace ctl::verbs
