/* SPDX-License-Identifier: MIT */
/*
 * Honest programs that split their work by a number of threads that they have learnt, in as many
 * ways as there are. counts CASE MILLISECONDS prints whether all of their results were right, and
 * which teams there were. Built with KEEPS, it has data in threads as well.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, N = 12000 };

#ifdef KEEPS
int kept;
#pragma omp threadprivate(kept)
#endif

static long part[MOST];
static int count;
static long rounds;
static unsigned long long seen; /* bit n: a team of n threads */

static void add_part(int teams) {
        const int id = omp_get_thread_num();
        if (id >= MOST)
                return;
        if (id == 0)
                seen |= 1ULL << omp_get_num_threads();
#ifdef KEEPS
        kept++;
#endif
        part[id] = 0;
        for (long i = N * (long)id / teams; i < N * (long)(id + 1) / teams; i++)
                part[id] += i & 7;
}

static int is_right(int teams) {
        long all = 0;
        for (int i = 0; i < teams; i++) {
                all += part[i];
                part[i] = -1;
        }
        return all == N / 8 * 28;
}

static int split_by(int teams) {
#pragma omp parallel
        add_part(teams);
        return is_right(teams);
}

static int by_asking_each_time(void) { return split_by(omp_get_max_threads()); }

static int by_asking_once(void) {
        if (count == 0)
                count = omp_get_max_threads();
        return split_by(count);
}

/* Asks now and then, and its regions in between rely on that. */
static int by_asking_rarely(void) {
        if (rounds % 7 == 0)
                count = omp_get_max_threads();
        return split_by(count);
}

static int by_setting_once(void) {
        if (count == 0)
                omp_set_num_threads(count = 2);
        return split_by(count);
}

static int by_setting_each_time(void) {
        count = (int)(rounds % 3) + 1;
        omp_set_num_threads(count);
        return split_by(count);
}

/* As OpenBLAS. */
static int by_an_echo(void) {
        count = omp_get_max_threads();
        omp_set_num_threads(count);
        return split_by(count);
}

static int by_setting_after_asking(void) {
        if (count == 0) {
                count = omp_get_max_threads() + 1;
                omp_set_num_threads(count);
        }
        return omp_get_max_threads() == count && split_by(count);
}

static int by_clause(void) {
        count = (int)(rounds % 3) + 1;
#pragma omp parallel num_threads(count)
        add_part(count);
        return is_right(count);
}

/* Counts nothing: each region has what it has. */
static int by_itself(void) {
        long all = 0;
#pragma omp parallel reduction(+ : all)
        {
                if (omp_get_thread_num() == 0)
                        seen |= 1ULL << omp_get_num_threads();
#pragma omp for
                for (long i = 0; i < N; i++)
                        all += i & 7;
        }
        return all == N / 8 * 28;
}

/* The number of a region, learnt in it, holds in it, and so does that of an inner one. */
static int by_asking_inside(void) {
        int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
        {
                if (omp_get_thread_num() == 0)
                        seen |= 1ULL << omp_get_num_threads();
                wrong += omp_get_max_threads() != omp_get_num_threads();
                int inner = 0;
                omp_set_num_threads(2);
#pragma omp parallel reduction(+ : inner)
                inner += 1;
                wrong += inner != 2;
#pragma omp parallel num_threads(3) reduction(+ : inner)
                inner += 1;
                wrong += inner != 5;
        }
        return wrong == 0;
}

/* It may stay outside of regions for long then. */
static int by_asking_only(void) { return omp_get_max_threads() > 0; }

/* A thread that has asked for nothing. It has the number of all others. */
static sem_t begins;
static sem_t ends;
static int is_right_there;

static void* split_there(void* goes_on) {
        do {
                (void)sem_wait(&begins);
                is_right_there = split_by(count);
                (void)sem_post(&ends);
        } while (goes_on != NULL);
        return NULL;
}

static int let_split(int is_new, int goes_on) {
        pthread_t thread;
        if (is_new && (pthread_create(&thread, NULL, split_there, goes_on ? &count : NULL) != 0 ||
                       pthread_detach(thread) != 0))
                return 0;
        (void)sem_post(&begins);
        (void)sem_wait(&ends);
        return is_right_there;
}

static int by_asking_in_another_thread(void) {
        if (count == 0)
                count = omp_get_max_threads();
        return let_split(rounds == 0, 1);
}

static int by_asking_each_time_in_another_thread(void) {
        count = omp_get_max_threads();
        return let_split(rounds == 0, 1);
}

static int by_asking_before_other_threads(void) {
        if (count == 0)
                count = omp_get_max_threads();
        return let_split(1, 0);
}

/* Nobody can see this from outside: a team that is counted in one region, and relied on in others.
 */
static int by_first_region(void) {
        if (count == 0) {
#pragma omp parallel
#pragma omp single
                count = omp_get_num_threads();
        }
        return split_by(count);
}

static const struct {
        const char* name;
        int (*region)(void);
} cases[] = {
        {"ask", by_asking_each_time},
        {"once", by_asking_once},
        {"rarely", by_asking_rarely},
        {"set-once", by_setting_once},
        {"set", by_setting_each_time},
        {"echo", by_an_echo},
        {"ask-and-set", by_setting_after_asking},
        {"clause", by_clause},
        {"nothing", by_itself},
        {"inside", by_asking_inside},
        {"only-ask", by_asking_only},
        {"first-region", by_first_region},
        {"elsewhere", by_asking_in_another_thread},
        {"ask-elsewhere", by_asking_each_time_in_another_thread},
        {"new-threads", by_asking_before_other_threads},
};

static double now_ms(void) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char** argv) {
        const double end_ms = now_ms() + (argc > 2 ? atof(argv[2]) : 0);
        long wrong = 0;
        omp_set_max_active_levels(2);
        (void)sem_init(&begins, 0, 0);
        (void)sem_init(&ends, 0, 0);
        for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                if (argc > 2 && strcmp(argv[1], cases[i].name) == 0)
                        for (; rounds < 60 || now_ms() < end_ms; rounds++)
                                wrong += !cases[i].region();
        printf("%s, teams", wrong == 0 && rounds > 0 ? "right" : "wrong");
        for (int team = 1; team < MOST; team++)
                if ((seen >> team & 1) != 0)
                        printf(" %d", team);
        printf("\n");
        return 0;
}
