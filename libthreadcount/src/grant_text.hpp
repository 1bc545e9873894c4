// SPDX-License-Identifier: MIT
//
// A grant in one sentence, in the governor's own words. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <governor/v1/arena.h>

namespace threadcount {

/// "fair share: 64 cpus - 9 foreign, 3 programs of 2 accounts -> 14", as docs/policy.md lists them,
/// for a program that uses `threads` of its grant. Returns as snprintf() does.
int describe_grant(const governor_grant_reason& reason, std::uint32_t threads, char* text,
                   std::size_t size);

}  // namespace threadcount
