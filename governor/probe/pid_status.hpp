// SPDX-License-Identifier: MIT
//
// Reads the lines that are needed from the text of /proc/PID/status. Pure.
#pragma once

#include "policy/cpu_mask.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace governor::probe {

/// The real uid: the line Uid. Empty if there is none, or it is cut.
[[nodiscard]] std::optional<std::uint32_t> parse_real_uid(std::string_view status);

/// The line Cpus_allowed_list. Empty if there is none, or it is cut or no CPU list.
[[nodiscard]] std::optional<policy::CpuMask> parse_allowed_cpus(std::string_view status);

}  // namespace governor::probe
