// SPDX-License-Identifier: MIT
//
// Programs that hold leases, page by page, and what people call them.
#pragma once

#include "connection.hpp"

#include <string>

namespace ctl::verbs {

[[nodiscard]] tl::expected<governor::v1::Clients, Failure> all_clients(Connection& connection);

/// Without a name the number.
[[nodiscard]] std::string user_name(std::uint32_t uid);

/// "label", or its user where more may not be known: "(user)".
[[nodiscard]] std::string name_of(const governor::v1::Client& client);

}  // namespace ctl::verbs
