/* SPDX-License-Identifier: MIT */
/*
 * dozes_in_library LIBRARY: prints "spins" and "sleeps" when its regions begin to do so. Then its
 * runtime, which nobody else has, is unloaded with it.
 */
#include "dozes.h"

#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char** argv) {
        void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
        int (*waits)(void) = NULL;
        if (library == NULL)
                return 2;
        *(void**)&waits = dlsym(library, "library_waits");
        until(waits, 0);
        until(waits, 1);
        dlclose(library);
        usleep(1000000);
        return 0;
}
