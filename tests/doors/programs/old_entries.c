/* SPDX-License-Identifier: MIT */
/* What gcc before 4.9 makes of regions: the caller runs its part itself. Prints sums and teams. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*function)(void*), void* data, unsigned num_threads);
void GOMP_parallel_loop_static_start(void (*function)(void*), void* data, unsigned num_threads,
                                     long start, long stop, long step, long chunk);
void GOMP_parallel_loop_dynamic_start(void (*function)(void*), void* data, unsigned num_threads,
                                      long start, long stop, long step, long chunk);
void GOMP_parallel_loop_guided_start(void (*function)(void*), void* data, unsigned num_threads,
                                     long start, long stop, long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*function)(void*), void* data, unsigned num_threads,
                                      long start, long stop, long step);
void GOMP_parallel_sections_start(void (*function)(void*), void* data, unsigned num_threads,
                                  unsigned count);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long* start, long* stop);
bool GOMP_loop_dynamic_next(long* start, long* stop);
bool GOMP_loop_guided_next(long* start, long* stop);
bool GOMP_loop_runtime_next(long* start, long* stop);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static void count(void* data) { __atomic_fetch_add((long*)data, 1, __ATOMIC_RELAXED); }

/* A region inside of a region, begun and ended in the same way. */
static void nest(void* data) {
        GOMP_parallel_start(count, data, 2);
        count(data);
        GOMP_parallel_end();
}

#define LOOP(kind)                                                                                 \
        static void kind##_part(void* data) {                                                      \
                long start;                                                                        \
                long stop;                                                                         \
                while (GOMP_loop_##kind##_next(&start, &stop))                                     \
                        for (long i = start; i < stop; i++)                                        \
                                __atomic_fetch_add((long*)data, i, __ATOMIC_RELAXED);              \
                GOMP_loop_end_nowait();                                                            \
        }
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(runtime)

static void section(void* data) {
        for (unsigned i = GOMP_sections_next(); i != 0; i = GOMP_sections_next())
                __atomic_fetch_add((long*)data, i, __ATOMIC_RELAXED);
        GOMP_sections_end_nowait();
}

int main(void) {
        omp_set_max_active_levels(2);
        for (unsigned region = 0; region < 100; region++) {
                long sums[7] = {0};
                GOMP_parallel_start(count, &sums[0], region % 4);
                count(&sums[0]);
                GOMP_parallel_end();
                GOMP_parallel_loop_static_start(static_part, &sums[1], 0, 0, 1000, 1, 0);
                static_part(&sums[1]);
                GOMP_parallel_end();
                GOMP_parallel_loop_dynamic_start(dynamic_part, &sums[2], 0, 0, 1000, 1, 10);
                dynamic_part(&sums[2]);
                GOMP_parallel_end();
                GOMP_parallel_loop_guided_start(guided_part, &sums[3], 0, 0, 1000, 1, 10);
                guided_part(&sums[3]);
                GOMP_parallel_end();
                GOMP_parallel_loop_runtime_start(runtime_part, &sums[4], 0, 0, 1000, 1);
                runtime_part(&sums[4]);
                GOMP_parallel_end();
                GOMP_parallel_sections_start(section, &sums[5], 0, 4);
                section(&sums[5]);
                GOMP_parallel_end();
                GOMP_parallel_start(nest, &sums[6], 3);
                nest(&sums[6]);
                GOMP_parallel_end();
                for (int i = 0; i < 7; i++)
                        printf("%ld ", sums[i]);
                printf("level %d\n", omp_get_level());
        }
        return 0;
}
