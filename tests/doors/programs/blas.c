/* SPDX-License-Identifier: MIT */
/*
 * blas LIBRARY REGIONS: multiplies matrices by an OpenBLAS whose threads are OpenMP's. It hangs
 * where a team is smaller than it was told. Prints a hash of all bits of the results.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 160, ROWS = 101, NO_TRANSPOSE = 111 };

typedef void gemm(int order, int a_as, int b_as, int m, int n, int k, double alpha, const double* a,
                  int lda, const double* b, int ldb, double beta, double* c, int ldc);

static double a[N * N];
static double b[N * N];
static double c[N * N];

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
        for (int region = 0; region < atoi(argv[2]); region++) {
                const uint64_t* bits = (const uint64_t*)c;
                multiply(ROWS, NO_TRANSPOSE, NO_TRANSPOSE, N, N, N, 1, a, N, b, N, 0.5, c, N);
                for (int i = 0; i < N * N; i++)
                        hash = (hash ^ bits[i]) * UINT64_C(0x100000001b3);
        }
        printf("%016llx, %d threads\n", (unsigned long long)hash, omp_get_max_threads());
        return 0;
}
