// SPDX-License-Identifier: MIT
// Sentences about a tree.
#include "run/words.hpp"

#include "render/columns.hpp"

#include <algorithm>
#include <governor/v1/reasons.h>

namespace ctl::run {

namespace {

constexpr std::size_t kMostNamed = 3;

const char* why(std::uint32_t limit) {
        switch (limit) {
        case GOVERNOR_LIMIT_EVERYTHING:
                return "all there are";
        case GOVERNOR_LIMIT_OWN_MAX:
                return "its maximum";
        case GOVERNOR_LIMIT_CPUSET:
                return "all that it may use";
        case GOVERNOR_LIMIT_QUOTA:
                return "its quota";
        default:
                return "fair share";
        }
}

std::string count_of_threads(std::uint32_t threads) {
        return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

std::string change_in_words(const Change& change) {
        return change.name + " " + change.before.value_or("(not set)") + " -> " + change.after;
}

/// Those that the user had set, as far as they fit on a line.
std::string changes_in_words(const std::vector<Change>& changes) {
        std::string text;
        std::size_t set = 0;
        for (const auto& change : changes) {
                if (!change.before || ++set > kMostNamed)
                        continue;
                text += (text.empty() ? "; " : ", ") + change_in_words(change);
        }
        if (set > kMostNamed)
                text += " and " + std::to_string(set - kMostNamed) + " more";
        return text;
}

}  // namespace

std::string keeping_in_words(const Doors& doors, const char* nothing) {
        if (doors.is_open)
                return doors.waits;
        return nothing + (doors.why_shut.empty() ? "" : ": " + doors.why_shut);
}

std::string summary(const Beginning& beginning) {
        if (beginning.is_ungoverned)
                return beginning.name + ": left alone, as the governor observes, is paused or "
                                        "ignores it";
        if (beginning.yields)
                return beginning.name + ": batch, " + kYields + "; " +
                       keeping_in_words(beginning.doors, kNoRegionWaits);
        const auto share = beginning.cpus == 0 ? count_of_threads(beginning.threads)
                                               : std::to_string(beginning.threads) + " of " +
                                                         std::to_string(beginning.cpus) + " CPUs";
        const bool has_lease = beginning.without_lease.empty();
        // Nobody would read "1 of 64 CPUs" as a number that does not hold.
        if (beginning.keeps && has_lease && beginning.limit == GOVERNOR_LIMIT_OWN_MAX)
                return beginning.name + ": counted as at most " + share + "; " +
                       keeping_in_words(beginning.doors, "nothing binds it from outside");
        return beginning.name + ": " + share + ", " +
               (has_lease ? why(beginning.limit) : beginning.without_lease) +
               (beginning.keeps || beginning.doors.is_open
                        ? "; " + keeping_in_words(beginning.doors, kUnchanged)
                        : "") +
               changes_in_words(beginning.changes);
}

std::string details(const Beginning& beginning) {
        std::string text;
        for (const auto& door : beginning.doors.each)
                text += door + "\n";
        for (const auto* changes : {&beginning.doors.changes, &beginning.changes})
                for (const auto& change : *changes)
                        text += "set " + render::printable(change_in_words(change)) + "\n";
        return text + (beginning.fence.empty()
                               ? "fence: none, it may use all CPUs that this process may use\n"
                               : "fence: " + beginning.fence + "\n");
}

std::string acts(const Beginning& beginning, bool follows) {
        std::string text;
        if (!beginning.changes.empty())
                text = "it was started with " + count_of_threads(beginning.threads);
        if (follows && !beginning.is_ungoverned)
                text += std::string(text.empty() ? "" : ", ") + "its cpus follow";
        const bool is_fenced = beginning.doors.is_fenced;
        if (beginning.doors.is_open && !beginning.is_ungoverned && (follows || !is_fenced))
                text += std::string(text.empty() ? "" : ", ") + (is_fenced ? kThreadsSleep
                                                                 : beginning.doors.adapts
                                                                         ? kTeamsFollow
                                                                         : kRegionsWait);
        return text.empty() ? kOnlyCounted : text;
}

std::string base_name(const std::string& path) {
        const auto slash = path.find_last_of('/');
        return slash == path.npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::string outside(const std::vector<std::string>& command) {
        const auto name = base_name(command.front());
        const bool starts_elsewhere = (name == "docker" || name == "podman") &&
                                      std::ranges::any_of(command, [](const auto& word) {
                                              return word == "run" || word == "exec";
                                      });
        return starts_elsewhere ? name + ": what runs in the container is not started by this "
                                         "command, and not governed; start `fairly` inside of the "
                                         "container (-v /run/governord:/run/governord)"
                                : "";
}

}  // namespace ctl::run
