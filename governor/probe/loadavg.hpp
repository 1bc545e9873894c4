// SPDX-License-Identifier: MIT
//
// The text of /proc/loadavg. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace governor::probe {

/// Threads that run, or would if they had a CPU, at this moment: the reader is one of them. Empty
/// if the text is cut or not of that form.
[[nodiscard]] std::optional<std::uint32_t> parse_running(std::string_view text);

}  // namespace governor::probe
