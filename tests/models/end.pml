/* SPDX-License-Identifier: MIT
 *
 * wait_idle() and stop(): who waits for idleness returns when there was an instant without tasks,
 * all that was submitted is run, and all lanes end. With -DHANDS_BACK: stop() waits for nothing.
 */
#ifndef LANES
#define LANES 2
#endif
#define ACTIVE_AT_FIRST (bit(LANES) - 1)
#define ENDS
#ifndef TASKS
#define TASKS 1
#endif
#include "lanes.inc"

bool stopped;

inline wait_idle() {
        /* From here on there has to be an instant. */
        atomic { was_idle = running == 0 && waiting_tasks == 0; idle_waiters++ };
        do
        :: times = idle_times;
           is_idle();
           if
           :: all -> break
           :: else
           fi;
           atomic { waits_in_futex = idle_times == times };
           !waits_in_futex
        od;
        assert(was_idle);
        idle_waiters--
}

inline end_lanes() {
        ending = true;
        mask = 0;
        do
        :: l < LANES ->
#if MUTANT != END_WAKES_NOBODY
           claim(l, mine);
           if
           :: mine -> mine = false; wake(l)
           :: else
           fi;
#endif
           l++
        :: else -> break
        od;
        ended == LANES /* pthread_join() */
}

proctype user() {
        WAKER_LOCALS;
        byte task, times, before, l;
        bool all;
        do
        :: task < TASKS -> submit(); task++
        :: else -> break
        od;
#ifndef HANDS_BACK
        wait_idle();
#endif
        end_lanes();
        stopped = true
}

init {
        byte l;
        atomic {
                do
                :: l < LANES -> run lane_thread(l); l++
                :: else -> break
                od;
                run user()
        };
        watch();
        assert(stopped && searching == 0);
#ifndef HANDS_BACK
        assert(ran == submitted)
#endif
}
