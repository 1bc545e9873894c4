/* SPDX-License-Identifier: MIT */
/* A library that knows nothing of OpenMP, and calls one that does. */
void library_sets(int threads);
int around_sets(int threads);

int around_sets(int threads) {
        library_sets(threads);
        return threads; /* no jump, so that the caller is known */
}
