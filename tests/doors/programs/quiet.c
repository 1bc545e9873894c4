/* SPDX-License-Identifier: MIT */
/*
 * The state that a program may look at around its regions: errno, dlerror(), signal handlers and
 * masks, and the state of cancellation. Prints what has changed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void look_at_signals(unsigned char* ret_handlers) {
        for (int number = 1; number < 65; number++) {
                struct sigaction action;
                ret_handlers[number] =
                        sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
        }
}

int main(void) {
        unsigned char before[65] = {0};
        unsigned char after[65] = {0};
        sigset_t mask;
        sigset_t mask_after;
        int state = -1;
        int errors = 0;
        memset(&mask, 0, sizeof(mask)); /* of which the kernel and libc write a part */
        memset(&mask_after, 0, sizeof(mask_after));
        look_at_signals(before);
        (void)sigprocmask(SIG_BLOCK, NULL, &mask);
        for (int i = 0; i < 2000; i++) {
                int inside = 0;
                errno = 77;
#pragma omp parallel reduction(+ : inside)
                {
#pragma omp master
                        inside += errno != 77;
                }
                errors += inside + (errno != 77);
        }
        look_at_signals(after);
        (void)sigprocmask(SIG_BLOCK, NULL, &mask_after);
        (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
        printf("errno %d, signals %d, mask %d, cancel %d, dlerror %s\n", errors,
               memcmp(before, after, sizeof(before)), memcmp(&mask, &mask_after, sizeof(mask)),
               state, dlerror());
        return 0;
}
