// SPDX-License-Identifier: MIT
// The arithmetic as a sentence, without allocation.
#include "grant_text.hpp"

#include <cstdio>

namespace threadcount {

namespace {

const char* plural(std::uint32_t number) { return number == 1 ? "" : "s"; }

/// " - 9 foreign", or nothing. The longest has 10 digits and 36 letters.
struct Subtracted {
        Subtracted(std::uint32_t number, const char* what) {
                if (number > 0)
                        snprintf(text, sizeof(text), " - %u %s", number, what);
        }
        char text[56] = "";
};

/// "64 cpus - 9 foreign, 3 programs of 2 accounts"
struct Division {
        explicit Division(const governor_grant_reason& reason) {
                snprintf(text, sizeof(text), "%u cpu%s%s%s%s, %u program%s of %u account%s",
                         reason.cpus, plural(reason.cpus),
                         Subtracted(reason.foreign, "foreign").text,
                         Subtracted(reason.reserved, "for newcomers").text,
                         Subtracted(reason.rigid, "kept by programs that do not follow").text,
                         reason.programs, plural(reason.programs), reason.accounts,
                         plural(reason.accounts));
        }
        char text[256];
};

}  // namespace

int describe_grant(const governor_grant_reason& reason, std::uint32_t threads, char* text,
                   std::size_t size) {
        const Division division(reason);
        const auto share = reason.share;
        const auto bound = reason.bound;
        switch (reason.limit) {
        case GOVERNOR_LIMIT_UNGOVERNED:
                return snprintf(text, size,
                                "not governed: it may run on none of the governed cpus -> %u",
                                threads);
        case GOVERNOR_LIMIT_FAIR_SHARE:
                return snprintf(text, size, "fair share: %s -> %u", division.text, threads);
        case GOVERNOR_LIMIT_EVERYTHING:
                return snprintf(text, size, "all cpus: %s -> %u", division.text, threads);
        case GOVERNOR_LIMIT_OWN_MAX:
                return snprintf(text, size, "its own maximum of %u, fair share %u -> %u", bound,
                                share, threads);
        case GOVERNOR_LIMIT_CPUSET:
                return snprintf(text, size, "all cpus that it may run on, fair share %u -> %u",
                                share, threads);
        case GOVERNOR_LIMIT_TREE_MAX:
                return snprintf(text, size,
                                "maximum of its tree: %u thread%s for all programs in it, fair "
                                "share %u -> %u",
                                bound, plural(bound), share, threads);
        case GOVERNOR_LIMIT_QUOTA:
                return snprintf(text, size,
                                "quota of its control group: %u cpu%s for all programs in it, fair "
                                "share %u -> %u",
                                bound, plural(bound), share, threads);
        case GOVERNOR_LIMIT_DEMAND:
                return snprintf(text, size, "it makes use of no more than %u: %s -> %u", bound,
                                division.text, threads);
        case GOVERNOR_LIMIT_IDLE:
                return snprintf(text, size,
                                "idle or stopped: its share is lent until it goes on -> %u",
                                threads);
        case GOVERNOR_LIMIT_FLOOR:
                return snprintf(text, size, "no cpu left, so one that is shared: %s -> %u",
                                division.text, threads);
        case GOVERNOR_LIMIT_NEWCOMER:
                return snprintf(text, size, "newcomer: what is free now, fair share %u -> %u",
                                share, threads);
        case GOVERNOR_LIMIT_HANDOVER:
                return snprintf(text, size,
                                "handover: others have still to leave cpus, fair share %u -> %u",
                                share, threads);
        case GOVERNOR_LIMIT_RIGID:
                return snprintf(text, size,
                                "it runs on %u cpu%s instead, and keeps them, fair share %u -> %u",
                                bound, plural(bound), share, threads);
        case GOVERNOR_LIMIT_RETURNING:
                return snprintf(text, size,
                                "the governor was restarted: what it had, until all are back, fair "
                                "share %u -> %u",
                                share, threads);
        case GOVERNOR_LIMIT_LIGHT:
                return snprintf(text, size,
                                "it uses little: a cpu that is shared, others have the rest -> %u",
                                threads);
        case GOVERNOR_LIMIT_PARKED:
                return snprintf(text, size, "parked: %u batch job%s first, fair share %u -> %u",
                                bound, plural(bound), share, threads);
        default:
                return snprintf(text, size, "another reason -> %u", threads);
        }
}

}  // namespace threadcount
