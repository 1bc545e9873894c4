/* SPDX-License-Identifier: MIT */
/* Tells threads that spin while they wait from those that sleep, by the CPU time of the process. */
#include <stdio.h>
#include <time.h>

static long used_us(void) {
        struct timespec now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Until the thread that waits 50 ms in `waits` sleeps, or spins. Says so. */
static void until(int (*waits)(void), int sleeps) {
        long used;
        do {
                used = used_us();
                (void)waits();
        } while ((used_us() - used < 8000) != sleeps);
        puts(sleeps ? "sleeps" : "spins");
        fflush(stdout);
}
