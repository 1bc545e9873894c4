/* SPDX-License-Identifier: MIT */
/*
 * reasons.h - why a program has the threads it has: the one table of all reasons.
 *
 * Plain C without dependencies but libc, since the daemon, the client library and the simulator
 * say the same sentences. docs/policy.md and threadcount_reason(3) list them; a test compares.
 */
#ifndef GOVERNOR_V1_REASONS_H
#define GOVERNOR_V1_REASONS_H

#include "governor/v1/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * REASON(number, CONSTANT, Name, sentence, meaning). Numbers are told to programs of other
 * versions: none is ever changed or used again. In a sentence {bound}      is
 * governor_grant_reason.bound, and {s} the plural's s that it asks for {share}      is "fair share
 * 14" {division}   is "64 cpus - 9 foreign, 3 programs of 2 accounts"
 */
/* clang-format off */
#define GOVERNOR_REASONS(REASON) \
        REASON(1, UNGOVERNED, Ungoverned, "not governed: it may run on none of the governed cpus", \
               "`cpus` and `reserve` leave none of those that it may run on: it is left alone") \
        REASON(2, FAIR_SHARE, FairShare, "fair share: {division}", \
               "others have a right to the rest") \
        REASON(3, EVERYTHING, Everything, "all cpus: {division}", \
               "it has every CPU there is to give") \
        REASON(4, OWN_MAX, OwnMax, "its maximum of {bound}, {share}", \
               "it asked for no more, or a rule's *max* holds, or `governorctl set` or `pause` says so") \
        REASON(5, CPUSET, Cpuset, "all cpus that it may run on, {share}", \
               "its cpuset, or the affinity of its threads") \
        REASON(6, QUOTA, Quota, "quota of its control group: {bound} cpu{s} for all programs in it, {share}", \
               "`cpu.max` of its control group, or of one above") \
        REASON(7, DEMAND, Demand, "it makes use of no more than {bound}: {division}", \
               "it is held to what it can make use of, or is being tried on fewer; others can use the rest") \
        REASON(8, IDLE, Idle, "idle or stopped: its share is lent until it goes on", \
               "it is stopped, sleeps, or is outside of regions; N is what it wakes up with") \
        REASON(9, FLOOR, Floor, "no cpu left, so one that is shared: {division}", \
               "there are more programs than CPUs: one each") \
        REASON(10, NEWCOMER, Newcomer, "newcomer: what is free now, {share}", \
               "it is one of a stream of short programs, has just started, and makes no program shrink yet") \
        REASON(11, HANDOVER, Handover, "handover: others have still to leave cpus, {share}", \
               "it will grow as others reach their next regions") \
        REASON(12, RIGID, Rigid, "it runs on {bound} cpu{s} instead, and keeps them, {share}", \
               "it burns more than it was granted, for longer than `handover_max`, and is charged for it") \
        REASON(13, RETURNING, Returning, "the governor was restarted: what it had, until all are back, {share}", \
               "it has come back with what it held, and grows when the others have had time to") \
        REASON(14, LIGHT, Light, "it uses little: a cpu that is shared, others have the rest", \
               "it runs less than half of the time, and does not wait for a CPU") \
        REASON(15, PARKED, Parked, "parked: {bound} batch job{s} first, {share}", \
               "it waits for its turn, and begins no region until then") \
        REASON(16, TREE_MAX, TreeMax, "maximum of its tree: {bound} thread{s} for all programs in it, {share}", \
               "the holder of its tree asked for no more for the whole tree") \
        REASON(17, ROUND, Round, "its team waits for its round: {bound} other{s} first, {share}", \
               "it keeps its team, for which there is no room beside those of others: they take rounds") \
        REASON(18, CROWDED, Crowded, "its team shares the cpus with {bound} other{s}, and sleeps while it waits, {share}", \
               "it keeps its team, for which there is no room beside those of others: they run side by side all the same")
/* clang-format on */

/* What limits a grant: governor_grant_reason.limit. */
enum governor_grant_limit {
        GOVERNOR_LIMIT_NONE = 0, /* nothing granted yet */
#define GOVERNOR_REASON(number, constant, name, sentence, meaning)                                 \
        GOVERNOR_LIMIT_##constant = number,
        GOVERNOR_REASONS(GOVERNOR_REASON)
#undef GOVERNOR_REASON
};

/* Of a limit that is not known, which a newer governor may tell: "another reason". */
static inline const char *governor_reason_sentence(uint32_t limit) {
        switch (limit) {
#define GOVERNOR_REASON(number, constant, name, sentence, meaning)                                 \
        case number:                                                                               \
                return sentence;
                GOVERNOR_REASONS(GOVERNOR_REASON)
#undef GOVERNOR_REASON
        default:
                return "another reason";
        }
}

/* A buffer that is written from its begin, and what it would take if it were large enough. */
struct governor_reason_text {
        char *text;
        size_t size;
        size_t length;
};

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline void
governor_reason_append(struct governor_reason_text *to, const char *format, ...) {
        const size_t used = to->length < to->size ? to->length : to->size;
        va_list arguments;
        int length;

        va_start(arguments, format);
        length = vsnprintf(to->size > used ? to->text + used : NULL, to->size - used, format,
                           arguments);
        va_end(arguments);
        to->length += length > 0 ? (size_t)length : 0;
}

static inline const char *governor_reason_plural(uint32_t number) { return number == 1 ? "" : "s"; }

static inline void governor_reason_subtract(struct governor_reason_text *to, uint32_t number,
                                            const char *what) {
        if (number > 0)
                governor_reason_append(to, " - %u %s", number, what);
}

static inline void governor_reason_fill_in(struct governor_reason_text *to, const char *name,
                                           size_t length,
                                           const struct governor_grant_reason *reason) {
        if (length == 1) { /* {s} */
                governor_reason_append(to, "%s", governor_reason_plural(reason->bound));
        } else if (strncmp(name, "bound", length) == 0) {
                governor_reason_append(to, "%u", reason->bound);
        } else if (strncmp(name, "share", length) == 0) {
                governor_reason_append(to, "fair share %u", reason->share);
        } else {
                governor_reason_append(to, "%u cpu%s", reason->cpus,
                                       governor_reason_plural(reason->cpus));
                governor_reason_subtract(to, reason->foreign, "foreign");
                if (reason->own_foreign > 0)
                        governor_reason_append(to, " (%u of its account)", reason->own_foreign);
                governor_reason_subtract(to, reason->reserved, "for newcomers");
                governor_reason_subtract(to, reason->rigid, "kept by programs that do not follow");
                governor_reason_append(to, ", %u program%s of %u account%s", reason->programs,
                                       governor_reason_plural(reason->programs), reason->accounts,
                                       governor_reason_plural(reason->accounts));
        }
}

/*
 * "fair share: 64 cpus - 9 foreign, 3 programs of 2 accounts -> 14", for a program that uses
 * `threads` of its grant. Writes at most `size` bytes with the terminating NUL and returns the
 * length of the whole, as snprintf() does; `text` may be NULL where `size` is 0. At most 400 bytes.
 * Pure, thread-safe, no allocation; some microseconds.
 */
static inline int governor_reason_explain(const struct governor_grant_reason *reason,
                                          uint32_t threads, char *text, size_t size) {
        struct governor_reason_text to = {text, size, 0};
        const char *rest = governor_reason_sentence(reason->limit);
        const char *open;

        while ((open = strchr(rest, '{')) != NULL) {
                const char *close = strchr(open, '}');
                governor_reason_append(&to, "%.*s", (int)(open - rest), rest);
                governor_reason_fill_in(&to, open + 1, (size_t)(close - open) - 1, reason);
                rest = close + 1;
        }
        governor_reason_append(&to, "%s -> %u", rest, threads);
        return (int)to.length;
}

#endif
