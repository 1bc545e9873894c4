// SPDX-License-Identifier: MIT
//
// The time that regions took, for people.
#pragma once

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <string>

namespace ctl::render {

/// "2.10 ms": three digits, in ns, us, ms or s.
[[nodiscard]] std::string region_time(std::uint64_t ns);

/// "1 thread 2.10 ms (1200), 2-3 threads 1.12 ms (300)"; empty if there are none.
[[nodiscard]] std::string region_times(const governor::v1::Explanation& explanation);

}  // namespace ctl::render
