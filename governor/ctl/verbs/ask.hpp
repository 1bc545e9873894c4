// SPDX-License-Identifier: MIT
//
// What verbs have in common: asking and complaining.
#pragma once

#include "connection.hpp"

#include <cstdint>
#include <string>

namespace ctl::verbs {

/// Connects and makes one call.
[[nodiscard]] tl::expected<governor::v1::Reply, Failure> ask(const std::string& socket,
                                                             governor::v1::Request request);

/// Asks how many threads to use; a governor that has only just started gets 1 s to measure.
[[nodiscard]] tl::expected<governor::v1::Advice, Failure>
ask_advice(const std::string& socket, std::uint32_t current, std::uint32_t max);

/// Threads without a governor: CPU affinity and cgroup quotas, >= 1.
[[nodiscard]] std::uint32_t own_limit();

/// own_limit() if this process may use less than the whole machine, else 0.
[[nodiscard]] std::uint32_t narrowed_limit();

/// "governorctl: MESSAGE" on stderr; returns the code.
ExitCode complain(const Failure& failure);

}  // namespace ctl::verbs
