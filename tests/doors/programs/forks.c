/* SPDX-License-Identifier: MIT */
/* forks before|between|inside: where a program forks, and what its child does. Prints teams. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int team(void) {
        int threads = 0;
#pragma omp parallel reduction(+ : threads)
        threads += 1;
        return threads;
}

static int ended(pid_t child) {
        int status = -1;
        (void)waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Its regions, and then a while, so that somebody may see it. */
static pid_t child_of_regions(int regions) {
        const pid_t child = fork();
        if (child != 0)
                return child;
        int threads = 0;
        alarm(20);
        for (int i = 0; i < regions; i++)
                threads = team();
        _exit(threads);
}

static int inside(void) {
        int status = -1;
#pragma omp parallel
#pragma omp single
        {
                const pid_t child = fork();
                if (child == 0)
                        _exit(3);
                status = ended(child);
        }
        return status;
}

int main(int argc, char** argv) {
        const char* where = argc > 1 ? argv[1] : "";
        if (strcmp(where, "before") == 0) {
                const pid_t child = child_of_regions(20);
                for (int i = 0; i < 20; i++)
                        (void)team();
                printf("child %d\n", ended(child));
        } else if (strcmp(where, "between") == 0) {
                printf("before %d\n", team());
                printf("child %d\n", ended(child_of_regions(20)));
        } else if (strcmp(where, "inside") == 0) {
                for (int i = 0; i < 20; i++)
                        printf("child %d\n", inside());
        }
        printf("after %d\n", team());
        return 0;
}
