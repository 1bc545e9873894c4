/* SPDX-License-Identifier: MIT */
/*
 * cancelled asks|begins: a thread holds a mutex while it asks for its number of threads, or begins
 * a region. It is cancelled meanwhile, once SIGUSR1 has come. Prints whether the mutex is free when
 * the thread has ended: neither is a place at which OpenMP lets a thread end.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void begin(void) {
#pragma omp parallel reduction(+ : sum)
        sum += 1;
}

static void* hold(void* asks) {
        (void)pthread_mutex_lock(&mutex);
        if (asks != NULL)
                sum = omp_get_max_threads();
        else
                begin();
        (void)pthread_mutex_unlock(&mutex);
        pthread_testcancel();
        return NULL;
}

int main(int argc, char** argv) {
        pthread_t thread;
        sigset_t signals;
        void* result = NULL;
        int number = 0;
        (void)sigemptyset(&signals);
        (void)sigaddset(&signals, SIGUSR1);
        (void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
        if (argc != 2 ||
            pthread_create(&thread, NULL, hold, strcmp(argv[1], "asks") == 0 ? argv : NULL) != 0)
                return 2;
        (void)sigwait(&signals, &number);
        (void)pthread_cancel(thread);
        (void)pthread_join(thread, &result);
        printf("%s, %s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled",
               pthread_mutex_trylock(&mutex) == 0 ? "free" : "locked");
        return 0;
}
