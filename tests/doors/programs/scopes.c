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
 *   R     a region of OTHER
 *   2, 4  LIBRARY sets its number of threads to 2; AROUND lets it set 4
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char** names;
static void* library;
static void* other;
static void* around;

static void* load(const char* name, int mode) {
        void* handle = dlopen(name, mode);
        if (handle == NULL) {
                printf("%s\n", dlerror());
                exit(2);
        }
        return handle;
}

static int counted(void* handle) {
        int (*count)(void);
        *(void**)&count = dlsym(handle, "library_counted");
        return count();
}

static void* count(void* data) {
        printf("%s: %d\n", (const char*)data, counted(library));
        return NULL;
}

static void set(void) {
        void (*sets)(int);
        *(void**)&sets = dlsym(library, "library_sets");
        sets(2);
        (void)fflush(stdout); /* no jump, so that the caller is known */
}

static void set_around(void) {
        int (*sets)(int);
        *(void**)&sets = dlsym(around, "around_sets");
        (void)sets(4);
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
                other = load(names[1], RTLD_NOW | RTLD_LOCAL);
                break;
        case 'g':
                (void)load(names[1], RTLD_NOW | RTLD_GLOBAL);
                break;
        case 'a':
                around = load(names[3], RTLD_NOW | RTLD_LOCAL);
                break;
        case 'u':
                (void)dlclose(load(names[2], RTLD_NOW | RTLD_LOCAL));
                break;
        case 't':
                if (pthread_create(&thread, NULL, count, "another thread") == 0)
                        (void)pthread_join(thread, NULL);
                break;
        case 'R':
                printf("the other one: %d\n", counted(other));
                break;
        case '2':
                set();
                break;
        case '4':
                set_around();
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
