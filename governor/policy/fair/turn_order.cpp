// SPDX-License-Identifier: MIT
// Shortest remaining time first; where it is not known, quanta that grow.
#include "policy/fair/turn_order.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <map>

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

nanoseconds expected_need(const Settings& settings, const Gang& gang) {
        if (gang.is_on_trial)
                return nanoseconds{0};
        return gang.remaining ? *gang.remaining : quantum_of(settings, gang.served).length;
}

std::vector<std::size_t> turn_order(const Settings& settings, std::span<const Gang> gangs,
                                    std::vector<std::size_t> which, TimePoint now) {
        const auto wants_back = [&](std::size_t g) {
                return gangs[g].yields && gangs[g].lends_turn;
        };
        // What remains is an estimate: two that are close must not change places again and again.
        const auto is_preferred = [&](std::size_t g) {
                return wants_back(g) || (gangs[g].has_turn && gangs[g].remaining);
        };
        const auto is_of_a_kind = [&](std::size_t g) {
                return gangs[g].kind != 0 && !gangs[g].yields && !gangs[g].remaining &&
                       !gangs[g].is_on_trial;
        };
        std::map<std::uint64_t, nanoseconds> of_kind;  // the least served's
        for (const auto g : which)
                if (is_of_a_kind(g)) {
                        const auto whole = expected_need(settings, gangs[g]);
                        const auto [least, is_first] = of_kind.try_emplace(gangs[g].kind, whole);
                        least->second = std::min(least->second, whole);
                }
        const auto need = [&](std::size_t g) {
                if (is_of_a_kind(g))
                        return of_kind.find(gangs[g].kind)->second;
                const auto whole = expected_need(settings, gangs[g]);
                return is_preferred(g) ? whole - whole / numbers::kLittle : whole;
        };
        std::ranges::sort(which, [&](std::size_t a, std::size_t b) {
                const bool is_a_overdue = is_overdue(settings, gangs[a], now);
                if (is_a_overdue != is_overdue(settings, gangs[b], now))
                        return is_a_overdue;
                if (is_a_overdue && gangs[a].has_turn != gangs[b].has_turn)
                        return gangs[a].has_turn;
                const auto since_a = gangs[a].waits_since.value_or(now);
                const auto since_b = gangs[b].waits_since.value_or(now);
                if (is_a_overdue && since_a != since_b)
                        return since_a < since_b;
                const auto need_a = need(a);
                const auto need_b = need(b);
                if (need_a != need_b)
                        return need_a < need_b;
                if (wants_back(a) != wants_back(b))
                        return wants_back(a);
                return gangs[a].joined != gangs[b].joined ? gangs[a].joined < gangs[b].joined
                                                          : gangs[a].id < gangs[b].id;
        });
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
