// SPDX-License-Identifier: MIT
// The one lane that a thread is, however often the pool is linked into the process.
#include <threadcount/lane.h>

__thread const threadcount_lane* threadcount_this_lane = nullptr;
