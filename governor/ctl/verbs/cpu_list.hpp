// SPDX-License-Identifier: MIT
//
// Cores, page by page, and as JSON, whose keys are a contract.
#pragma once

#include "connection.hpp"

#include <nlohmann/json.hpp>

namespace ctl::verbs {

[[nodiscard]] tl::expected<governor::v1::Cpus, Failure> all_cpus(Connection& connection);

/// null: not known.
[[nodiscard]] nlohmann::ordered_json cpus_json(const governor::v1::Cpus& cpus);

}  // namespace ctl::verbs
