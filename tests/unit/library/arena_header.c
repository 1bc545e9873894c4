/* SPDX-License-Identifier: MIT */
/* The layout is plain C: what a client in C sees of it. */
#include <governor/v1/arena.h>

uint64_t word_by_c(uint32_t epoch, uint32_t threads, uint32_t flags);
size_t report_size_by_c(void);

uint64_t word_by_c(uint32_t epoch, uint32_t threads, uint32_t flags) {
        return governor_word(epoch, threads, flags);
}

size_t report_size_by_c(void) { return sizeof(struct governor_report_slot); }
