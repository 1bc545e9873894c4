/* SPDX-License-Identifier: MIT */
/*
 * Honest programs whose results hang on the size of their teams. teams CASE REGIONS: prints how
 * many regions were right, and which teams there were.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, N = 12000 };

static int kept;
#pragma omp threadprivate(kept)

static long part[MOST];

/* The part of a thread, where `teams` of them were counted on. */
static void add_part(int teams) {
        const int id = omp_get_thread_num();
        part[id] = 0;
        for (long i = N * (long)id / teams; i < N * (long)(id + 1) / teams; i++)
                part[id] += i & 7;
}

static long sum(int teams) {
        long all = 0;
        for (int i = 0; i < teams; i++)
                all += part[i];
        return all;
}

static int right(long all) { return all == N / 8 * 28; }

static int told_at_start;

/* Counts once, by omp_get_max_threads(), and partitions by that. */
static int by_max(int region) {
        (void)region;
#pragma omp parallel
        add_part(told_at_start);
        return right(sum(told_at_start));
}

static int by_asking_each_time(int region) {
        const int teams = omp_get_max_threads();
        (void)region;
#pragma omp parallel
        add_part(teams);
        return right(sum(teams));
}

static int by_clause(int region) {
        const int teams = region % 5 + 1;
#pragma omp parallel num_threads(teams)
        add_part(teams);
        return right(sum(teams));
}

static int by_setting(int region) {
        const int teams = region % 4 + 1;
        omp_set_num_threads(teams);
#pragma omp parallel
        add_part(teams);
        return right(sum(teams));
}

static int by_first_region(int region) {
        static int teams;
        if (region == 0) {
#pragma omp parallel
#pragma omp single
                teams = omp_get_num_threads();
        }
#pragma omp parallel
        add_part(teams);
        return right(sum(teams));
}

static int by_threadprivate(int region) {
        int wrong = 0;
        if (region == 0) {
#pragma omp parallel
                kept = omp_get_thread_num() + 100;
        }
#pragma omp parallel reduction(+ : wrong)
        wrong += kept != omp_get_thread_num() + 100;
        return wrong == 0;
}

/* Outer and inner teams, a serial outer one, and three levels. */
static int by_nesting(int region) {
        int inner = 0;
        omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) if (region % 3 != 0) reduction(+ : inner)
        {
#pragma omp parallel num_threads(2) reduction(+ : inner)
                {
#pragma omp parallel num_threads(1 + region % 2) reduction(+ : inner)
                        inner += 1;
                }
        }
        return inner == (region % 3 != 0 ? 2 : 1) * 2 * (1 + region % 2);
}

/* Each of these is another entry of libgomp. */
static int by_all_loops(int region) {
        long all[7] = {0};
        int sections = 0;
        omp_set_schedule(region % 2 != 0 ? omp_sched_dynamic : omp_sched_guided, 16);
#pragma omp parallel for schedule(static) reduction(+ : all[0])
        for (long i = 0; i < N; i++)
                all[0] += i & 7;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : all[1])
        for (long i = 0; i < N; i++)
                all[1] += i & 7;
#pragma omp parallel for schedule(guided) reduction(+ : all[2])
        for (long i = 0; i < N; i++)
                all[2] += i & 7;
#pragma omp parallel for schedule(runtime) reduction(+ : all[3])
        for (long i = 0; i < N; i++)
                all[3] += i & 7;
#pragma omp parallel for schedule(monotonic : dynamic, 64) reduction(+ : all[4])
        for (long i = 0; i < N; i++)
                all[4] += i & 7;
#pragma omp parallel for schedule(monotonic : runtime) reduction(+ : all[5])
        for (long i = 0; i < N; i++)
                all[5] += i & 7;
#pragma omp parallel reduction(task, + : all[6])
#pragma omp for
        for (long i = 0; i < N; i++)
                all[6] += i & 7;
#pragma omp parallel sections reduction(+ : sections)
        {
#pragma omp section
                sections += 1;
#pragma omp section
                sections += 10;
#pragma omp section
                sections += 100;
        }
        for (int i = 0; i < 7; i++)
                if (!right(all[i]))
                        return 0;
        return sections == 111;
}

static const struct {
        const char* name;
        int (*region)(int);
} cases[] = {
        {"max", by_max},        {"ask", by_asking_each_time}, {"clause", by_clause},
        {"set", by_setting},    {"first", by_first_region},   {"threadprivate", by_threadprivate},
        {"nested", by_nesting}, {"loops", by_all_loops},
};

int main(int argc, char** argv) {
        const int regions = argc > 2 ? atoi(argv[2]) : 0;
        int good = 0;
        told_at_start = omp_get_max_threads();
        for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
                if (argc > 2 && strcmp(argv[1], cases[i].name) == 0)
                        for (int region = 0; region < regions; region++)
                                good += cases[i].region(region);
        printf("%s: %d of %d, %d threads\n", argv[1], good, regions, omp_get_max_threads());
        return good == regions && regions > 0 ? 0 : 1;
}
