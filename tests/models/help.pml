/* SPDX-License-Identifier: MIT
 *
 * A lane that waits for a fork helps the lanes that run it (fork_join.cpp, queues.cpp, Deque::steal_if()).
 * Lane 0 waits for a fork that lane 1 runs. Lane 1 forks and waits inside of it, then goes over to
 * something else, and does the same there. Lane 2 steals both forks, forks inside of these, and goes over to
 * something of its own after each. Lane 0 takes nothing but parts of what it waits for. How an owner takes
 * a fork back is one step here: see forks.pml.
 */
#define ASKS_BEFORE_IT_LOOKS 1 /* whether a thief still runs the fork, then what the thief has forked */
#define BELIEVES_A_WAIT 2      /* that what another lane waits for goes on */
#define HOPS_BLINDLY 3         /* to what a thief waits for, which may be part of something else */
#define KEEPS_ITS_NUMBER 4     /* a thief: all its thefts have the same */
#ifndef MUTANT
#define MUTANT 0
#endif

#define NOTHING 0
#define MINE 1 /* a part of what lane 0 waits for */
#define FOREIGN 2

/* By owner; one item at a time. */
byte top[3], bottom[3];
byte what[3];
bool is_done[3];
byte theft[3];     /* of this item, by lane 2; 0: not begun */
byte waits_for[3]; /* this theft */
byte runs;         /* lane 2: this theft */
byte thefts;
bool has_ended; /* what lane 0 waits for */
byte ended;

inline fork(me, part) {
        what[me] = part;
        is_done[me] = false;
        theft[me] = 0;
        bottom[me]++
}

inline join(me) {
        atomic {
                if
                :: top[me] < bottom[me] -> top[me]++; mine = true
                :: else
                fi
        };
        do
        :: mine || is_done[me] -> break
        :: else -> waits_for[me] = theft[me]
        od;
        waits_for[me] = 0;
        mine = false
}

/* Steals from `owner` on a condition. */
inline steal_if(owner, condition) {
#if MUTANT == ASKS_BEFORE_IT_LOOKS
        may = condition;
#endif
        t = top[owner];
        b = bottom[owner];
#if MUTANT != ASKS_BEFORE_IT_LOOKS
        may = condition;
#endif
        atomic {
                taken = NOTHING;
                if
                :: t < b && may && top[owner] == t -> top[owner]++; taken = what[owner]
                :: else
                fi;
                t = 0;
                b = 0;
                may = false
        }
}

proctype waiter() {
        byte t, b, taken, next;
        bool may;
        do
        :: has_ended -> break
        :: else ->
           steal_if(1, !has_ended);
           if
           :: taken != NOTHING -> assert(taken == MINE); is_done[1] = true
           :: else ->
              next = waits_for[1];
              if
#if MUTANT == HOPS_BLINDLY
              :: next != 0 ->
#else
              :: next != 0 && !has_ended ->
#endif
#if MUTANT == BELIEVES_A_WAIT
                 steal_if(2, true);
#else
                 steal_if(2, runs == next);
#endif
                 if
                 :: taken != NOTHING -> assert(taken == MINE); is_done[2] = true
                 :: else
                 fi
              :: else
              fi;
              atomic { next = 0; taken = NOTHING }
           fi
        od;
        ended++
}

proctype thief_that_waits() {
        bool mine;
        fork(1, MINE);
        join(1);
        has_ended = true;
        fork(1, FOREIGN);
        join(1);
        ended++
}

proctype last_thief() {
        byte t, b, taken, times;
        bool may, mine;
        do
        :: times == 2 -> break
        :: else ->
           steal_if(1, true);
           if
           :: taken != NOTHING ->
#if MUTANT == KEEPS_ITS_NUMBER
              thefts = 1;
#else
              thefts++;
#endif
              runs = thefts;
              theft[1] = thefts;
              fork(2, taken);
              join(2);
              is_done[1] = true;
              runs = 0
           :: else
           fi;
           fork(2, FOREIGN);
           join(2);
           times++
        od;
        ended++
}

init {
        atomic { run waiter(); run thief_that_waits(); run last_thief() };
        timeout;
        assert(ended == 3)
}
