/* SPDX-License-Identifier: MIT */
/*
 * descriptors closes all descriptors that it does not know, uses their numbers, and looks whether
 * somebody has touched what is there then. descriptors few: has none to spare. Prints what it
 * finds.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int team(void) {
        int threads = 0;
#pragma omp parallel reduction(+ : threads)
        threads += 1;
        return threads;
}

static void take_all(void) {
        const struct rlimit few = {5, 5};
        (void)setrlimit(RLIMIT_NOFILE, &few);
        while (dup(0) >= 0) {
        }
}

int main(int argc, char** argv) {
        int pair[2];
        char text[16] = "";
        if (argc > 1 && strcmp(argv[1], "few") == 0)
                take_all();
        else
                (void)team();
        if (argc > 1) {
                for (int i = 0; i < 50; i++)
                        (void)team();
                printf("team %d\n", team());
                return 0;
        }
        for (int fd = 3; fd < 64; fd++)
                (void)close(fd);
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 || write(pair[1], "private", 7) != 7)
                return 2;
        for (int fd = 5; fd < 20; fd++)
                (void)dup2(pair[0], fd);
        for (int i = 0; i < 300; i++) {
                (void)team();
                usleep(5000);
        }
        int open = 0;
        for (int fd = 3; fd < 20; fd++)
                open += dup2(fd, fd) == fd;
        printf("team %d, open %d, ", team(), open);
        printf("read %zd", recv(pair[0], text, sizeof(text) - 1, MSG_DONTWAIT));
        printf(" %s\n", text);
        return 0;
}
