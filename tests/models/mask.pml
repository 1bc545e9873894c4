/* SPDX-License-Identifier: MIT
 *
 * The active set changes while tasks come, for all lanes and for single ones: a lane that is not
 * active any more hands over, and one that is active again finds what is addressed to it.
 */
#define LANES 2
#define ACTIVE_AT_FIRST 3
#define MASKS
#ifndef TASKS
#define TASKS 1
#endif
#ifndef CHANGES
#define CHANGES 2
#endif
#include "lanes.inc"

proctype submitter() {
        WAKER_LOCALS;
        byte task;
        do
        :: task < TASKS ->
           if
           :: submit()
           :: submit_to(0)
           :: submit_to(1)
           fi;
           task++
        :: else -> break
        od
}

/* Scheduler::set_active() */
proctype changer() {
        WAKER_LOCALS;
        byte change, l;
        do
        :: change < CHANGES ->
           if
           :: mask = 1
           :: mask = 2
           :: mask = 3
           fi;
#if MUTANT != MASK_CHANGES_QUIETLY
           look_after_work();
#endif
#if MUTANT != ADDRESSED_TASKS_ARE_FORGOTTEN
           do
           :: l < LANES ->
              if
              :: is_in(mask, l) ->
                 if
                 :: addressed[l] > 0 ->
                    claim(l, mine);
                    if
                    :: mine -> mine = false; wake(l)
                    :: else
                    fi
                 :: else
                 fi
              :: else
              fi;
              l++
           :: else -> l = 0; break
           od;
#endif
           change++
        :: else -> break
        od
}

init {
        atomic {
                run lane_thread(0);
                run lane_thread(1);
                run submitter();
                run changer()
        };
        watch();
        assert(ran == submitted && searching == 0)
}
