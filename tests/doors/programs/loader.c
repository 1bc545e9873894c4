/* SPDX-License-Identifier: MIT */
/*
 * loader REGIONS LIBRARY...: loads libraries whose runtimes only they see, and prints the teams of
 * their regions, in turn; with OpenMP also of its own. A library's settings must not matter to
 * another one that has a runtime of its own.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST = 8 };

int main(int argc, char** argv) {
        int (*teams[MOST])(int);
        int (*asks[MOST])(void);
        int count = 0;
        for (int i = 2; i < argc && count < MOST; i++) {
                void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
                if (library == NULL) {
                        printf("%s\n", dlerror());
                        return 2;
                }
                *(void**)&asks[count] = dlsym(library, "library_max");
                *(void**)&teams[count++] = dlsym(library, "library_team");
        }
        for (int i = 0; i < count; i++)
                printf("library %d: at first %d\n", i, teams[i](0));
        for (int i = 0; i < count; i++)
                if (asks[i] != NULL)
                        printf("library %d: answered %d\n", i, asks[i]());
        for (int i = 0; i < count; i++)
                printf("library %d: set %d\n", i, teams[i](i + 2));
#ifdef _OPENMP
        omp_set_num_threads(count + 2);
#endif
        for (int region = 0; region < atoi(argv[1]); region++) {
#ifdef _OPENMP
                int own = 0;
#pragma omp parallel reduction(+ : own)
                own += 1;
                printf("own: %d\n", own);
#endif
                for (int i = 0; i < count; i++)
                        printf("library %d: %d\n", i, teams[i](0));
        }
        return 0;
}
