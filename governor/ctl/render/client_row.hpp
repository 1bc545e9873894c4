// SPDX-License-Identifier: MIT
//
// A program with a lease as the row of a table. Pure.
#pragma once

#include "render/table.hpp"

#include <cstddef>
#include <governor/v1/governor.pb.h>
#include <string>
#include <vector>

namespace ctl::render {

/// Columns of a table that a label may take: what is longer is cut.
inline constexpr std::size_t kLabelWidth = 32;

[[nodiscard]] std::vector<Column> client_columns();

/// `user` is the name of its user. What may not be known of others is "-".
[[nodiscard]] std::vector<std::string> client_row(const governor::v1::Client& client,
                                                  const std::string& user);

}  // namespace ctl::render
