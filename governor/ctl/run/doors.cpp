// SPDX-License-Identifier: MIT
// Reasons in the order in which they count, and the variables of the preloaded object.
#include "run/doors.hpp"

#include "run/processes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <strings.h>
#include <sys/resource.h>

namespace ctl::run {

namespace {

namespace fs = std::filesystem;

/// Below the prefix of an installation.
constexpr const char* kFolder = "lib/threadcount/doors";
constexpr std::array<const char*, 2> kObjects{"keep.so", "adopt.so"};  // as Teams has them
/// The dynamic linker puts lib64, or lib/x86_64-linux-gnu, in the place of $LIB.
constexpr int kDeepest = 2;

/// gcc's refuses to start a program that has anything preloaded.
constexpr const char* kSanitizer = "verify_asan_link_order=0";

/// A tenth of libgomp's own number: a team that has to leave its CPUs, or has two threads on one of
/// them, spins for 0.5 ms instead of 5. With 3 % of it, programs with 0.3 ms between two regions
/// took 1.07 of their time.
constexpr const char* kSpins = "30000";
/// Milliseconds, as by default. With OMP_WAIT_POLICY=passive alone libomp's threads would not spin
/// at all. libgomp's spin kSpins times where they have room, and else not at all instead of 100
/// times.
constexpr const char* kBlockTime = "200";

/// Between the objects of LD_PRELOAD.
constexpr const char* kPartings = ": ";

constexpr const char* kSleepsInFence = "its threads sleep where they lack CPUs (preload)";

/// The end of the words on what follows.
constexpr const char* kByRule = ", as a rule of the administrator says";

std::string value_of(const Lookup& lookup, const char* name) {
        const char* value = lookup(name);
        return value != nullptr ? value : "";
}

/// Empty: it is open.
std::string why_shut(const Image& image, const Circumstances& circumstances) {
        if (image.follows_by_itself())
                return "it follows by itself";
        if (circumstances.is_refused)
                return "--no-preload";
        if (!circumstances.has_lease)
                return "there is no lease";
        if (circumstances.gains_privilege)
                return "it gains privileges";
        if (image.kind == Image::Kind::Static)
                return "it is linked statically";
        if (image.kind == Image::Kind::Foreign)
                return "it is of another word size";
        if (image.linker.find("/ld-musl-") != image.linker.npos)
                return "its libc is musl";
        return circumstances.object ? "" : circumstances.object.error();
}

bool has_variable(const Lookup& lookup, const char* name) { return lookup(name) != nullptr; }

/// As a `run` without an option around has said it; nobody else has said anything.
bool is_fenced_around(const Lookup& lookup) {
        return value_of(lookup, "THREADCOUNT_ADOPT") == kFenced;
}

/// The user says how threads wait. A `run` around a script has set the first of these to our
/// number.
bool are_waits_the_users(const Lookup& lookup) {
        return has_variable(lookup, "OMP_WAIT_POLICY") ||
               (has_variable(lookup, "GOMP_SPINCOUNT") &&
                value_of(lookup, "GOMP_SPINCOUNT") != kSpins);
}

bool is_true(std::string text) {
        constexpr const char* kSpaces = " \t\n\v\f\r";
        text.erase(text.find_last_not_of(kSpaces) + 1);
        text.erase(0, text.find_first_not_of(kSpaces));
        return ::strcasecmp(text.c_str(), "true") == 0;
}

bool has_llvm_openmp(const Image& image) {
        return image.needs("libomp.so") || image.needs("libomp5") || image.needs("libiomp5.so");
}

/// What a `run` around has set stays in force. The user's own way to wait needs no other: a team
/// that waits passively sleeps by itself, and one that is to spin shall.
bool opens_in_fence(const Image& image, const Circumstances& circumstances, const Lookup& lookup) {
        const bool is_nothing_said =
                value_of(lookup, "THREADCOUNT_ADOPT").empty() && !are_waits_the_users(lookup);
        return why_shut(image, circumstances).empty() && !circumstances.has_little_memory &&
               image.needs("libgomp.so") && !has_llvm_openmp(image) &&
               !image.needs("libopenblas") && may_sleep(lookup) &&
               (is_nothing_said || is_fenced_around(lookup));
}

std::string waits(const Image& image, const Circumstances& circumstances) {
        // The words of a tree that takes turns begin with its turn.
        const std::string does = circumstances.adapts        ? "follows with its threads"
                                 : circumstances.takes_turns ? "waits until then"
                                                             : "sleeps or waits for its round";
        if (image.needs("libgomp.so"))
                return "it " + does + " at regions of gcc's OpenMP (preload)";
        const std::string others = "what it loads or starts of gcc's OpenMP " + does + " (preload)";
        if (has_llvm_openmp(image))
                return "libomp is left alone, its threads do not spin for long; " + others;
        return others;
}

std::vector<std::string> each_door(const Image& image, const Doors& doors) {
        const auto seen = [](bool is_linked) { return is_linked ? " (it is linked with it)" : ""; };
        return {std::string("libgomp") + seen(image.needs("libgomp.so")) + ": " +
                        (doors.is_open ? "opened by preload, what is loaded or started later counts"
                                       : "not opened, " + doors.why_shut),
                std::string("libomp, libiomp5") + seen(has_llvm_openmp(image)) +
                        ": not opened, their threads do not spin for long",
                std::string("OpenBLAS with threads of its own") + seen(image.needs("libopenblas")) +
                        ": not opened, there is no such door",
                "make's jobserver: not opened, there is no such door"};
}

/// Of this installation or of another one: what an outer `run` has put there is for the teams of
/// that one.
bool is_object(std::string_view path) {
        return std::ranges::any_of(kObjects, [&](const auto* name) {
                return path.ends_with(std::string("/") + kFolder + "/$LIB/" + name);
        });
}

/// What the user preloads, as the dynamic linker parts it.
std::string without_objects(std::string_view preloaded) {
        std::string rest;
        while (!preloaded.empty()) {
                const auto length = std::min(preloaded.find_first_of(kPartings), preloaded.size());
                const auto next = std::min(length + 1, preloaded.size());
                if (!is_object(preloaded.substr(0, length)))
                        rest += preloaded.substr(0, next);
                preloaded.remove_prefix(next);
        }
        rest.erase(rest.find_last_not_of(kPartings) + 1);
        return rest;
}

/// Unless the user says how threads wait.
std::vector<Change> with_short_spins(const Lookup& lookup) {
        if (are_waits_the_users(lookup) || has_variable(lookup, "GOMP_SPINCOUNT"))
                return {};
        return {change_to(lookup, "GOMP_SPINCOUNT", kSpins)};
}

/// In front of the user's own.
std::vector<Change> opened(const std::string& object, const char* adopts, const Lookup& lookup) {
        std::vector<Change> changes;
        const auto preloaded = value_of(lookup, "LD_PRELOAD");
        const auto theirs = without_objects(preloaded);
        const auto wanted = object + (theirs.empty() ? "" : ":" + theirs);
        if (preloaded != wanted)
                changes.push_back(change_to(lookup, "LD_PRELOAD", wanted));
        changes.push_back(change_to(lookup, "THREADCOUNT_ADOPT", adopts));
        const auto options = value_of(lookup, "ASAN_OPTIONS");
        if (!options.ends_with(kSanitizer))
                changes.push_back(change_to(lookup, "ASAN_OPTIONS",
                                            (options.empty() ? "" : options + ":") + kSanitizer));
        const auto spins = with_short_spins(lookup);
        changes.insert(changes.end(), spins.begin(), spins.end());
        // With KMP_LIBRARY libomp would warn of both.
        if (!are_waits_the_users(lookup) && !has_variable(lookup, "KMP_LIBRARY")) {
                changes.push_back(change_to(lookup, "OMP_WAIT_POLICY", "passive"));
                if (!has_variable(lookup, "KMP_BLOCKTIME"))
                        changes.push_back(change_to(lookup, "KMP_BLOCKTIME", kBlockTime));
        }
        return changes;
}

bool holds_object(const fs::path& folder, const char* name, int deepest) {
        std::error_code error;
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error)) {
                std::error_code none;
                if (fs::is_regular_file(entry->path() / name, none) ||
                    (deepest > 1 && holds_object(entry->path(), name, deepest - 1)))
                        return true;
        }
        return false;
}

bool is_memory_limited() {
        return std::ranges::any_of(std::array{RLIMIT_AS, RLIMIT_DATA}, [](auto resource) {
                rlimit limit{};
                return ::getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
        });
}

Doors doors_to(const Image& image, const verbs::RunOptions& options, bool has_lease) {
        const bool is_fenced = !options.keeps && !options.is_batch && !options.adapts;
        const auto teams = is_fenced ? Teams::Keep : teams_of(options, of_process);
        Circumstances circumstances;
        circumstances.has_lease = has_lease;
        circumstances.is_refused = options.is_unpreloaded;
        circumstances.takes_turns = options.yields();
        circumstances.adapts = teams == Teams::Adapt;
        circumstances.is_by_rule = options.is_by_rule;
        circumstances.is_fenced = is_fenced;
        circumstances.has_little_memory = is_memory_limited();
        circumstances.gains_privilege = preloads_nothing(options.command.front());
        if (is_fenced && !can_walk())
                circumstances.object = tl::unexpected(std::string("there is no fence"));
        else
                circumstances.object = installed_object(teams);
        return doors_of(image, circumstances, of_process);
}

/// Without any of the options.
Doors doors_in_fence(const Image& image, const Circumstances& circumstances, const Lookup& lookup) {
        Doors doors;
        doors.is_open = doors.is_fenced = opens_in_fence(image, circumstances, lookup);
        if (doors.is_open) {
                doors.waits = kSleepsInFence;
                doors.changes = opened(*circumstances.object, kFenced, lookup);
        } else if (circumstances.has_lease) {
                doors.changes = with_short_spins(lookup);
        }
        if (circumstances.is_refused && is_fenced_around(lookup))
                doors.changes.push_back(change_to(lookup, "THREADCOUNT_ADOPT", "off"));
        return doors;
}

}  // namespace

Doors doors_of(const Image& image, const Circumstances& circumstances, const Lookup& lookup) {
        if (circumstances.is_fenced)
                return doors_in_fence(image, circumstances, lookup);
        Doors doors;
        doors.why_shut = why_shut(image, circumstances);
        doors.is_open = doors.why_shut.empty();
        doors.adapts = circumstances.adapts;
        if (doors.is_open) {
                doors.waits =
                        waits(image, circumstances) + (circumstances.is_by_rule ? kByRule : "");
                doors.changes = opened(*circumstances.object,
                                       circumstances.adapts ? "adapt" : "keep", lookup);
        } else {
                if (circumstances.has_lease)
                        doors.changes = with_short_spins(lookup);
                if (circumstances.is_refused && lookup("THREADCOUNT_ADOPT") != nullptr)
                        doors.changes.push_back(change_to(lookup, "THREADCOUNT_ADOPT", "off"));
        }
        doors.each = each_door(image, doors);
        return doors;
}

bool may_sleep(const Lookup& lookup) {
        constexpr std::array kTheUsers{
                "OMP_PROC_BIND",    "OMP_PLACES",     "GOMP_CPU_AFFINITY",
                "OMP_STACKSIZE",    "GOMP_STACKSIZE", "OMP_DISPLAY_AFFINITY",
                "OMP_THREAD_LIMIT", "OMP_NESTED",     "OMP_MAX_ACTIVE_LEVELS"};
        return std::ranges::none_of(kTheUsers,
                                    [&](const auto* name) { return has_variable(lookup, name); }) &&
               !is_true(value_of(lookup, "OMP_DYNAMIC"));
}

tl::expected<std::string, std::string> object_in(const std::string& folder, Teams teams) {
        const auto* name = kObjects.at(static_cast<std::size_t>(teams));
        // It parts objects at these, and replaces what begins with a dollar sign.
        if (folder.find_first_of(" :$") != folder.npos)
                return tl::unexpected("LD_PRELOAD cannot name what is in " + folder);
        if (!holds_object(folder, name, kDeepest))
                return tl::unexpected(std::string("there is no ") + name + " in " + folder);
        return folder + "/$LIB/" + name;
}

tl::expected<std::string, std::string> installed_object(Teams teams) {
        const auto own = own_path();
        if (own.empty())
                return tl::unexpected(std::string("/proc/self/exe does not say where this is"));
        return object_in(own.parent_path().parent_path() / kFolder, teams);
}

Teams teams_of(const verbs::RunOptions& options, const Lookup& lookup) {
        const bool is_permitted = is_true(value_of(lookup, "OMP_DYNAMIC"));
        const bool are_kept = value_of(lookup, "THREADCOUNT") == "keep";
        return !are_kept && (options.adapts || is_permitted) ? Teams::Adapt : Teams::Keep;
}

Doors look_for_doors(const verbs::RunOptions& options, bool has_lease) {
        return doors_to(image_of(options.command.front()), options, has_lease);
}

verbs::RunOptions under_rule(const verbs::RunOptions& options) {
        const auto adopts = value_of(of_process, "THREADCOUNT_ADOPT");
        const bool is_said_around =
                (!adopts.empty() && adopts != "adapt" && adopts != kFenced) ||
                ::strcasecmp(value_of(of_process, "OMP_DYNAMIC").c_str(), "false") == 0;
        if (options.keeps || options.adapts || options.is_batch || options.is_unpreloaded ||
            is_said_around)
                return options;
        const auto image = image_of(options.command.front());
        const bool has_others = has_llvm_openmp(image) || image.needs("libopenblas");
        if (has_others && !image.needs("libgomp.so"))
                return options;
        auto followed = options;
        followed.keeps = followed.adapts = followed.is_by_rule = true;
        return doors_to(image, followed, true).is_open ? followed : options;
}

}  // namespace ctl::run
