/* SPDX-License-Identifier: MIT
 *
 * Two submitters and tasks that submit tasks: no task waits while a lane sleeps, and all are run.
 */
#ifndef LANES
#define LANES 2
#endif
#define ACTIVE_AT_FIRST (bit(LANES) - 1)
#ifndef TASKS
#define TASKS 2
#endif
#include "lanes.inc"

proctype submitter() {
        WAKER_LOCALS;
        byte task;
        do
        :: task < TASKS -> submit(); task++
        :: else -> break
        od
}

init {
        byte l;
        atomic {
                do
                :: l < LANES -> run lane_thread(l); l++
                :: else -> break
                od;
                run submitter();
                run submitter()
        };
        watch();
        assert(ran == submitted && searching == 0)
}
