// SPDX-License-Identifier: MIT
// The one lane that a thread is, and the task that it runs as none, however often the pool is
// linked into the process.
#include <threadcount/lane.h>

__thread const threadcount_lane* threadcount_this_lane = nullptr;
__thread const threadcount_visit* threadcount_this_visit = nullptr;
