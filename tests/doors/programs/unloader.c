/* SPDX-License-Identifier: MIT */
/*
 * unloader ROUNDS LIBRARY...: loads and unloads libraries in turn, each with a runtime of its own,
 * and prints the sum of the thread numbers of a region. Fails where they never share an address.
 * The runtimes stay: their threads go on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void keep(const void* symbol) {
        Dl_info info;
        if (dladdr(symbol, &info) != 0)
                (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

int main(int argc, char** argv) {
        int reused = 0;
        const void* last = NULL;
        for (int i = 0; i < atoi(argv[1]); i++) {
                void* library = dlopen(argv[2 + i % (argc - 2)], RTLD_NOW | RTLD_LOCAL);
                if (library == NULL) {
                        printf("%s\n", dlerror());
                        return 2;
                }
                keep(dlsym(library, "omp_get_level"));
                int (*numbers)(void);
                *(void**)&numbers = dlsym(library, "library_numbers");
                const void* place = *(void**)&numbers;
                reused += place == last;
                last = place;
                printf("%d\n", numbers());
                if (dlclose(library) != 0)
                        return 3;
        }
        return reused > 0 ? 0 : 4;
}
