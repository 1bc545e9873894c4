// SPDX-License-Identifier: MIT
// Computes in one parallel region after the other, as OpenMP programs do: between two of them its
// threads wait for each other.
#include <stdio.h>
#include <stdlib.h>

enum { kParts = 64 };

static double part(long number, long steps) {
        double x = 1.0 + (double)number * 1e-9;
        for (long i = 0; i < steps; i++)
                x += 1.0 / (x * x + 1.0);
        return x;
}

int main(int argc, char** argv) {
        const long regions = argc > 1 && argc < 4 ? strtol(argv[1], NULL, 10) : 0;
        const long steps = argc == 3 ? strtol(argv[2], NULL, 10) : 12000; /* of each part */
        if (regions < 1 || steps < 1) {
                fprintf(stderr, "usage: count REGIONS [STEPS]\n");
                return 2;
        }
        double total = 0.0;
        for (long region = 0; region < regions; region++) {
                double of_region = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : of_region)
                for (int i = 0; i < kParts; i++)
                        of_region += part(region * kParts + i, steps);
                total += of_region;
        }
        printf("%.6g\n", total);
        return 0;
}
