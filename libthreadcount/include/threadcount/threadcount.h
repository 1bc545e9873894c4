/* SPDX-License-Identifier: MIT */
/*
 * threadcount.h - take part in the sharing of this host's cores: how many threads to use now.
 *
 * Conventions of this header, stated once:
 *
 *   units      Thread and CPU counts are logical CPUs (hardware threads).
 *              Durations carry their unit in the name (_ms, _ns).
 *   errors     Functions returning int yield 0 or a positive value on success
 *              and a negative errno (-EINVAL, -ENOMEM, ...) on failure.
 *              Out-parameters are named ret_* and are written on success only.
 *   threads    "MT-Safe" functions may be called from any number of threads on
 *              the same handle. All others need the caller's own locking.
 *   signals    Nothing here is async-signal-safe. SIGPIPE is never raised.
 *   fork       A handle opened before fork() is inert in the child: it answers
 *              threadcount_max() and does no I/O. Open a new one there.
 *   exec       The socket is close-on-exec. Shared memory goes with the old program.
 *   binding    With THREADCOUNT_BINDING=cores, or options.binding, the threads of the
 *              process may run on the CPUs of its grant only. They are bound
 *              (sched_setaffinity) when a region begins and the grant has changed.
 *              The library binds threads whose mask is that which the process's first
 *              thread had at threadcount_open(), or was given by the library. It never
 *              binds beyond that mask, and not where OMP_PROC_BIND, OMP_PLACES,
 *              GOMP_CPU_AFFINITY or KMP_AFFINITY are for binding.
 *
 *              Threads get the first mask back when the governor releases them or has
 *              been gone for 60 s (at the begin of a region). They also do when the last
 *              handle that binds is closed, and in a child of fork(). A program that
 *              posix_spawn(), vfork() or exec starts keeps the mask of the moment.
 *   turns      The governor may run the batch programs of a user one after the other.
 *              Then threadcount_share(), threadcount_region_begin() and
 *              threadcount_region_enter() wait until it is the program's turn, as long as
 *              no thread of the process is inside of a region. Signals are handled
 *              meanwhile. The three functions go on with one thread after ten minutes in
 *              any case, within half a second when the governor ends, and within three when
 *              it hangs.
 *
 *              No other function waits: there it is one thread until the turn. With
 *              THREADCOUNT=start-only nothing waits. With THREADCOUNT=keep a program of
 *              any class waits likewise, and then has all of its threads.
 *   ownership  The library owns every handle; free it with threadcount_close().
 *              Strings passed in are copied.
 *   ABI        Structs start with .size, set by their INIT macro, and only ever grow
 *              at the end. Symbols are versioned (THREADCOUNT_1.0).
 *
 * The library never logs, never exits, starts no thread, installs no signal
 * handler, and changes no environment variable. It never makes a program fail
 * because the governor is absent: then every answer is threadcount_max().
 *
 * Environment (read once, by threadcount_open()):
 *
 *   THREADCOUNT           adapt (default) | start-only | keep | off | fixed:N (at most
 *                         threadcount_max()).
 *
 *                         keep: every answer is threadcount_max(), and the program waits in
 *                         front of regions when the governor says so: see "turns" above. It
 *                         is not bound.
 *
 *   THREADCOUNT_SOCKET    path of the governor's socket, or tcp:HOST:PORT. HOST is a numeric
 *                         IPv4 address, [IPv6], or localhost, which is 127.0.0.1; names are
 *                         not resolved. Default: the system's socket, else the user's
 *                         ($XDG_RUNTIME_DIR/governord/governord.sock).
 *
 *   THREADCOUNT_LABEL     the program's name for itself. Default: the process's name.
 *
 *   THREADCOUNT_CLASS     interactive (default) | batch: programs of this class take turns, see
 *                         "turns" above.
 *
 *   THREADCOUNT_JOB       batch programs of the same user and job run together, and wait
 *                         together: at most 63 bytes. Default: the value of MPI's launcher or
 *                         the scheduler (PMIX_NAMESPACE, SLURM_JOB_ID and others), else the
 *                         process group.
 *
 *   THREADCOUNT_SHRINK    keep (default) | release: what an adapter does with the threads of a
 *                         team that has become smaller; see threadcount_omp_update().
 *
 *   THREADCOUNT_BINDING   none (default) | cores: threads are bound to the CPUs of the grant; see
 *                         "binding" above.
 *
 *   THREADCOUNT_INTERVAL  time between two questions to a governor that grants nothing:
 *                         50ms .. 24h, default 10s. Without a unit: milliseconds.
 *
 *   THREADCOUNT_MAX       never more threads than this, 1 .. 65536.
 *
 * A value that is not understood counts as not set; threadcount_reason() says so. A
 * THREADCOUNT_SOCKET that is neither form means that there is no governor.
 */
#ifndef THREADCOUNT_THREADCOUNT_H
#define THREADCOUNT_THREADCOUNT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define THREADCOUNT_EXPORT __attribute__((visibility("default")))
#else
#define THREADCOUNT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A program's connection to the governor. Opaque. */
typedef struct threadcount_handle threadcount_handle;

/* Are the threads of the process bound to the CPUs of its grant? Values are part of the ABI. */
enum threadcount_binding {
        THREADCOUNT_BINDING_NONE = 0, /* they run where they may                              */
        THREADCOUNT_BINDING_CORES = 1 /* at the begin of regions, those that nobody else bound */
};

/* Options of a connection. Initialise with THREADCOUNT_OPTIONS_INIT, then set fields. */
typedef struct threadcount_options {
        size_t size;              /* = sizeof(threadcount_options)                            */
        const char *socket_path;  /* what THREADCOUNT_SOCKET takes, which wins; NULL: as      */
                                  /* described there                                          */
        uint32_t max_threads;     /* what the program would use ungoverned, 1 .. 65536;       */
                                  /* 0: its CPU affinity, limited by its cgroups' quotas      */
        uint32_t interval_ms;     /* where the governor grants nothing, time between two      */
                                  /* questions, 50 .. 86400000; 0: 10000;                     */
                                  /* THREADCOUNT_INTERVAL wins                                */
        uint32_t binding;         /* enum threadcount_binding; THREADCOUNT_BINDING wins       */
        uint32_t affinity_words;  /* that `affinity` has                                      */
        const uint64_t *affinity; /* CPUs that a runtime will bind the program's threads to: */
                                  /* bit n % 64 of word n / 64 is CPU n. Such a program is   */
                                  /* governed only if THREADCOUNT says so. NULL: none will   */
        uint32_t wait_ms;         /* threadcount_open() waits so long for the first grant, at */
                                  /* most: 0 .. 250; 0: a later call collects it             */
        uint32_t keeps;           /* 1: as THREADCOUNT=keep, where that is not set; else 0   */
        uint32_t sleeps;          /* 1: threads of a team that wait for others sleep where    */
                                  /* threadcount_region_enter() says so; 0: they may spin    */
} threadcount_options;

/* clang-format off */
#define THREADCOUNT_OPTIONS_INIT { sizeof(threadcount_options), NULL, 0, 0, 0, 0, NULL, 250, 0, 0 }
/* clang-format on */

/* The source of an answer. Values are part of the ABI. */
enum threadcount_source {
        THREADCOUNT_SOURCE_FALLBACK = 0, /* no governor: the answer is threadcount_max()   */
        THREADCOUNT_SOURCE_GOVERNOR = 1, /* the governor answered this very question       */
        THREADCOUNT_SOURCE_USER = 2      /* the environment decided (off, fixed:N)         */
};

/* One answer. */
typedef struct threadcount_advice {
        size_t size;
        uint32_t threads; /* >= 1: use at most this many, the calling thread included       */
        uint32_t free;    /* CPUs that are free now; 0 unless the governor answered         */
        uint32_t total;   /* CPUs that the governor distributes; 0 unless it answered       */
        uint32_t source;  /* enum threadcount_source                                        */
} threadcount_advice;

/* clang-format off */
#define THREADCOUNT_ADVICE_INIT { sizeof(threadcount_advice), 1, 0, 0, 0 }
/* clang-format on */

/*
 * Opens a handle. Connects to the governor, asks for a lease and waits for the first grant, at most
 * options.wait_ms (250 ms). Needs no running governor: without one the handle answers
 * threadcount_max() and looks for a governor again once a second. The process has one lease,
 * however many handles: of the largest maximum that one of them was opened with, until one of them
 * tells another wish (threadcount_wish(), threadcount_keeps(), threadcount_spins()), whose maximum
 * counts then. The answer is one thread until the first grant has come, for a quarter of a second
 * at most, and threadcount_max() with THREADCOUNT=keep.
 *
 * `options` may be NULL (all defaults). MT-Safe. Do not cancel (pthread_cancel) a thread inside a
 * function of this library, but where it waits for the program's turn. With THREADCOUNT=keep that
 * is put off until it has waited. Returns 0; -EINVAL if an option is out of range; -ENOMEM.
 */
THREADCOUNT_EXPORT int threadcount_open(const threadcount_options *options,
                                        threadcount_handle **ret_handle);

/*
 * The number of threads that the next parallel region should use, the caller included: 1 ..
 * threadcount_max().
 *
 * With a lease this is the grant of the moment, which goes up and down. The region is reported to
 * have begun: call it in front of each outermost one, and not elsewhere. Cost: a few words of
 * shared memory (some 10 ns), no system call, and now and then a coarse clock.
 *
 * A governor that grants nothing (policy threshold, TCP, a daemon in a container that the program
 * is outside of) is asked when an interval is over. Having grown, it is asked no sooner than the
 * new threads show in its measurement: 1 s or more. Then the count only grows, by the CPUs that
 * were free (L. Akyil, "Managing Application Thread Use", 2008). Cost: a coarse clock reading (some
 * 7 ns) until the interval is over, then one round trip of at most 5 ms, connecting included. A
 * governor that TCP does not reach in that time counts as gone until the next question. An answer
 * that comes later is collected by a later call without waiting for it.
 *
 * With THREADCOUNT=start-only the first grant or answer is final; with THREADCOUNT=keep every
 * answer is threadcount_max(). The count stays for 60 s when the governor is gone. Then it grows
 * every 60 s into CPUs that were idle meanwhile, at most to twice as many, up to threadcount_max().
 *
 * MT-Safe: while one thread asks, others get the count as it is. The count is the
 * process's: threads that start regions at the same time share it by threadcount_share(). NULL is
 * accepted and answers the fallback, at the cost of reading affinity and cgroups.
 */
THREADCOUNT_EXPORT uint32_t threadcount_threads(threadcount_handle *handle);

/*
 * The calling thread's part of threadcount_threads(), for programs several of whose threads start
 * regions at the same time. It is the count divided by the threads that called this within the last
 * half to one second, rounded down, but at least 1. Nothing is divided where nothing is granted.
 * Nor is it while the grant is all that the program would use ungoverned
 * (threadcount_ungoverned()): then it runs as if the library were not there. A batch program waits
 * here until its turn comes: see "turns" above.
 *
 * MT-Safe. Cost: that of threadcount_threads() and a nanosecond. NULL is accepted as there.
 */
THREADCOUNT_EXPORT uint32_t threadcount_share(threadcount_handle *handle);

/*
 * The same as threadcount_share(), for a region whose end is told as well: by
 * threadcount_region_end(), which the same thread calls as soon as the region is over.
 *
 * - CPUs that the governor took back meanwhile are then free at once, and not only when the next
 *   region begins.
 * - A program that stays outside of regions lends its CPUs.
 * - It is known how long regions take with how many threads (governorctl explain).
 *
 * In front of outermost regions only: a thread has one such region at a time, the one that it has
 * begun last. A thread that ends inside of one is inside for good.
 *
 * MT-Safe. Cost: that of threadcount_share(), and with a grant a clock reading (some 20 ns).
 */
THREADCOUNT_EXPORT uint32_t threadcount_region_begin(threadcount_handle *handle);

/*
 * The same as threadcount_region_begin(), for a region whose team is the caller's own: `team`
 * threads, the caller included, 1 .. 65536. A number outside of that counts as the nearest one. It
 * waits where threadcount_region_begin() would, and the governor knows the team from its begin.
 * Nothing makes the team smaller. With THREADCOUNT=keep a team above what the program wished for is
 * also a threadcount_wish(). A program may have teams that are larger than its grant three times in
 * a row, without a region of threadcount_region_begin() between. For the governor it counts from
 * then on as one with THREADCOUNT=keep: it takes rounds with other such programs. Programs that
 * sleep (options.sleeps) may run side by side instead.
 *
 * Returns 1 where other teams run beside this one, so that its threads had better sleep while they
 * wait; only if the program does that (options.sleeps). Else 0.
 *
 * MT-Safe. Cost: that of threadcount_region_begin(). NULL is accepted and does nothing.
 */
THREADCOUNT_EXPORT int threadcount_region_enter(threadcount_handle *handle, uint32_t team);

/*
 * The governor is told, as by threadcount_wish(), that the program's teams are its own from now on,
 * for good, as it is after three larger teams (threadcount_region_enter()). They take rounds with
 * those of programs with THREADCOUNT=keep. Answers stay as they are: threadcount_region_begin()
 * follows the grant. Does nothing with THREADCOUNT=fixed, start-only or off. MT-Safe; does not
 * wait. Cost: a few system calls the first time. NULL is accepted and does nothing.
 */
THREADCOUNT_EXPORT void threadcount_keeps(threadcount_handle *handle);

/*
 * Threads that wait for others of their team spin from now on, whatever options.sleeps said. The
 * governor is told as by threadcount_wish(). MT-Safe; does not wait. Cost: a few system calls the
 * first time. NULL is accepted and does nothing.
 */
THREADCOUNT_EXPORT void threadcount_spins(threadcount_handle *handle);

/*
 * The region that the calling thread has begun by threadcount_region_begin() or
 * threadcount_region_enter() with this handle is over. It had a team of `team` threads, the caller
 * included: 1 .. 65536; 0 counts as 1. Does nothing if there is no such region, or nothing was
 * granted for it. With a NULL handle the region is forgotten: nothing is told.
 *
 * The governor is told how long the region took, and that the program is outside of regions. The
 * latter is told only if no other thread is inside of one, or may be: has called
 * threadcount_share() within the last half to one second. Regions of threadcount_threads() are not
 * counted.
 *
 * MT-Safe. Cost: with a grant a clock reading (some 20 ns) and a few words of shared memory; else a
 * nanosecond.
 */
THREADCOUNT_EXPORT void threadcount_region_end(threadcount_handle *handle, uint32_t team);

/*
 * For thread pools, which have no regions: as threadcount_threads(), and on which CPUs these
 * threads should run. Writes all `words` words: bit n % 64 of word n / 64 is CPU n. All are 0 where
 * the governor names no CPUs, or grants nothing: then any will do. Call it whenever
 * threadcount_version() has changed, and every 100 ms or so while tasks run; the program counts as
 * working from then on.
 *
 * MT-Safe. Cost: that of threadcount_threads() and some 20 ns. `ret_cpus` may be NULL if `words` is
 * 0. A NULL handle is accepted as there.
 */
THREADCOUNT_EXPORT uint32_t threadcount_cpus(threadcount_handle *handle, uint64_t *ret_cpus,
                                             size_t words);

/*
 * A number that is another one when the grant is. A pool sees by it between two tasks whether
 * threads have to stop or may start, at the cost of some memory reads (2 ns). 0: nothing is
 * granted. MT-Safe; nothing is written. NULL is accepted.
 */
THREADCOUNT_EXPORT uint64_t threadcount_version(const threadcount_handle *handle);

/*
 * The pool has no tasks: its CPUs are lent to others until threadcount_cpus() is called again. Does
 * nothing while a thread of the process is inside of a region (threadcount_region_begin()), or
 * nothing is granted. MT-Safe. Cost: some words of shared memory.
 */
THREADCOUNT_EXPORT void threadcount_idle(threadcount_handle *handle);

/*
 * The work of the lanes of a thread pool since its start; a lane is a thread that runs tasks.
 * Initialise with THREADCOUNT_POOL_TOTALS_INIT, then set fields. A figure that a pool does not
 * count is 0.
 */
typedef struct threadcount_pool_totals {
        size_t size;
        uint64_t lanes;    /* there are now, or may be one day                               */
        uint64_t active;   /* of these, may run tasks now; 0 .. lanes                        */
        uint64_t executed; /* tasks; this and the rest never become less                     */
        uint64_t stolen;   /* of these, taken from another lane                              */
        uint64_t parked;   /* times that a lane went to sleep                                */
        uint64_t woken;    /* times that one was woken                                       */
} threadcount_pool_totals;

/* clang-format off */
#define THREADCOUNT_POOL_TOTALS_INIT { sizeof(threadcount_pool_totals), 0, 0, 0, 0, 0, 0 }
/* clang-format on */

/*
 * For thread pools: what governorctl shows of their lanes. `now` is what holds now. `told` is the
 * memory of this one pool. It is THREADCOUNT_POOL_TOTALS_INIT at its start, left alone by the pool
 * from then on, and written here. Several pools of one process add up, whichever handles they use.
 * Report every 100 ms or so while tasks run, when there are none any more, and with lanes and
 * active 0 when the pool ends. Its work counts as long as the program lives. A child of fork() that
 * has pools of its own begins with a `told` of its own.
 *
 * Nothing is decided by it. It is kept where nothing is granted, and told by the next report to the
 * governor that is there then. A governor that comes later is told by reports of a handle that also
 * asks for threads. MT-Safe, but one thread at a time with the same `told`. Cost: some
 * 100 ns, no system call.
 *
 * Returns 0, also for a NULL handle, which reports nothing; -EINVAL: `now` or `told` is NULL, or
 * its size is not set.
 */
THREADCOUNT_EXPORT int threadcount_pool_report(threadcount_handle *handle,
                                               const threadcount_pool_totals *now,
                                               threadcount_pool_totals *told);

/*
 * The program has done `done` of `total` units of its work, whatever they are: steps, rows, bytes.
 * The one of several batch programs in turn that will be ready first comes first. Without this the
 * governor cannot tell which that is. Say it before the first region, then as often as there is
 * something new, or every tenth of a second. Count all that is to be done until the program ends: a
 * program that goes back is treated as if nothing had been said. A `done` above `total` counts as
 * `total`. A `total` of 0 says that nothing is known until more is said.
 *
 * It is the process's, whichever handle it is said by. A governor that comes later is told, too: by
 * the handle that asks it, within half a second. NULL is accepted; it goes nowhere then. MT-Safe.
 * Cost: a few stores, no system call.
 */
THREADCOUNT_EXPORT void threadcount_progress(threadcount_handle *handle, uint64_t done,
                                             uint64_t total);

/*
 * The largest number that threadcount_threads() will ever return for this handle,
 * >= 1 and constant: size buffers by it. It is options.max_threads (or the fallback),
 * lowered by THREADCOUNT_MAX. MT-Safe, no system call. NULL is accepted and answers the
 * fallback of the moment, at the cost of reading affinity and cgroups.
 */
THREADCOUNT_EXPORT uint32_t threadcount_max(const threadcount_handle *handle);

/*
 * The same before THREADCOUNT_MAX: what the program would use if the library were not
 * there. For adapters, which have nothing to do while the answer is this one.
 */
THREADCOUNT_EXPORT uint32_t threadcount_ungoverned(const threadcount_handle *handle);

/*
 * The program wants up to `max` threads from now on, 1 .. 65536: more or less than it said when it
 * opened the handle. This is what the governor grants at most; THREADCOUNT_MAX wins. No answer
 * exceeds threadcount_max() all the same, which stays as it is. Larger numbers matter to programs
 * that choose their teams themselves (threadcount_region_enter()). It is told at once, or by a
 * later call where a thread is talking to the governor or the last change was within half a second.
 * More than the program had may be granted 10 s later.
 *
 * MT-Safe; does not wait. Cost: a few system calls where the number changes. Returns 0, also for a
 * NULL handle and where nothing is granted; -EINVAL: `max` is out of range.
 */
THREADCOUNT_EXPORT int threadcount_wish(threadcount_handle *handle, uint32_t max);

/*
 * Does the user want threads that a smaller team no longer needs to be ended
 * (THREADCOUNT_SHRINK=release)? For adapters. 0 or 1; NULL: 0. MT-Safe, no system call.
 */
THREADCOUNT_EXPORT int threadcount_releases(const threadcount_handle *handle);

/*
 * May the program be made to wait for its turn: is it of class batch, by THREADCOUNT_CLASS, or
 * keeps its count, by THREADCOUNT=keep? For adapters, whose threads had better sleep soon then. 0
 * or 1; NULL: 0. MT-Safe, no system call.
 */
THREADCOUNT_EXPORT int threadcount_takes_turns(const threadcount_handle *handle);

/*
 * Asks the governor one question now, whatever the interval: how many threads
 * should a program use that uses `current` now (0: none yet)? Does not change what
 * threadcount_threads() answers. Waits at most 1 s for a governor that has only just
 * started and is still measuring, else at most 250 ms. MT-Safe.
 *
 * Returns 0 with ret_advice->threads >= 1. Without an answer it is still written (source FALLBACK,
 * threads = threadcount_max()) and the result says why:
 *
 * - -ENOENT, -ECONNREFUSED: no governor there.
 * - -EACCES: the socket is not permitted.
 * - -EPERM: it belongs to a user that is not believed.
 * - -ETIMEDOUT: it does not answer.
 * - -EPROTO: it is not a governor, or refuses the question.
 * - -ECONNRESET: it ended the connection.
 * - -EDESTADDRREQ, -ENAMETOOLONG: the value that is set is no address.
 * - -ENOTCONN: the handle is of the parent of a forked child.
 * - the errors of socket() and connect() (-EMFILE, -ENETUNREACH, ...).
 * - -EINVAL: a NULL argument, `current` above 65536, or ret_advice->size not set; then nothing is
 *   written.
 */
THREADCOUNT_EXPORT int threadcount_advise(threadcount_handle *handle, uint32_t current,
                                          threadcount_advice *ret_advice);

/*
 * Says in one English sentence why threadcount_threads() answers what it does.
 * Writes at most `size` bytes with the terminating NUL; `buffer` may be NULL if
 * `size` is 0. Returns the length of the whole sentence, as snprintf() does.
 * MT-Safe, no I/O; NULL handle is accepted.
 */
THREADCOUNT_EXPORT size_t threadcount_reason(const threadcount_handle *handle, char *buffer,
                                             size_t size);

/*
 * Closes the handle; the lease ends with the last one. Accepts NULL, and leaves that of
 * threadcount_default() open, which other parts of the process may use. Always returns NULL, so
 * that `h = threadcount_close(h);` reads well.
 */
THREADCOUNT_EXPORT threadcount_handle *threadcount_close(threadcount_handle *handle);

/*
 * The handle that all parts of one process share. The first call opens it with
 * `options`; later ones return the same handle and ignore `options`. In a forked
 * child the first call opens a new one. Never closed. MT-Safe.
 *
 * Returns 0 or the error of threadcount_open(). `ret_handle` may be NULL.
 */
THREADCOUNT_EXPORT int threadcount_open_default(const threadcount_options *options,
                                                threadcount_handle **ret_handle);

/* The process's handle, or NULL before threadcount_open_default(). MT-Safe. */
THREADCOUNT_EXPORT threadcount_handle *threadcount_default(void);

/*
 * One stop watch for the process, on CLOCK_MONOTONIC, for <threadcount/timing.h>. Start and stop it
 * from one thread at a time. stop returns the nanoseconds since the last start (0 if not started).
 * The total is the sum of all that stop returned.
 *
 * A thread that stops it for the first time behind threadcount_share() with the process's handle
 * tells the governor that a region has ended, and the time since the one before: so with what the
 * thread did between the two. It tells nothing of its first region, nor of one behind a wait for
 * the program's turn. That is how the governor learns what CPUs are worth to a batch program. It
 * does not say that the program is outside of regions: threadcount_region_end() does. Behind
 * threadcount_region_begin() it tells nothing.
 */
THREADCOUNT_EXPORT void threadcount_timer_start(void);
THREADCOUNT_EXPORT uint64_t threadcount_timer_stop(void);
THREADCOUNT_EXPORT uint64_t threadcount_timer_total_ns(void);

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_THREADCOUNT_H */
