/* SPDX-License-Identifier: MIT */
/* The number of threads that a program may count on. */
#include "promise.h"

static unsigned limited(const struct promise* promise, unsigned grant) {
        return grant == 0 || grant > promise->width ? promise->width : grant;
}

void promise_see(struct promise* promise, unsigned now) {
        if (promise->width == 0)
                promise->width = promise->size = now;
        else if (now != promise->size)
                promise_set(promise, now);
}

/* OpenBLAS sets what it was answered: taken for a wish, its first small team would be its last. */
void promise_set(struct promise* promise, unsigned number) {
        if (promise->made == PROMISE_ANSWER && number == promise->size)
                return;
        promise->width = promise->size = number;
        promise->made = PROMISE_SET;
}

/* An answer that was given stays; a number that nobody was told goes back to the program's own. */
void promise_keep(struct promise* promise) {
        if (promise->made == PROMISE_NOTHING)
                promise->size = promise->width;
        if (promise->made != PROMISE_SET)
                promise->made = PROMISE_KEPT;
}

void promise_share(struct promise* promise, unsigned answer) {
        if (promise->made == PROMISE_NOTHING)
                (void)promise_ask(promise, answer);
}

bool promise_is_for_good(const struct promise* promise) { return promise->made >= PROMISE_KEPT; }

bool promise_answers_by_grant(const struct promise* promise) {
        return !promise_is_for_good(promise);
}

unsigned promise_ask(struct promise* promise, unsigned grant) {
        if (promise_is_for_good(promise))
                return promise->size;
        promise->size = limited(promise, grant);
        promise->made = PROMISE_ANSWER;
        return promise->size;
}

bool promise_begins_by_grant(const struct promise* promise, unsigned clause) {
        return clause == 0 && promise->made == PROMISE_NOTHING;
}

unsigned promise_begin(struct promise* promise, unsigned clause, unsigned grant) {
        if (clause != 0)
                return clause;
        if (promise->made == PROMISE_NOTHING)
                promise->size = limited(promise, grant);
        return promise->size;
}
