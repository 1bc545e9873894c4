/* SPDX-License-Identifier: MIT
 *
 * wait_idle() and stop(): who waits for idleness returns when there was an instant without tasks,
 * all that was submitted is run, and all lanes end. With -DHANDS_BACK: stop() waits for nothing. With
 * -DONLOOKER another thread waits for idleness then: it returns at the latest when all lanes have ended.
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

bool stopped, all_joined;
bool looks_on; /* the onlooker has not returned */
#if MUTANT == WAITERS_RETURN_TOO_SOON
#define is_over ending
#else
#define is_over all_joined
#endif

inline wait_idle() {
        /* From here on there has to be an instant. */
        atomic { was_idle = running == 0 && waiting_tasks == 0; idle_waiters++ };
        do
        :: times = idle_times;
           is_idle();
           if
           :: all -> break
#ifdef ONLOOKER
           :: is_over -> break
#endif
           :: else
           fi;
           atomic { waits_in_futex = idle_times == times };
           !waits_in_futex
        od;
        assert(was_idle || (all_joined && running == 0));
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
        ended == LANES; /* pthread_join() */
        all_joined = true
#if defined(ONLOOKER) && MUTANT != NOBODY_TELLS_OF_THE_END
        ; idle_times++; waits_in_futex = false
#endif
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

#ifdef ONLOOKER
proctype onlooker() {
        byte i, times, before;
        bool all;
        wait_idle();
        looks_on = false
}
#endif

init {
        byte l;
        atomic {
                do
                :: l < LANES -> run lane_thread(l); l++
                :: else -> break
                od;
#ifdef ONLOOKER
                looks_on = true;
                run onlooker();
#endif
                run user()
        };
        watch();
        assert(stopped && searching == 0 && !looks_on);
#ifndef HANDS_BACK
        assert(ran == submitted)
#endif
}
