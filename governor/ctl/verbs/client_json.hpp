// SPDX-License-Identifier: MIT
//
// A program with a lease as JSON; the keys are a contract.
#pragma once

#include <governor/v1/governor.pb.h>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

/// null: not for this user to know.
[[nodiscard]] nlohmann::ordered_json client_json(const governor::v1::Client& client);

/// An array of all.
[[nodiscard]] nlohmann::ordered_json clients_json(const governor::v1::Clients& clients);

}  // namespace ctl::verbs
