/* SPDX-License-Identifier: MIT
 *
 * Timers, their thread, and a lane that runs what is due (timers.cpp, timer_node.hpp): the thread sleeps
 * until the earliest is due, and one that is added for an earlier time wakes it. No timer is early, runs
 * after its cancel() has returned true, or is due while the thread sleeps on; what it calls is destroyed
 * once, and not while it runs. PERIODIC: timer 0 is due again and again, and what is due while a run is
 * not over is left out. STOPS: Timers::stop() comes whenever it likes. Time passes whenever it likes.
 */
#define TIMERS 2
#ifndef LAST
#define LAST 2 /* until when time passes */
#endif
#ifdef PERIODIC
#define is_periodic(t) ((t) == 0)
#define FIRST_DELAY 1
#else
#define is_periodic(t) false
#define FIRST_DELAY 2 /* of timer 0; timer 1 has 1 */
#endif

#define COUNTS_NO_WAKES 1         /* a wake reaches one that sleeps, and nobody who is about to */
#define COUNTS_TOO_LATE 2         /* reads the count without the lock */
#define WAKES_NOBODY 3            /* whoever adds an earlier timer */
#define STOP_WAKES_NOBODY 4
#define LOOKS_BEFORE_IT_CANCELS 5 /* and cancels in a second step */
#define CANCEL_LEAVES_IT_QUEUED 6 /* an entry runs without a look */
#define MISSED_IS_FORGOTTEN 7     /* by the one that ends a run */
#ifndef MUTANT
#define MUTANT 0
#endif

#define AWAKE 0
#define NEVER 15
#define QUEUED 1
#define RUNNING 2
#define OVER 4
#define MISSED 8

byte now;
bool locked;
byte due[TIMERS]; /* 0: it is not in the heap; with the lock */
byte sleeps_until = AWAKE; /* with the lock */
byte wakes;
bool in_futex;
byte word[TIMERS];
bool entry[TIMERS]; /* in the pool's queue */
bool ends;

/* What the model is asked about. */
bool holds[TIMERS] = true; /* its callable */
bool is_cancelled[TIMERS];
byte earliest[TIMERS]; /* when it may run */
byte ran[TIMERS];
bool has_ended;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline wake() {
#if MUTANT != COUNTS_NO_WAKES
        wakes++;
#endif
        in_futex = false
}

inline drop(t) { atomic { assert(holds[t]); holds[t] = false } }

/* TimerNode::end() */
inline end(t) {
#if MUTANT == LOOKS_BEFORE_IT_CANCELS
        before = word[t];
        word[t] = word[t] | OVER;
#else
        atomic { before = word[t]; word[t] = before | OVER };
#endif
        if
        :: (before & (OVER | RUNNING)) == 0 -> drop(t)
        :: else
        fi
}

inline cancel(t) {
        end(t);
        if
        :: (before & OVER) != 0
        :: else ->
           is_cancelled[t] = true;
           if
           :: is_periodic(t) || (before & QUEUED) == 0 -> lock(); due[t] = 0; unlock()
           :: else
           fi
        fi;
        before = 0
}

/* Timers::add(), set_anew() */
inline set(t, at) {
        due[t] = at;
        is_sooner = at < sleeps_until;
        if
        :: is_sooner -> sleeps_until = AWAKE
        :: else
        fi;
        unlock();
        if
#if MUTANT != WAKES_NOBODY
        :: is_sooner -> is_sooner = false; wake()
#endif
        :: else -> is_sooner = false
        fi
}

proctype user(byte t; byte delay) {
        byte before;
        bool is_sooner;
        atomic { earliest[t] = now + delay };
        lock();
        if
        :: ends -> end(t); before = 0; unlock(); goto out
        :: else -> set(t, earliest[t])
        fi;
        if
        :: cancel(t)
        :: true
        fi;
out:    skip
}

proctype lane() {
        byte t, before;
        bool begins, is_sooner;
        do
        ::
           if
           :: atomic { entry[0] -> entry[0] = false; t = 0 }
           :: atomic { entry[1] -> entry[1] = false; t = 1 }
           fi;
           /* TimerNode::begin() */
           atomic {
                   if
#if MUTANT == CANCEL_LEAVES_IT_QUEUED
                   :: true ->
#else
                   :: (word[t] & OVER) == 0 ->
#endif
                      word[t] = RUNNING | (word[t] & MISSED) | (is_periodic(t) -> 0 : OVER);
                      assert(!is_cancelled[t] && holds[t] && now >= earliest[t]);
                      begins = true
                   :: else
                   fi
           };
           if
           :: begins ->
              begins = false;
              assert(holds[t]);
              atomic { before = word[t]; word[t] = before & ~(RUNNING | MISSED) };
              ran[t] = 1;
              if
              :: (before & OVER) != 0 -> drop(t)
#if MUTANT != MISSED_IS_FORGOTTEN
              :: (before & OVER) == 0 && (before & MISSED) != 0 ->
                 lock();
                 if
                 :: due[t] != 0 -> set(t, now + 1)
                 :: else -> unlock()
                 fi
#endif
              :: else
              fi;
              before = 0
           :: else
           fi;
           t = 0
        od
}

/* Timers::take_due(), of one. */
inline take(t) {
        if
        :: due[t] != 0 && due[t] <= time ->
           atomic { /* TimerNode::queue() */
                   before = word[t];
                   if
                   :: (before & OVER) != 0
                   :: before == 0 -> word[t] = QUEUED
                   :: else -> word[t] = before | MISSED
                   fi
           };
           if
           :: before == 0 -> atomic { queued = queued | (1 << t); any = true }
           :: else -> any = true
           fi;
           if
           :: before != 0 && (before & OVER) == 0 -> due[t] = NEVER
           :: else ->
              if
              :: is_periodic(t) && (word[t] & OVER) == 0 -> due[t] = time + 1
              :: else -> due[t] = 0
              fi
           fi;
           before = 0
        :: else
        fi
}

/* Timers::submit(), of one. */
inline submit(t) {
        if
        :: (queued & (1 << t)) != 0 ->
           if
           :: ends -> cancel(t)
           :: else -> entry[t] = true
           fi
        :: else
        fi
}

#define earlier(a, b) (((b) == 0 || ((a) != 0 && (a) < (b))) -> (a) : (b))

proctype timer_thread() {
        byte time, queued, before, seen, deadline;
        bool any;
        lock();
        do
        :: ends -> break
        :: else ->
           time = now;
           take(0);
           take(1);
           time = 0;
           if
           :: any ->
              any = false;
              unlock();
              submit(0);
              submit(1);
              queued = 0;
              lock()
           :: else ->
              deadline = earlier(due[0], due[1]);
              deadline = (deadline == 0 -> NEVER : deadline);
              sleeps_until = deadline;
#if MUTANT == COUNTS_TOO_LATE
              unlock();
              seen = wakes;
#else
              seen = wakes;
              unlock();
#endif
              atomic { in_futex = wakes == seen };
              atomic { !in_futex || now >= deadline -> in_futex = false };
              atomic { deadline = 0; seen = 0 };
              lock();
              sleeps_until = AWAKE
           fi
        od;
        unlock();
        has_ended = true
}

proctype clock() {
        do
        :: now < LAST -> now++
        :: else -> break
        od
}

#ifdef STOPS
proctype stopper() {
        byte before, t;
        lock();
        ends = true;
        unlock();
#if MUTANT != STOP_WAKES_NOBODY
        wake();
#endif
        has_ended;
        do
        :: t < TIMERS ->
           lock();
           if
           :: due[t] != 0 -> due[t] = 0; unlock(); end(t); before = 0
           :: else -> unlock()
           fi;
           t++
        :: else -> break
        od
}
#endif

/* Where a timer may be at rest. */
#define is_well(t)                                                                                  \
        (!entry[t] && due[t] != NEVER && (due[t] == 0 || due[t] > now) &&                           \
         (due[t] != 0 || !holds[t]))

init {
        atomic {
                run timer_thread();
                run lane();
                run user(0, FIRST_DELAY);
                run user(1, 1);
#ifdef STOPS
                run stopper();
#endif
                run clock()
        };
        timeout;
        assert(is_well(0) && is_well(1) && !locked);
#ifdef STOPS
        assert(has_ended && !holds[0] && !holds[1]);
#else
        /* What has not run was cancelled. */
        assert(earliest[1] > now || ran[1] || is_cancelled[1]);
        assert(earliest[0] > now || ran[0] || is_cancelled[0])
#endif
}
