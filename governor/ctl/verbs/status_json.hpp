// SPDX-License-Identifier: MIT
//
// A governor's state as JSON; the keys are a contract.
#pragma once

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

[[nodiscard]] nlohmann::ordered_json status_json(const governor::v1::Status& status);

/// Connections without the one that asks.
[[nodiscard]] std::uint32_t others(const governor::v1::Status& status);

}  // namespace ctl::verbs
