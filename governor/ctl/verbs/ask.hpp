// SPDX-License-Identifier: MIT
//
// What verbs have in common: asking and complaining.
#pragma once

#include "connection.hpp"

#include <cstdint>
#include <string>

namespace ctl::verbs {

/// Connects and makes one call, whose reply is of `kind`.
[[nodiscard]] tl::expected<governor::v1::Reply, Failure>
ask(const std::string& socket, governor::v1::Request request, governor::v1::Reply::KindCase kind);

/// Asks how many threads to use; a governor that has only just started gets 1 s to measure.
[[nodiscard]] tl::expected<governor::v1::Advice, Failure>
ask_advice(const std::string& socket, std::uint32_t current, std::uint32_t max);

/// Threads without a governor: CPU affinity, cgroup quotas, THREADCOUNT_MAX; >= 1.
[[nodiscard]] std::uint32_t own_limit();

/// What is never to be exceeded: `asked` (0: nothing), THREADCOUNT_MAX and, if this process may
/// use less than the whole machine, own_limit(). 0: no limit.
[[nodiscard]] std::uint32_t limit(std::uint32_t asked);

/// The smaller of two limits, where 0 is none.
[[nodiscard]] std::uint32_t smaller_limit(std::uint32_t a, std::uint32_t b);

/// Writes a verb's result to stdout; a disk that is full is an error too.
[[nodiscard]] ExitCode print(const std::string& text);

/// "governorctl: MESSAGE" on stderr; returns the code.
ExitCode complain(const Failure& failure);

}  // namespace ctl::verbs
