/* SPDX-License-Identifier: MIT */
/*
 * waits_for_main LIBRARY: a thread loads the library, whose constructor waits until the first
 * thread has begun regions. With LIBRARY defined it is that library.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#ifdef LIBRARY

extern atomic_int constructs;
extern atomic_int has_begun;

__attribute__((constructor)) static void construct(void) {
        constructs = 1;
        while (!has_begun)
                usleep(1000);
}

#else

atomic_int constructs;
atomic_int has_begun;

static void* load(void* path) { return dlopen(path, RTLD_NOW); }

int main(int argc, char** argv) {
        pthread_t thread;
        void* library = NULL;
        int sum = 0;
        if (argc != 2 || pthread_create(&thread, NULL, load, argv[1]) != 0)
                return 2;
        while (!constructs)
                usleep(1000);
        for (int i = 0; i < 50; i++) {
#pragma omp parallel reduction(+ : sum)
                sum += 1;
        }
        has_begun = 1;
        (void)pthread_join(thread, &library);
        printf("%d, %s\n", sum, library != NULL ? "loaded" : dlerror());
        return 0;
}

#endif
