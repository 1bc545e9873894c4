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

/// `user` is the name of its user. A value that may not be known of others is "-". The label of a
/// program of a tree is indented, but the holder's, whose reason is followed by what its tree
/// consists of.
[[nodiscard]] std::vector<std::string> client_row(const governor::v1::Client& client,
                                                  const std::string& user);

/// The same in another order: programs of a tree right behind its holder, where that is there.
[[nodiscard]] std::vector<const governor::v1::Client*>
trees_together(const std::vector<const governor::v1::Client*>& clients);

}  // namespace ctl::render
