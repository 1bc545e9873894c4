/* SPDX-License-Identifier: MIT */
/* A library with regions that is a runtime itself, of a single thread with the number 7. */
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int library_counted(void);

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
        (void)threads;
        (void)flags;
        function(data);
}

int omp_get_thread_num(void) { return 7; }

static void add(void* data) {
        (void)__atomic_fetch_add((int*)data, 10 + omp_get_thread_num(), __ATOMIC_RELAXED);
}

int library_counted(void) {
        int sum = 0;
        GOMP_parallel(add, &sum, 0, 0);
        return sum;
}
