/* SPDX-License-Identifier: MIT */
/*
 * To be preloaded: an object in front of dlopen() that loads something itself before the first
 * call goes on. With IN_A_THREAD defined another thread does that, for which the call waits.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static void* load(void* unused) {
        (void)unused;
        return dlopen("libm.so.6", RTLD_LAZY);
}

static void prepare(void) {
#ifdef IN_A_THREAD
        pthread_t thread;
        if (pthread_create(&thread, NULL, load, NULL) == 0)
                (void)pthread_join(thread, NULL);
#else
        (void)load(NULL);
#endif
}

void* dlopen(const char* path, int mode) {
        static atomic_bool is_prepared;
        void* (*real)(const char*, int) = NULL;
        *(void**)&real = dlsym(RTLD_NEXT, "dlopen");
        if (!atomic_exchange(&is_prepared, 1))
                prepare();
        return real(path, mode);
}
