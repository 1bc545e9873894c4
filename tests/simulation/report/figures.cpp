// SPDX-License-Identifier: MIT
// Everything is added up over the intervals in which nothing changes.
#include "simulation/report/figures.hpp"

#include "simulation/report/entitlement.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

using governor::policy::fair::Limit;

constexpr double kMinute = 60;

constexpr std::array kFigures{
        Figure{"fairness", "Jain's index over accounts, granted / entitled", &Figures::fairness},
        Figure{"fairness_programs", "Jain's index over programs, granted / entitled",
               &Figures::fairness_programs},
        Figure{"utilisation", "CPU time used / online while somebody was there",
               &Figures::utilisation},
        Figure{"aggregate_s", "sum of the times from start to end", &Times::aggregate_s},
        Figure{"makespan_s", "from the first start to the last end", &Times::makespan_s},
        Figure{"unfinished", "programs whose work was not done at the end", &Times::unfinished},
        Figure{"flaps_per_minute", "changes without a reason outside, of one program",
               &Figures::flaps_per_minute},
        Figure{"changes_per_minute", "all changes of a grant, of one program",
               &Figures::changes_per_minute},
        Figure{"oversubscribed_s", "CPU seconds given to two programs at once",
               &Figures::oversubscribed_s},
        Figure{"decisions", "taken by the policy", &Figures::decisions},
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// True if the program lends CPUs that it does not use, which come back.
bool is_lending(Limit limit) { return limit == Limit::Idle || limit == Limit::Demand; }

}  // namespace

std::span<const Figure> figures() { return kFigures; }

bool is_figure(std::string_view name) {
        return std::ranges::find(kFigures, name, &Figure::name) != kFigures.end();
}

std::string figure_names() {
        std::string names;
        for (const auto& figure : kFigures)
                names += (names.empty() ? "" : ", ") + std::string(figure.name);
        return names;
}

double jain_index(std::span<const double> values) {
        double sum = 0;
        double squares = 0;
        for (const auto value : values) {
                sum += value;
                squares += value * value;
        }
        return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

void Stopwatch::started(const World& world, const Resident& resident) {
        started_[resident.number] = world.now;
        if (!first_start_)
                first_start_ = world.now;
}

void Stopwatch::ended(const World& world, const Resident& resident) {
        stop(world, started_.at(resident.number), resident.process->finished());
        started_.erase(resident.number);
}

void Stopwatch::over(const World& world) {
        for (const auto& [number, started] : started_)
                stop(world, started, false);
}

void Stopwatch::stop(const World& world, Time started, bool is_done) {
        times_.aggregate_s += in_seconds(world.now - started);
        times_.makespan_s = in_seconds(world.now - *first_start_);
        times_.unfinished += is_done ? 0 : 1;
}

void Meter::started(const World& world, const Resident& resident) {
        stopwatch_.started(world, resident);
        auto& measured = present_[resident.number];
        measured.user = resident.process->program().user;
        measured.governed = resident.client.has_value();
        measured.started = world.now;
}

void Meter::ended(const World& world, const Resident& resident) {
        stopwatch_.ended(world, resident);
        close(present_.at(resident.number), world);
        present_.erase(resident.number);
}

void Meter::close(const Measured& measured, const World& world) {
        if (!measured.governed)
                return;
        const auto lived = world.now - measured.started;
        process_s_ += in_seconds(lived);
        auto& account = accounts_[measured.user];
        account.granted_s += measured.account.granted_s;
        account.entitled_s += measured.account.entitled_s;
        if (lived >= Figures::kLong && measured.account.entitled_s > 0)
                ratios_.push_back(measured.account.granted_s / measured.account.entitled_s);
}

void Meter::decided(const World& world) {
        figures_.decisions++;
        count_changes(world);
        update_entitlements(world);
}

void Meter::count_changes(const World& world) {
        double changes = 0;
        bool lending = false;
        for (const auto& resident : world.residents) {
                const auto* held = world.held(resident);
                if (held == nullptr)
                        continue;
                auto& measured = present_.at(resident.number);
                const auto& grant = held->grant;
                const bool lends = is_lending(grant.reason.limit);
                if (measured.threads > 0 &&
                    (measured.threads != grant.threads || measured.cpus != grant.cpus)) {
                        changes++;
                        lending = lending || lends || measured.lends;
                }
                measured.threads = grant.threads;
                measured.cpus = grant.cpus;
                measured.lends = lends;
        }
        changes_ += changes;
        if (!lending && world.now - world.disturbed > Figures::kAftermath)
                flaps_ += changes;
}

void Meter::update_entitlements(const World& world) {
        const auto snapshot = world.snapshot();
        const auto entitled =
                entitlements(world.scenario.governor.fair, snapshot, {.by_demand = true});
        for (const auto& resident : world.residents) {
                if (!resident.client)
                        continue;
                auto& measured = present_.at(resident.number);
                measured.entitled = 0;
                for (std::size_t i = 0; i < snapshot.clients.size(); i++)
                        if (snapshot.clients[i].id == *resident.client)
                                measured.entitled = std::max(entitled[i], 1.0);
        }
}

void Meter::passes(const World& world, Time span) {
        const double passed_s = in_seconds(span);
        if (world.residents.empty())
                return;
        crowd_.assign(world.scenario.machine.cpus, 0);
        std::uint64_t doubled = 0;
        for (const auto& resident : world.residents) {
                auto& measured = present_.at(resident.number);
                measured.account.granted_s += measured.threads * passed_s;
                measured.account.entitled_s += measured.entitled * passed_s;
                used_s_ += resident.process->rate() * passed_s;
                if (resident.client)
                        resident.process->occupied().for_each(
                                [&](std::uint32_t cpu) { doubled += crowd_[cpu]++ > 0 ? 1 : 0; });
        }
        used_s_ += world.foreign_rate * passed_s;
        online_s_ += world.machine.online().count() * passed_s;
        figures_.oversubscribed_s += static_cast<double>(doubled) * passed_s;
}

void Meter::over(const World& world) {
        stopwatch_.over(world);
        static_cast<Times&>(figures_) = stopwatch_.times();
        for (const auto& [number, measured] : present_)
                close(measured, world);
        std::vector<double> by_account;
        for (const auto& [user, account] : accounts_)
                if (account.entitled_s > 0)
                        by_account.push_back(account.granted_s / account.entitled_s);
        figures_.fairness = jain_index(by_account);
        figures_.fairness_programs = jain_index(ratios_);
        figures_.utilisation = ratio(used_s_, online_s_);
        figures_.flaps_per_minute = ratio(flaps_, process_s_ / kMinute);
        figures_.changes_per_minute = ratio(changes_, process_s_ / kMinute);
}

}  // namespace simulation
