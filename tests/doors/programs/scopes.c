/* SPDX-License-Identifier: MIT */
/*
 * scopes STEPS LIBRARY OTHER UNRELATED [AROUND]: loads libraries in an order that tells which
 * runtime a library is bound to, and prints what it counts. Steps, a letter each:
 *
 *   l, z  loads LIBRARY, which only it sees itself (z: and binds it where it calls)
 *   o, g  loads OTHER, which only it sees itself, or all that are loaded later
 *   a     loads AROUND, which needs LIBRARY
 *   u     loads and unloads UNRELATED
 *   r, t  a region of LIBRARY in the first thread, or in a new one
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char** names;
static void* library;

static void* load(const char* name, int mode) {
        void* handle = dlopen(name, mode);
        if (handle == NULL) {
                printf("%s\n", dlerror());
                exit(2);
        }
        return handle;
}

static void* count(void* data) {
        int (*counted)(void);
        *(void**)&counted = dlsym(library, "library_counted");
        const int team = counted();
        printf("%s: %d\n", (const char*)data, team);
        return NULL;
}

static void step(char letter) {
        pthread_t thread;
        switch (letter) {
        case 'l':
                library = load(names[0], RTLD_NOW | RTLD_LOCAL);
                break;
        case 'z':
                library = load(names[0], RTLD_LAZY | RTLD_LOCAL);
                break;
        case 'o':
                (void)load(names[1], RTLD_NOW | RTLD_LOCAL);
                break;
        case 'g':
                (void)load(names[1], RTLD_NOW | RTLD_GLOBAL);
                break;
        case 'a':
                (void)load(names[3], RTLD_NOW | RTLD_LOCAL);
                break;
        case 'u':
                (void)dlclose(load(names[2], RTLD_NOW | RTLD_LOCAL));
                break;
        case 't':
                if (pthread_create(&thread, NULL, count, "another thread") == 0)
                        (void)pthread_join(thread, NULL);
                break;
        default:
                (void)count("the first thread");
        }
}

int main(int argc, char** argv) {
        if (argc < 5)
                return 2;
        names = argv + 2;
        for (const char* letter = argv[1]; *letter != '\0'; letter++)
                step(*letter);
        return 0;
}
