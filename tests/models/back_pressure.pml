/* SPDX-License-Identifier: MIT
 *
 * Submitters of a full queue sleep until there is a place (back_pressure.hpp, and Scheduler::push() before
 * it): nobody sleeps while there is one, and all that was accepted is taken out. One of the submitters has
 * a deadline, which is over whenever it likes; it has tried since then. PATIENT: at first each wants to be
 * told of a place only when the queue is half empty, for a moment, which is over whenever it likes, too.
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

/* With fewer than are submitted all submitters have a deadline; with FULL_AT_FIRST none has: then whoever
 * still sleeps has no place.
 */
#ifndef TAKEN
#define TAKEN (SUBMITTERS * TASKS)
#endif

#define LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS 1
#define CONSUMER_LOOKS_BEFORE_IT_TAKES 2
#define WHO_LEAVES_TELLS_NOBODY 3
#define WHO_LEAVES_IS_COUNTED 4 /* and others are refused though there is a place */
#define STOP_WAKES_NOBODY 5
#define STOP_DOES_NOT_COUNT 6 /* and somebody who is about to sleep does so */
#define TRIES_NO_LAST_TIME 7  /* when its deadline is over */
#define STAYS_PATIENT 8       /* without a moment that ends */
#define HURRIES_TOO_LATE 9    /* says so only after it has looked */
#ifndef MUTANT
#define MUTANT 0
#endif

#ifdef FULL_AT_FIRST
byte head, tail = CAPACITY;
#define has_deadlines false
#else
byte head, tail;
#define has_deadlines (TAKEN < SUBMITTERS * TASKS)
#endif
byte waiting;
byte hurried;
bool wanted; /* these two are one word */
byte told;
bool closed;
bool in_futex[SUBMITTERS];
byte accepted, refused, popped;
byte done; /* submitters that have ended */

/* What the model is asked about: was the queue full since the deadline of the one that has one? */
bool was_full;
#define is_full (tail - head == CAPACITY)

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
                         was_full = was_full || is_full;
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

inline tell_one() {
        atomic { mine = wanted; told = (wanted -> told + 1 : told); wanted = false };
        if
        :: mine -> mine = false;
           atomic {
                   if
                   :: in_futex[0] -> in_futex[0] = false
                   :: in_futex[1] -> in_futex[1] = false
#if SUBMITTERS > 2
                   :: in_futex[2] -> in_futex[2] = false
#endif
                   :: else
                   fi
           }
        :: else
        fi
}

proctype submitter(byte me; bool has_deadline) {
        byte at, h, task, word, others;
        bool is_in, is_over, mine;
#if MUTANT == HURRIES_TOO_LATE
        bool hurries;
#endif
        do
        :: task == TASKS -> break
        :: else ->
           is_in = false;
           is_over = false;
           /* Scheduler::push(): those who wait have their places. */
           others = waiting;
           if
           :: others > 0 -> h = head;
              if
              :: tail - h + others < CAPACITY -> h = 0; push(is_in)
              :: else -> h = 0
              fi
           :: else -> push(is_in)
           fi;
           others = 0;
           if
           :: is_in -> goto next
           :: else
           fi;
#if MUTANT == LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS
           push(is_in);
           if
           :: is_in -> goto next
           :: else
           fi;
#endif
           waiting++;
#ifdef PATIENT
           atomic { wanted = true; word = told };
           if
           :: closed -> refused++; goto leave
           :: else
           fi;
           push(is_in);
           if
           :: is_in -> goto leave
           :: else
           fi;
           atomic { in_futex[me] = wanted && told == word };
           if
           :: !in_futex[me]
#if MUTANT != STAYS_PATIENT
           :: atomic { in_futex[me] -> in_futex[me] = false }
#endif
           fi;
#if MUTANT != HURRIES_TOO_LATE
           hurried++;
#endif
#endif
           do
           ::
              atomic { wanted = true; word = told };
              if
              :: closed -> refused++; break
              :: else
              fi;
#if MUTANT != LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS
              push(is_in);
              if
              :: is_in -> break
              :: else
              fi;
#endif
              if
              :: is_over -> refused++; assert(was_full); break
              :: else
              fi;
#if MUTANT == HURRIES_TOO_LATE
              if
              :: !hurries -> hurried++; hurries = true
              :: else
              fi;
#endif
              atomic { in_futex[me] = wanted && told == word };
              if
              :: !in_futex[me]
              :: atomic { has_deadline && in_futex[me] -> in_futex[me] = false; is_over = true;
                          was_full = (SUBMITTERS * TASKS != TAKEN) || is_full }
#if MUTANT == TRIES_NO_LAST_TIME
                 refused++; assert(was_full); break
#endif
              fi
#if MUTANT == LOOKS_BEFORE_IT_SAYS_THAT_IT_WAITS
              ;
              push(is_in);
              if
              :: is_in -> break
              :: else
              fi
#endif
           od;
#ifdef PATIENT
#if MUTANT == HURRIES_TOO_LATE
           if
           :: hurries -> hurried--; hurries = false
           :: else
           fi;
#else
           hurried--;
#endif
leave:
#endif
           word = 0;
#if MUTANT != WHO_LEAVES_IS_COUNTED
           atomic { waiting--; others = waiting };
#endif
#if MUTANT != WHO_LEAVES_TELLS_NOBODY
           if
           :: others > 0 -> others = 0; h = head;
              if
              :: tail - h < CAPACITY -> h = 0; tell_one()
              :: else -> h = 0
              fi
           :: else
           fi;
#endif
           others = 0;
next:      task++
        od;
        done++
}

/* A lane: takes what there is. */
proctype consumer() {
        bool mine, seen;
        byte h;
        do
        ::
#if MUTANT == CONSUMER_LOOKS_BEFORE_IT_TAKES
           seen = waiting > 0;
#endif
           atomic { head < tail && popped < TAKEN -> head++; popped++ };
#if MUTANT != CONSUMER_LOOKS_BEFORE_IT_TAKES
           seen = waiting > 0;
#endif
#ifdef PATIENT
           if
           :: seen ->
              if
              :: hurried == 0 -> h = head; seen = (tail - h <= CAPACITY / 2); h = 0
              :: else
              fi
           :: else
           fi;
#endif
           if
           :: seen -> seen = false; tell_one()
           :: else
           fi
        od
}

/* Scheduler::stop(), with nobody who takes anything out. */
#ifdef STOPS
proctype stopper() {
        byte w;
        closed = true;
#if MUTANT != STOP_WAKES_NOBODY
#if MUTANT != STOP_DOES_NOT_COUNT
        told++;
#endif
        atomic {
                do
                :: w < SUBMITTERS -> in_futex[w] = false; w++
                :: else -> break
                od
        }
#endif
}
#endif

init {
        byte s;
        atomic {
                do
                :: s < SUBMITTERS -> run submitter(s, (s == 0 && TAKEN == SUBMITTERS * TASKS) || has_deadlines); s++
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
#ifdef FULL_AT_FIRST
        assert(done == SUBMITTERS || is_full);
#else
        assert(done == SUBMITTERS && accepted + refused == SUBMITTERS * TASKS);
        assert(waiting == 0 && hurried == 0);
#ifndef STOPS
        assert(popped == accepted || popped == TAKEN)
#endif
#endif
}
