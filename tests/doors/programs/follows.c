/* SPDX-License-Identifier: MIT */
/* A program that follows the governor by itself: its regions are its own matter. Prints teams. */
#include <omp.h>
#include <stdio.h>
#include <threadcount/threadcount.h>

int main(void) {
        threadcount_handle* handle = NULL;
        int team = 0;
        if (threadcount_open_default(NULL, &handle) < 0)
                return 2;
        for (int i = 0; i < 100; i++) {
                team = 0;
#pragma omp parallel reduction(+ : team)
                team += 1;
        }
        printf("team %d\n", team);
        return 0;
}
