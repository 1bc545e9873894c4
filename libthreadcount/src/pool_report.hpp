// SPDX-License-Identifier: MIT
//
// What the thread pools of the process have reported.
#pragma once

namespace threadcount {

/// In a forked child: they were its parent's.
void forget_pools();

}  // namespace threadcount
