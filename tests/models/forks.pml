/* SPDX-License-Identifier: MIT
 *
 * Forks that lanes steal, and a guest that keeps one lane's CPU (deque.hpp, fork_join.hpp, guest.cpp,
 * scheduler.cpp). A worker, a lane that runs a task, and guests fork; two other lanes steal: lane 0 is on
 * the guests' CPU, and leaves forks alone while there is a guest. Each fork is run once. No fork waits
 * while a lane sleeps that may take it, with one exception: a fork that was pushed quietly, because its
 * owner saw another one that was taken meanwhile. That is over when the owner has none left: it announces
 * the next one. How lanes park is simplified here: see parking.pml.
 */
#ifndef GUESTS
#define GUESTS 0 /* one after the other */
#endif
#ifndef WORKER_FORKS
#define WORKER_FORKS 0 /* 2: the second inside of the first; 3: another one behind that */
#endif
/* GUEST_FORKS: they fork, too. ONE_LANE: lane 1 is not there. */

#define GUEST_LEAVES_QUIETLY 1     /* without a look at what its lane has left */
#define LOOKS_BEFORE_IT_MARKS 2    /* lane 0, whether there is a guest */
#define GUEST_SLEEPS_QUIETLY 3     /* without a look at what its lane may take now */
#define LEAVES_IT_TO_NOBODY 4      /* lane 0, when it parks */
#define ANNOUNCES_ONE_ALONE 5      /* an owner: the first one of all */
#define STEALS_WITHOUT_A_RACE 6    /* for the last one */
#define NEVER_QUIET_IN_VAIN 7      /* no fork is ever pushed quietly though nobody looks: not so */
#ifndef MUTANT
#define MUTANT 0
#endif

#define MOST 3 /* forks of one owner at a time */
#define WORKER 0
#define GUEST 1
#define NOBODY 9
#define bit(lane) (1 << (lane))

byte top[2], bottom[2];
bool has_guest, is_left_out;
#ifdef GUEST_FORKS
byte lane_of_guest = NOBODY;
#else
byte lane_of_guest = 0; /* a former one has forked */
#endif
byte idle = 0;
bool asleep[2];
bool is_done[2 * MOST];

/* What the model is asked about. */
byte state[2 * MOST]; /* of a place in a deque: 1: a fork waits there, 2: it was taken */
bool is_in_vain[2];   /* was pushed quietly, and nobody looks */
byte long_ones, permits;
byte ended;

#define at(owner, place) ((owner) * MOST + (place))

inline take_fork(owner, place) {
        assert(state[at(owner, place)] == 1);
        state[at(owner, place)] = 2
}

/* Scheduler::takes_forks() */
inline takes_forks(lane, ret_takes) {
        ret_takes = lane != lane_of_guest;
        if
        :: ret_takes
        :: else ->
           ret_takes = !has_guest;
           if
           :: ret_takes
           :: else ->
              if
              :: !is_left_out -> is_left_out = true
              :: else
              fi;
#if MUTANT != LOOKS_BEFORE_IT_MARKS
              ret_takes = !has_guest
#endif
           fi
        fi
}

inline wake_one() {
        do
        :: seen = idle;
           seen = seen & ~except;
           if
           :: seen == 0 -> break
           :: (seen & 1) != 0 -> best = 0
           :: (seen & 2) != 0 -> best = 1
           fi;
           atomic { mine = (idle & bit(best)) != 0; idle = idle & ~bit(best) };
           if
           :: mine -> mine = false; asleep[best] = false; break
           :: else
           fi
        od;
        atomic { seen = 0; best = 0; except = 0 }
}

inline there_is_a_fork() {
        best = lane_of_guest;
        if
        :: best == NOBODY -> except = 0
        :: else ->
           takes_forks(best, takes);
           except = (takes -> 0 : bit(best));
           takes = false
        fi;
        best = 0;
        wake_one()
}

inline any_fork(ret_any) {
        seen = top[WORKER];
        ret_any = seen < bottom[WORKER];
        if
        :: ret_any
        :: else -> seen = top[GUEST]; ret_any = seen < bottom[GUEST]
        fi;
        seen = 0
}

inline look_after_work() {
        any_fork(any);
        if
        :: any -> any = false; there_is_a_fork()
        :: else
        fi
}

/* Locals of whoever uses the above. */
#define LOCALS byte seen, best, except; bool mine, any, takes

inline steal(owner) {
        seen = top[owner];
        if
        :: !has && seen < bottom[owner] ->
#if MUTANT == STEALS_WITHOUT_A_RACE
           atomic { top[owner] = seen + 1; take_fork(owner, seen); has = true; from = at(owner, seen) }
#else
           atomic {
                   if
                   :: top[owner] == seen ->
                      top[owner]++;
                      take_fork(owner, seen);
                      has = true;
                      from = at(owner, seen)
                   :: else
                   fi
           }
#endif
        :: else
        fi;
        seen = 0
}

inline take_long() { long_ones++; atomic { permits > 0 -> permits-- } }

proctype thief(byte me) {
        LOCALS;
        bool may, has;
        byte from;
        do
        ::
           takes_forks(me, may);
           if
           :: may -> steal(WORKER); steal(GUEST)
           :: else
           fi;
           may = false;
           if
           :: has ->
              /* It has searched until now. */
              look_after_work();
              if
              :: true
              :: take_long()
              fi;
              is_done[from] = true;
              atomic { has = false; from = 0 }
           :: else ->
              asleep[me] = true;
              idle = idle | bit(me);
              any_fork(any);
              if
              :: any -> any = false; takes_forks(me, may)
              :: else
              fi;
              if
              :: may -> may = false; atomic { mine = (idle & bit(me)) != 0; idle = idle & ~bit(me) }
              :: else ->
#if MUTANT != LEAVES_IT_TO_NOBODY
                 look_after_work()
#endif
              fi;
              if
              :: mine -> mine = false; asleep[me] = false
              :: else -> !asleep[me]
              fi
           fi
        od
}

/* Locals of an owner. */
#define OWNER_LOCALS byte b, t; bool announces, has_announced

inline push(owner, ret_place) {
        b = bottom[owner];
        ret_place = b;
        t = top[owner];
#if MUTANT == ANNOUNCES_ONE_ALONE
        announces = !has_announced;
        has_announced = true;
#else
        announces = b == t;
#endif
        atomic {
                is_done[at(owner, b)] = false;
                state[at(owner, b)] = 1;
#if MUTANT == ANNOUNCES_ONE_ALONE
                is_in_vain[owner] = b != t && top[owner] == b;
#else
                is_in_vain[owner] = !announces && (is_in_vain[owner] || top[owner] == b);
#endif
#if MUTANT == NEVER_QUIET_IN_VAIN
                assert(!is_in_vain[owner]);
#endif
                bottom[owner] = b + 1
        };
        if
        :: announces ->
           announces = false;
           if
           :: owner == GUEST -> lane_of_guest = 0; except = bit(0); wake_one()
           :: else -> there_is_a_fork()
           fi
        :: else
        fi;
        atomic { b = 0; t = 0 }
}

/* The youngest fork: taken back and run, or awaited. */
inline join(owner, place) {
        b = bottom[owner];
        t = top[owner];
        if
        :: t >= b
        :: else ->
           b--;
           bottom[owner] = b;
           t = top[owner];
           if
           :: t < b -> mine = true; take_fork(owner, place)
           :: else ->
              atomic {
                      if
                      :: t == b && top[owner] == t -> top[owner]++; take_fork(owner, place); mine = true
                      :: else
                      fi
              };
              bottom[owner] = b + 1
           fi
        fi;
        if
        :: mine -> mine = false
        :: else ->
           if
           :: is_done[at(owner, place)]
           :: owner == GUEST && !is_done[at(owner, place)] ->
              lane_of_guest = NOBODY;
#if MUTANT != GUEST_SLEEPS_QUIETLY
              look_after_work();
#endif
              is_done[at(owner, place)]
           :: owner == WORKER && !is_done[at(owner, place)] -> is_done[at(owner, place)]
           fi
        fi;
        atomic { b = 0; t = 0 }
}

proctype worker() {
        LOCALS;
        OWNER_LOCALS;
        byte outer, inner;
        push(WORKER, outer);
#if WORKER_FORKS == 1
        take_long();
#else
        push(WORKER, inner);
        take_long();
        join(WORKER, inner);
#endif
#if WORKER_FORKS > 2
        push(WORKER, inner);
        take_long();
        join(WORKER, inner);
#endif
        join(WORKER, outer);
        ended++
}

proctype guest() {
        LOCALS;
        OWNER_LOCALS;
        byte i, fork;
        do
        :: i == GUESTS -> break
        :: else ->
           has_guest = true;
#ifdef GUEST_FORKS
           push(GUEST, fork);
           take_long();
           join(GUEST, fork);
#else
           if
           :: take_long()
           :: true
           fi;
#endif
           has_guest = false;
#if MUTANT != GUEST_LEAVES_QUIETLY
           if
           :: is_left_out -> is_left_out = false; look_after_work()
           :: else
           fi;
#endif
           i++
        od;
        ended++
}

#define waits(owner) (top[owner] < bottom[owner] && !is_in_vain[owner])
#define may_take(lane) (lane != lane_of_guest || !has_guest)
#define is_well(lane) (!asleep[lane] || !may_take(lane) || (!waits(WORKER) && !waits(GUEST)))

init {
        atomic {
                run thief(0);
#ifndef ONE_LANE
                run thief(1);
#endif
#if WORKER_FORKS > 0
                run worker();
#endif
                run guest()
        };
        do
        :: timeout ->
           assert(is_well(0) && is_well(1));
           if
           :: long_ones > 0 -> atomic { long_ones--; permits++ }
           :: else -> break
           fi
        od;
        assert(ended == (WORKER_FORKS > 0 -> 2 : 1));
        assert(top[0] == bottom[0] && top[1] == bottom[1])
}
