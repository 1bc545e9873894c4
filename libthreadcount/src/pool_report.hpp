// SPDX-License-Identifier: MIT
//
// The reports of the process's thread pools.
#pragma once

namespace threadcount {

/// In a forked child: they were its parent's.
void forget_pools();

}  // namespace threadcount
