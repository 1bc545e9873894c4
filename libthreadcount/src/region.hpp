// SPDX-License-Identifier: MIT
//
// Regions that threads of the process have begun.
#pragma once

namespace threadcount {

/// In a forked child: they were its parent's.
void forget_regions();

}  // namespace threadcount
