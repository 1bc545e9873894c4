/* SPDX-License-Identifier: MIT */
/* A program of another kind: without OpenMP, static, of another libc, or with more privileges. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
        printf("hello of %d\n", getuid() == geteuid());
        return 0;
}
