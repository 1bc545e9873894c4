/* SPDX-License-Identifier: MIT */
/*
 * blas LIBRARY REGIONS [MILLISECONDS]: multiplies matrices by an OpenBLAS whose threads are
 * OpenMP's. It hangs where a team is smaller than it was told. Prints a hash of all bits of the
 * results. With a time, which is the least that it takes, it prints whether they were right but for
 * what rounding does. It also prints which numbers of threads the library had then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 160, ROWS = 101, NO_TRANSPOSE = 111 };

typedef void gemm(int order, int a_as, int b_as, int m, int n, int k, double alpha, const double* a,
                  int lda, const double* b, int ldb, double beta, double* c, int ldc);

static double a[N * N];
static double b[N * N];
static double c[N * N];

static double expected[N * N];

static double now_ms(void) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void multiply_plainly(void) {
        for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                        for (int k = 0; k < N; k++)
                                expected[i * N + j] += a[i * N + k] * b[k * N + j];
}

/* The last bits may change where the number of threads may. */
static int follow(gemm* multiply, int (*get_threads)(void), int regions, double end_ms) {
        unsigned long long seen = 0;
        int wrong = 0;
        if (get_threads == NULL)
                return 2;
        multiply_plainly();
        for (int region = 0; region < regions || now_ms() < end_ms; region++) {
                multiply(ROWS, NO_TRANSPOSE, NO_TRANSPOSE, N, N, N, 1, a, N, b, N, 0, c, N);
                seen |= 1ULL << get_threads();
                for (int i = 0; i < N * N; i++)
                        wrong += !(fabs(c[i] - expected[i]) <= 1e-12 * expected[i]);
        }
        printf("%s, teams", wrong == 0 ? "right" : "wrong");
        for (int team = 1; team < 64; team++)
                if ((seen >> team & 1) != 0)
                        printf(" %d", team);
        printf("\n");
        return 0;
}

int main(int argc, char** argv) {
        uint64_t hash = 0;
        gemm* multiply = NULL;
        void* library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
        if (library != NULL)
                *(void**)&multiply = dlsym(library, "cblas_dgemm");
        if (multiply == NULL)
                return 2;
        for (int i = 0; i < N * N; i++) {
                a[i] = 1.0 / (1 + i % 97);
                b[i] = 1.0 / (1 + i % 89);
        }
        if (argc > 3) {
                int (*get_threads)(void) = NULL;
                *(void**)&get_threads = dlsym(library, "openblas_get_num_threads");
                return follow(multiply, get_threads, atoi(argv[2]), now_ms() + atof(argv[3]));
        }
        for (int region = 0; region < atoi(argv[2]); region++) {
                const uint64_t* bits = (const uint64_t*)c;
                multiply(ROWS, NO_TRANSPOSE, NO_TRANSPOSE, N, N, N, 1, a, N, b, N, 0.5, c, N);
                for (int i = 0; i < N * N; i++)
                        hash = (hash ^ bits[i]) * UINT64_C(0x100000001b3);
        }
        printf("%016llx, %d threads\n", (unsigned long long)hash, omp_get_max_threads());
        return 0;
}
