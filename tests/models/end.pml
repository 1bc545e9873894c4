/* SPDX-License-Identifier: MIT
 *
 * wait_idle() and stop(): who waits for idleness returns when there was an instant without tasks,
 * all that was submitted is run, and all lanes end. With -DHANDS_BACK: stop() waits for nothing. With
 * -DONLOOKER another thread waits for idleness then: it returns at the latest when all lanes have ended.
 * With -DVISITS one more thread, unless it finds the pool closed, runs a task itself that submits another one.
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

bool closed, stopped, all_joined;
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

/* Scheduler::wait_for_outsiders() */
inline wait_for_visits() {
#if defined(VISITS) && MUTANT != STOP_WAITS_FOR_NO_VISIT
        do
        :: times = idle_times;
           if
           :: visits == 0 -> break
           :: else
           fi;
           atomic { waits_in_futex = idle_times == times };
           !waits_in_futex
        od
#else
        skip
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
        closed = true;
        wait_for_visits();
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

#ifdef VISITS
proctype visitor() {
        WAKER_LOCALS;
        byte before;
        bool all, is_let_in;
#if MUTANT == COUNTED_AFTER_IT_LOOKS
        is_let_in = !closed;
        visits++;
#else
        visits++;
        is_let_in = !closed;
#endif
        if
        :: is_let_in ->
           atomic { submitted++; running++ };
           if
           :: true
           :: long_tasks++; atomic { permits > 0 -> permits-- }
           fi;
           assert(!stopped);
           submit();
           atomic { running--; ran++; was_idle = was_idle || (running == 0 && waiting_tasks == 0) }
        :: else
        fi;
        visits--;
#if MUTANT != VISITOR_LEAVES_QUIETLY
        tell_who_waits_for_idleness();
        if
        :: closed -> idle_times++; waits_in_futex = false
        :: else
        fi
#endif
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
#ifdef VISITS
                run visitor();
#endif
                run user()
        };
        watch();
        assert(stopped && searching == 0 && !looks_on);
#ifndef HANDS_BACK
        assert(ran == submitted)
#endif
}
