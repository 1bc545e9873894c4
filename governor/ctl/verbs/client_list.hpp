// SPDX-License-Identifier: MIT
//
// Programs that hold leases, page by page, and what people call them.
#pragma once

#include "connection.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace ctl::verbs {

[[nodiscard]] tl::expected<governor::v1::Clients, Failure> all_clients(Connection& connection);

/// Without a name the number.
[[nodiscard]] std::string user_name(std::uint32_t uid);

/// The governor's "user 1000 paused it", which looks up no names, as "user alice paused it".
[[nodiscard]] std::string
with_user_names(const std::string& text,
                const std::function<std::string(std::uint32_t)>& name = user_name);

/// "label", or its user where more may not be known: "(user)".
[[nodiscard]] std::string name_of(const governor::v1::Client& client);

}  // namespace ctl::verbs
