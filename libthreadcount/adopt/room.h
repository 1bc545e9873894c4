/* SPDX-License-Identifier: MIT */
/*
 * room.h - the CPUs that the threads of this process may use. Others may change them at any time.
 *
 * MT-Safe, and errno stays as it is.
 */
#ifndef THREADCOUNT_ADOPT_ROOM_H
#define THREADCOUNT_ADOPT_ROOM_H

#include <stdbool.h>

/* The CPUs that the calling thread may use; 0: it cannot be told. A system call. */
unsigned cpus_now(void);

/*
 * The calling thread is about to begin a region of `team` threads, >= 2. Are these more than the
 * CPUs that the process may use? False where it cannot be told, and at the first region of the
 * thread: its team is not there yet. The CPUs are those of all threads together, so threads that
 * bind themselves to one CPU each have room.
 *
 * The answer is as old as a tick of the kernel's clock, or 0.1 s where it depends on threads other
 * than the calling one. Cost: some 10 ns, a system call for each tick, and a look at all threads in
 * 0.1 s where the calling one has too few CPUs.
 */
bool lacks_cpus(unsigned team);

/*
 * True once for each thread: it has asked that for long enough, again and again within 0.25 s. A
 * program with few long regions does not: it would not see in time that it lacks CPUs.
 */
bool has_become_regular(void);

#endif
