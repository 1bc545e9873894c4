// SPDX-License-Identifier: MIT
//
// The work of thread pools, for people. Pure.
#pragma once

#include "render/table.hpp"

#include <governor/v1/governor.pb.h>
#include <string>
#include <vector>

namespace ctl::render {

/// "3 of 8 lanes active, 1200 tasks executed, 7 of them stolen, parked 12 times, woken 9 times".
[[nodiscard]] std::string pool_in_words(const governor::v1::Pool& pool);

/// Inserts two columns at `place`, lanes and tasks, if any client has a pool; else nothing. `rows`
/// are those of the clients, in their order.
void insert_pools(std::vector<Column>& columns, std::vector<std::vector<std::string>>& rows,
                  std::size_t place, const governor::v1::Clients& clients);

}  // namespace ctl::render
