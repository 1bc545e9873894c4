// SPDX-License-Identifier: MIT
// Shortest remaining time first; where it is not known, quanta that grow.
#include "policy/fair/turn_order.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace governor::policy::fair {

namespace {

using std::chrono::nanoseconds;

struct Quantum {
        nanoseconds length;
        nanoseconds end;  ///< in time served
};

/// 0 .. q, q .. 5q, 5q .. 21q, ...
Quantum quantum_of(const Settings& settings, nanoseconds served) {
        Quantum quantum{settings.turn_quantum, settings.turn_quantum};
        while (quantum.end <= served) {
                quantum.length *= numbers::kGrowth;
                quantum.end += quantum.length;
        }
        return quantum;
}

}  // namespace

bool has_alike(const Settings& settings, const Gang& gang) {
        return gang.kind != 0 && !settings.turns_across_users && !gang.yields && !gang.remaining &&
               !gang.is_on_trial;
}

nanoseconds expected_need(const Settings& settings, const Gang& gang) {
        if (gang.is_on_trial)
                return nanoseconds{0};
        return gang.remaining ? *gang.remaining : quantum_of(settings, gang.served).length;
}

std::vector<std::size_t> turn_order(const Settings& settings, std::span<const Gang> gangs,
                                    std::vector<std::size_t> which, TimePoint now) {
        std::unordered_map<std::uint64_t, nanoseconds> of_kind;  // the least served's
        for (const auto g : which)
                if (has_alike(settings, gangs[g])) {
                        const auto whole = expected_need(settings, gangs[g]);
                        const auto [least, is_first] = of_kind.try_emplace(gangs[g].kind, whole);
                        least->second = std::min(least->second, whole);
                }
        // A program that is on trial is as long as others of its label, of which more is known.
        std::unordered_map<std::uint64_t, nanoseconds> left_of_kind;  // the longest
        for (const auto g : which)
                if (gangs[g].kind != 0 && gangs[g].remaining)
                        left_of_kind[gangs[g].kind] =
                                std::max(left_of_kind[gangs[g].kind], *gangs[g].remaining);
        const auto need = [&](const Gang& gang) {
                const auto of_others = left_of_kind.find(gang.kind);
                if (gang.is_on_trial && of_others != left_of_kind.end())
                        return of_others->second;
                return has_alike(settings, gang) ? of_kind[gang.kind]
                                                 : expected_need(settings, gang);
        };
        // Smaller ones come first.
        using Overdue = std::tuple<bool, bool, TimePoint>;
        using Place = std::tuple<Overdue, nanoseconds, TimePoint, GangId, std::size_t>;
        std::vector<Place> places;
        places.reserve(which.size());
        for (const auto g : which) {
                const auto& gang = gangs[g];
                const auto overdue =
                        is_overdue(settings, gang, now)
                                ? Overdue{false, !gang.has_turn, gang.waits_since.value_or(now)}
                                : Overdue{true, false, now};
                places.emplace_back(overdue, need(gang), gang.joined, gang.id, g);
        }
        std::ranges::sort(places);
        std::ranges::transform(places, which.begin(),
                               [](const Place& place) { return std::get<std::size_t>(place); });
        return which;
}

TimePoint waits_since(const Gang& gang, std::chrono::milliseconds quantum, TimePoint now) {
        const bool is_short =
                gang.yields && gang.runs_since && gang.had + (now - *gang.runs_since) < quantum;
        return gang.waits_since.value_or(is_short ? now - gang.waited : now);
}

bool is_overdue(const Settings& settings, const Gang& gang, TimePoint now) {
        if (!gang.yields)
                return false;
        if (gang.runs_since)
                return gang.waited >= settings.turn_max_wait &&
                       gang.had + (now - *gang.runs_since) < settings.turn_quantum;
        return gang.waits_since && now - *gang.waits_since >= settings.turn_max_wait;
}

bool is_out_of_patience(const Settings& settings, const Gang& gang, TimePoint now) {
        return !gang.yields && gang.waits_since &&
               now - *gang.waits_since >= settings.turn_max_wait;
}

std::optional<TimePoint> next_review(const Settings& settings, const Gang& gang, double pace,
                                     TimePoint now) {
        if (is_overdue(settings, gang, now) && gang.runs_since)
                return *gang.runs_since + settings.turn_quantum - gang.had;
        if (gang.is_on_trial)
                return now + numbers::kPoll / 2;
        if (gang.remaining)
                return std::nullopt;
        constexpr double kSlowest = 1e-4;
        const auto left = quantum_of(settings, gang.served).end - gang.served;
        return now +
               std::chrono::duration_cast<nanoseconds>(
                       std::chrono::duration<double, std::nano>(left) / std::max(pace, kSlowest)) +
               nanoseconds(1);
}

}  // namespace governor::policy::fair
