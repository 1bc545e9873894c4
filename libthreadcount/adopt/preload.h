/* SPDX-License-Identifier: MIT */
/*
 * preload.h - when this object does something, and libthreadcount, which it opens only then.
 *
 * The object is preloaded into all programs of a tree, most of which never begin a region. At the
 * first call that comes by here, or at the latest at their start, it reads two variables:
 *
 *   THREADCOUNT_ADOPT  keep: regions wait for their turn, and have the teams that they would have.
 *                      adapt: teams follow the grant, as far as promise.h permits.
 *                      fenced: threads of teams that have fewer CPUs than threads sleep while
 *                      they wait, instead of spinning. Nothing else: no lease, and no library.
 *                      With any other value this object does nothing.
 *   OMP_DYNAMIC        true, as libgomp understands it: the user lets the runtime choose smaller
 *                      teams. Then keep is adapt.
 *
 * It is made twice. Teams follow in adopt.so only. In keep.so adapt is keep.
 *
 * Nor does it do anything in a program that has loaded libthreadcount itself. It loads that at the
 * first region, or where the program calls dlopen() for the first time: see linker.h. It prints
 * nothing, installs no handler, and keeps errno. It starts threads only where a team has too few
 * CPUs: see doze.h.
 */
#ifndef THREADCOUNT_ADOPT_PRELOAD_H
#define THREADCOUNT_ADOPT_PRELOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <threadcount/threadcount.h>

enum adopt_state {
        ADOPT_UNARMED, /* as ADOPT_DOWN until adopt_arm() has seen what is wanted         */
        ADOPT_DOWN,    /* regions begin as if nobody were in between                      */
        ADOPT_FENCED,  /* nothing is ever opened: only the process's own CPUs count       */
        ADOPT_ARMED,   /* nothing has been opened                                         */
        ADOPT_OPENING, /* a thread does; regions of others begin as they would            */
        ADOPT_OPEN
};

extern _Atomic(enum adopt_state) adopt_state;

/*
 * Reads the variables, once they are there. Constructors of the libraries that the program is
 * linked with run before this object's own: nobody refers to this one. They may ask for numbers,
 * and begin regions. MT-Safe, keeps errno.
 */
void adopt_arm(void);

/* May something be done at this call? */
static inline bool adopt_is_up(void) {
        /* Acquire: what adopt_arm() has found was written before. */
        enum adopt_state state = atomic_load_explicit(&adopt_state, memory_order_acquire);
        if (state == ADOPT_UNARMED) {
                adopt_arm();
                state = atomic_load_explicit(&adopt_state, memory_order_acquire);
        }
        return state > ADOPT_DOWN;
}

static inline bool adopt_is_fenced(void) {
        return atomic_load_explicit(&adopt_state, memory_order_relaxed) == ADOPT_FENCED;
}

/* Fenced: may threads be made to sleep (see doze.h)? MT-Safe, keeps errno. */
bool adopt_may_doze(void);

/*
 * Tells the `run` whose fence it is that threads sleep soon where they lack CPUs: by a mapping with
 * a name, which a child of fork() has not. MT-Safe, keeps errno.
 */
void adopt_tell_fence(void);

/*
 * Do teams follow the grant? It may become false when the library is opened: with THREADCOUNT=keep,
 * and where the runtime binds its threads. Smaller teams would all be bound to the same first
 * places there.
 */
enum adopt_teams { ADOPT_UNKNOWN, ADOPT_KEEPS, ADOPT_ADAPTS };

extern _Atomic(enum adopt_teams) adopt_teams;

/*
 * Do the numbers that the program asks for and sets come by this object? A constant of counts.c. If
 * not, its teams are kept: it would not know that another number is in force.
 */
extern const bool adopt_has_counts;

static inline bool adopt_adapts(void) {
        return adopt_has_counts &&
               atomic_load_explicit(&adopt_teams, memory_order_relaxed) == ADOPT_ADAPTS;
}

/* Words of CPUs that a runtime may bind threads to. */
enum { ADOPT_PLACE_WORDS = 8192 / 64 };

/*
 * The program is about to load something. Loads libthreadcount before that, since a thread that
 * must not wait for the dynamic linker may use it later. Nothing where the program is fenced.
 * `is_first`: the program has loaded nothing before. Returns when no other thread of the process is
 * about to do that, or after 0.1 s: it may wait for what the caller holds. Returns at once in what
 * the loading itself calls.
 */
void adopt_load(bool is_first);

/*
 * The first region is about to begin, or the first question has come. The program would use `max`
 * threads, bound to `places` as options.affinity of threadcount_open() has them. Opens the library,
 * once. False: it is not open. MT-Safe: while one thread does, others get false, and none waits.
 */
bool adopt_open(unsigned max, const uint64_t* places, uint32_t words);

/*
 * The calling thread is about to begin an outermost region of `team` threads, >= 1; the library is
 * open. Waits for the program's turn where threadcount_region_enter() does, and for the first
 * grant, 20 ms at most. Writes whether other teams run beside it. `keeps`: the thread's teams are
 * its own for good. If this one has all threads that the program would use, the governor is told
 * before. NULL: nothing is to be told at its end. The thread is not cancelled meanwhile.
 */
threadcount_handle* adopt_enter(unsigned team, bool keeps, bool* ret_crowded);

/* Has the governor been told that threads of a team with fewer CPUs sleep? */
bool adopt_sleeps(void);
/* They do not, after all. */
void adopt_spins(threadcount_handle* handle);

/*
 * Does what adopt_enter() does, for a team that follows the grant. Writes the grant, or 0 where it
 * is all that the program would use by itself. NULL: there is no limit, and nothing is to be told
 * at the end.
 */
threadcount_handle* adopt_begin(unsigned* ret_grant);

/*
 * The grant that adopt_begin() would write now, for a program that asks outside of regions. Waits
 * for the program's turn likewise: a program that asks only once would keep the one thread of a
 * program that waits.
 */
unsigned adopt_ask(void);

/* The region of adopt_enter() or adopt_begin() is over. */
void adopt_leave(threadcount_handle* handle, unsigned team);

#endif
