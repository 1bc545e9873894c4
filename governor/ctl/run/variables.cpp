// SPDX-License-Identifier: MIT
// Which variables there are, and how they are lowered.
#include "run/variables.hpp"

#include "verbs/limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace ctl::run {

namespace {

/// Not GOMAXPROCS: Go 1.25 and later follow the affinity while they run, unless it is set.
constexpr std::array kVariables{
        "OMP_NUM_THREADS",   "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",   "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",  "NUMEXPR_NUM_THREADS",  "NUMBA_NUM_THREADS",  "RAYON_NUM_THREADS",
        "JULIA_NUM_THREADS", "POLARS_MAX_THREADS",   "LOKY_MAX_CPU_COUNT",
};

/// strtoul(3), by which libgomp reads its numbers, passes over blanks and a sign.
std::string_view without_blanks_and_sign(std::string_view text) {
        constexpr std::string_view kBlanks = " \t\n\v\f\r";
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        if (text.starts_with('+'))
                text.remove_prefix(1);
        return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace

std::optional<std::uint32_t> parse_count(std::string_view text) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || number < 1 ||
            number > verbs::kMostThreads)
                return std::nullopt;
        return number;
}

Change change_to(const Lookup& lookup, const char* name, std::string after) {
        Change change{name, std::nullopt, std::move(after)};
        if (const char* before = lookup(name))
                change.before = before;
        return change;
}

std::optional<Change> lowered(const char* name, std::uint32_t threads, const Lookup& lookup) {
        const auto text = text_of(lookup, name);
        const auto outer = text.substr(0, text.find(','));
        const auto count = parse_count(without_blanks_and_sign(outer));
        const auto after = std::to_string(count ? std::min(*count, threads) : threads);
        if (count && after == outer)
                return std::nullopt;
        return change_to(lookup, name, after + text.substr(outer.size()));
}

std::vector<Change> all_lowered(std::uint32_t threads, const Lookup& lookup) {
        std::vector<Change> changes;
        for (const auto* name : kVariables)
                if (auto change = lowered(name, threads, lookup))
                        changes.push_back(std::move(*change));
        return changes;
}

const char* of_process(const char* name) { return std::getenv(name); }

std::string text_of(const Lookup& lookup, const char* name) {
        const char* value = lookup(name);
        return value != nullptr ? value : "";
}

void apply(const Change& change) { ::setenv(change.name.c_str(), change.after.c_str(), 1); }

}  // namespace ctl::run
