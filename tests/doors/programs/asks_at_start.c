/* SPDX-License-Identifier: MIT */
/*
 * A program that splits its work by a number of threads that a library has learnt before main().
 * With LIBRARY defined it is that library, with which it is linked. Prints the number, and whether
 * the result was right. With SETS=n in its environment the library sets the number instead.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

extern int number_at_start;

#ifdef LIBRARY

int number_at_start;

__attribute__((constructor)) static void construct(void) {
        const char* sets = getenv("SETS");
        if (sets != NULL)
                omp_set_num_threads(number_at_start = atoi(sets));
        else
                number_at_start = omp_get_max_threads();
}

#else

enum { N = 12000 };

int main(void) {
        const int teams = number_at_start;
        long all = 0;
#pragma omp parallel reduction(+ : all)
        {
                const long id = omp_get_thread_num();
                for (long i = N * id / teams; i < N * (id + 1) / teams; i++)
                        all += i & 7;
        }
        printf("%d: %s\n", teams, all == N / 8 * 28 ? "right" : "wrong");
        return 0;
}

#endif
