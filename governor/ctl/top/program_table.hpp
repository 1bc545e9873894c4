// SPDX-License-Identifier: MIT
//
// The programs with a lease: chosen, sorted, in columns. Pure.
#pragma once

#include "top/picture.hpp"

#include <string>
#include <vector>

namespace ctl::top {

/// Those that the filter lets through, in the order that is asked for.
[[nodiscard]] std::vector<const governor::v1::Client*> chosen(const Picture& picture,
                                                              const Controls& controls);

/// A line of titles and one for each of the programs, not cut.
[[nodiscard]] std::vector<std::string>
program_table(const Picture& picture, const std::vector<const governor::v1::Client*>& programs);

}  // namespace ctl::top
