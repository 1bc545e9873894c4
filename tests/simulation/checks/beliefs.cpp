// SPDX-License-Identifier: MIT
// A wrong belief for a moment is no mistake; how long it lasts is measured.
#include "simulation/checks/beliefs.hpp"

#include <algorithm>
#include <cstdio>

namespace simulation {

namespace {

using governor::policy::fair::Client;
using governor::policy::fair::Snapshot;

std::string rounded(double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", value);
        return text;
}

/// Clients none of whose CPUs are online run where the governor does not expect them.
bool everybody_has_cpus(const World& world) {
        return std::ranges::all_of(world.residents, [&](const Resident& resident) {
                return !resident.client ||
                       resident.process->allowed().intersects(world.machine.online());
        });
}

}  // namespace

void Beliefs::decided(const World& world) {
        if (world.now < next_look_)
                return;
        next_look_ = world.now + world.scenario.governor.period / 2;
        const auto believed = world.believed();
        check_foreign(world, believed);
        for (const auto& client : believed.clients) {
                const auto resident =
                        std::ranges::find_if(world.residents, [&](const Resident& one) {
                                return one.client == client.id;
                        });
                if (resident != world.residents.end())
                        check_client(world, *resident, client);
        }
}

/// The burn of a program that is gone is guessed from its grant. The guess is too low for a program
/// that burns more.
void Beliefs::ended(const World& world, const Resident& resident) {
        watches_.erase(resident.number);
        if (!is_honest(resident))
                too_much_.restart(world.now);
}

void Beliefs::passes(const World& world, Time span) {
        if (!lately_.empty() && lately_.back().cpus == world.foreign_load)
                lately_.back().until += span;
        else
                lately_.push_back({world.now + span, world.foreign_load});
        while (lately_.front().until + kLately < world.now)
                lately_.pop_front();
}

double Beliefs::burned_idly(const World& world, const Snapshot& believed) {
        double cpus = 0;
        for (const auto& resident : world.residents) {
                const auto client = std::ranges::find_if(believed.clients, [&](const Client& one) {
                        return resident.client == one.id;
                });
                const auto& watch = watches_[resident.number];
                if (client != believed.clients.end() && client->idle && watch.looked > Time(0) &&
                    world.now > watch.looked)
                        cpus += (resident.process->cpu_s() - watch.cpu_s) /
                                in_seconds(world.now - watch.looked);
        }
        return cpus;
}

void Beliefs::check_foreign(const World& world, const Snapshot& believed) {
        if (lately_.empty())
                return;
        idle_lately_.push_back({world.now, burned_idly(world, believed)});
        while (idle_lately_.front().until + kLately < world.now)
                idle_lately_.pop_front();
        const auto& cpus = world.machine.online();  // which are in the pool does not matter
        const double sees = believed.foreign.millicpu(cpus) / 1000.0;
        const auto [lowest, highest] = std::ranges::minmax_element(lately_, {}, &Load::cpus);
        const double least = lowest->cpus;
        const double most =
                highest->cpus + std::ranges::max_element(idle_lately_, {}, &Load::cpus)->cpus;
        const double tolerance = kTolerance + kToleratedPart * cpus.count();
        const auto check = [&](Since& since, bool is_wrong) {
                if (const auto lasts = since.update(is_wrong, world.now);
                    lasts > settling_time(world))
                        violated(world, "foreign-belief",
                                 rounded(sees) + " CPUs of foreign load are seen, and lately " +
                                         rounded(least) + " to " + rounded(most) +
                                         " were there, for " + rounded(in_seconds(lasts)) + " s");
        };
        const bool is_known = everybody_has_cpus(world);
        check(too_much_, is_known && sees > most + tolerance);
        check(too_little_, is_known && sees < least - tolerance);
}

void Beliefs::check_client(const World& world, const Resident& resident, const Client& believed) {
        const auto& process = *resident.process;
        auto& watch = watches_[resident.number];
        const auto span = world.now - watch.looked;
        const double burns = watch.looked > Time(0) && span > Time(0)
                                     ? (process.cpu_s() - watch.cpu_s) / in_seconds(span)
                                     : 0;
        const double runnable_s = process.thread_s() + process.waited_s();
        const bool is_heavy = watch.looked > Time(0) &&
                              runnable_s - watch.runnable_s > kHeavyPart * in_seconds(span);
        watch.runnable_s = runnable_s;
        watch.cpu_s = process.cpu_s();
        watch.looked = world.now;
        const auto* held = world.held(resident);
        if (world.yields(resident)) {  // what it does while it waits tells nothing
                watch.held_back = watch.idles = watch.heavy = {};
                const auto late = time_point(world.now - world.scenario.governor.fair.handover_max);
                if (believed.parked && believed.above_since && *believed.above_since <= late)
                        violated(world, "rigid-belief",
                                 name_of(resident) + " waits, yields, and is believed not to "
                                                     "follow");
        }
        if (held == nullptr || !is_honest(resident) || world.yields(resident))
                return;
        const bool works = is_hungry(resident) && burns > held->grant.threads * kBusyPart;
        const bool is_held_back =
                believed.wants && (works || (!believed.idle && *believed.wants < burns - 0.01));
        if (const auto lasts = watch.held_back.update(is_held_back, world.now);
            lasts > settling_time(world))
                violated(world, "demand-belief",
                         name_of(resident) + " is believed to want " +
                                 std::to_string(*believed.wants) + ", has " +
                                 std::to_string(held->grant.threads) + ", burns " + rounded(burns) +
                                 ", for " + rounded(in_seconds(lasts)) + " s");
        if (const auto lasts = watch.heavy.update(is_heavy, world.now);
            believed.light && lasts > settling_time(world))
                violated(world, "light-belief",
                         name_of(resident) + " could have run most of the time for " +
                                 rounded(in_seconds(lasts)) + " s, and is believed to use little");
        const bool does_nothing =
                process.stopped() || (process.phase() == Phase::Sleep && burns <= 0);
        if (const auto lasts = watch.idles.update(does_nothing, world.now);
            !believed.idle && lasts > settling_time(world))
                violated(world, "demand-belief",
                         name_of(resident) + " has done nothing for " + rounded(in_seconds(lasts)) +
                                 " s, and is not believed to be idle");
}

}  // namespace simulation
