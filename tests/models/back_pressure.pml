/* SPDX-License-Identifier: MIT
 *
 * Submitters of a full queue sleep until it is half empty (back_pressure.hpp, and Scheduler::push() before
 * it): nobody sleeps while it is, and all that was accepted is taken out. One of the submitters has
 * a deadline, which is over whenever it likes. When all have left nobody is said to wait.
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef SUBMITTERS
#define SUBMITTERS 3
#endif
#ifndef TASKS
#define TASKS 1
#endif

/* With fewer than are submitted all submitters have a deadline. */
#ifndef TAKEN
#define TAKEN (SUBMITTERS * TASKS)
#endif

#define LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS 1
#define CONSUMER_LOOKS_BEFORE_IT_TAKES 2
#define NEWCOMER_DOES_NOT_LOOK 3 /* whether those who wait have gone, and it is half empty */
#define STOP_WAKES_NOBODY 4
#define WHO_GIVES_UP_LEAVES_THE_FLAG 5 /* that it has raised after stop() has lowered it */
#define LAST_ONE_LEAVES_THE_FLAG 6 /* and others are refused though there is a place */
#ifndef MUTANT
#define MUTANT 0
#endif

byte head, tail;
bool waiting, closed;
bool in_futex[SUBMITTERS];
byte accepted, refused, popped;
byte inside; /* BackPressure::push() */
byte done;   /* submitters that have ended */

#define is_half_empty(h) (tail - (h) <= CAPACITY / 2)

/* Ring::push(): the head that it reads may be old when it takes its place. */
inline push(ret_is_in) {
        do
        :: at = tail; h = head;
           if
           :: at - h >= CAPACITY ->
              if
              :: at == tail -> ret_is_in = false; break
              :: else
              fi
           :: else ->
              atomic {
                      if
                      :: at == tail ->
                         tail++;
                         assert(tail - head <= CAPACITY);
                         accepted++;
                         ret_is_in = true;
                         break
                      :: else
                      fi
              }
           fi
        od;
        atomic { at = 0; h = 0 }
}

inline release() {
        atomic { was_waiting = waiting; waiting = false };
        if
        :: was_waiting ->
           atomic {
                   was_waiting = false;
                   w = 0;
                   do
                   :: w < SUBMITTERS ->
                      if
                      :: in_futex[w] ->
                         in_futex[w] = false
                      :: else
                      fi;
                      w++
                   :: else -> break
                   od;
                   w = 0
           }
        :: else
        fi
}

proctype submitter(byte me; bool has_deadline) {
        byte at, h, task, w;
        bool is_in, first_come, was_waiting, is_last;
        do
        :: task == TASKS -> break
        :: else ->
           is_in = false;
           /* Scheduler::push(): who waits goes first. */
           if
           :: !waiting -> push(is_in)
           :: else
           fi;
           if
           :: is_in -> goto next
           :: else
           fi;
           inside++;
           first_come = !waiting;
           do
           ::
#if MUTANT == LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS
              push(is_in);
              if
              :: is_in -> break
              :: else
              fi;
              waiting = true;
#else
              waiting = true;
              if
              :: closed ->
#if MUTANT != WHO_GIVES_UP_LEAVES_THE_FLAG
                 release();
#endif
                 refused++;
                 break
              :: else
              fi;
#if MUTANT != NEWCOMER_DOES_NOT_LOOK
              if
              :: !first_come -> h = head; first_come = is_half_empty(h); h = 0
              :: else
              fi;
#endif
              if
              :: first_come -> push(is_in)
              :: else
              fi;
              if
              :: is_in -> break
              :: else
              fi;
#endif
              first_come = true;
              atomic { in_futex[me] = waiting };
              if
              :: !in_futex[me]
              :: has_deadline && in_futex[me] -> in_futex[me] = false; refused++; break
              fi
           od;
           atomic { inside--; is_last = inside == 0 };
#if MUTANT != LAST_ONE_LEAVES_THE_FLAG
           if
           :: is_last -> is_last = false; release()
           :: else
           fi;
#endif
next:      task++
        od;
        done++
}

/* A lane: takes what there is. */
proctype consumer() {
        byte h, w;
        bool was_waiting, seen;
        do
        ::
#if MUTANT == CONSUMER_LOOKS_BEFORE_IT_TAKES
           seen = waiting;
#endif
           atomic { head < tail && popped < TAKEN -> head++; popped++ };
#if MUTANT != CONSUMER_LOOKS_BEFORE_IT_TAKES
           seen = waiting;
#endif
           if
           :: seen ->
              seen = false;
              h = head;
              if
              :: is_half_empty(h) -> release()
              :: else
              fi;
              h = 0
           :: else
           fi
        od
}

/* Scheduler::stop(), with nobody who takes anything out. */
#ifdef STOPS
proctype stopper() {
        byte w;
        bool was_waiting;
        closed = true;
#if MUTANT != STOP_WAKES_NOBODY
        release()
#endif
}
#endif

init {
        byte s;
        atomic {
                do
                :: s < SUBMITTERS -> run submitter(s, s == 0 || TAKEN < SUBMITTERS * TASKS); s++
                :: else -> break
                od;
#ifdef STOPS
                run stopper()
#else
                run consumer();
                run consumer()
#endif
        };
        timeout;
        assert(done == SUBMITTERS && accepted + refused == SUBMITTERS * TASKS);
        assert(inside == 0 && !waiting);
#ifndef STOPS
        assert(popped == accepted || popped == TAKEN)
#endif
}
