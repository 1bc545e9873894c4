// SPDX-License-Identifier: MIT
//
// What is needed of the text of /proc/PID/status. Pure.
#pragma once

#include "policy/cpu_mask.hpp"

#include <optional>
#include <string_view>

namespace governor::probe {

/// The line Cpus_allowed_list. Empty if there is none, or it is cut or no CPU list.
[[nodiscard]] std::optional<policy::CpuMask> parse_allowed_cpus(std::string_view status);

}  // namespace governor::probe
