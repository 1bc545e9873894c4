// SPDX-License-Identifier: MIT
// Batch programs in turn that are no faster with more CPUs, beside a policy that does not know.
#include "simulation/report/figures.hpp"
#include "simulation/report/trace.hpp"
#include "simulation/scenario/random.hpp"
#include "simulation/tests/cases.hpp"
#include "simulation/world/run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Seconds = std::chrono::duration<double>;

namespace fair = governor::policy::fair;

fair::Snapshot without_speedups(const fair::Snapshot& snapshot) {
        auto told = snapshot;
        for (auto& client : told.clients) {
                client.scaling = {};
                client.probe_width.reset();
        }
        return told;
}

fair::Decision decide_without(const fair::Settings& settings, const fair::Snapshot& snapshot) {
        return fair::decide(settings, without_speedups(snapshot));
}

const Decider kKnows;
const Decider kDoesNotKnow{decide_without, without_speedups};

using Law = std::function<Speedup(Random&, std::uint32_t cpus)>;

Speedup linear(Random&, std::uint32_t) { return {}; }

/// From one that is serial to one that all CPUs make faster.
Speedup flat(Random& random, std::uint32_t cpus) {
        return {Speedup::Law::Flat, static_cast<double>(random.between(1U, cpus))};
}

Speedup amdahl(Random& random, std::uint32_t) {
        return {Speedup::Law::Amdahl, 1 - 0.001 * random.between(1U, 500U)};
}

Speedup any(Random& random, std::uint32_t cpus) {
        switch (random.below(3)) {
        case 0:
                return flat(random, cpus);
        case 1:
                return amdahl(random, cpus);
        default:
                return linear(random, cpus);
        }
}

/// A program that takes `alone` alone on all CPUs, of regions that take from 0.1 to 100 ms there.
Program job(Random& random, std::uint32_t number, Speedup speedup, Time alone, std::uint32_t cpus) {
        Program program;
        program.name = "job" + std::to_string(number);
        program.scheduling_class = fair::Class::Batch;
        program.waits = true;
        program.progress = random.chance(50);
        program.speedup = speedup;
        const Time region = microseconds(100U << random.between(0U, 10U));
        program.region = std::chrono::round<Time>(region * speedup.of(cpus));
        program.regions = static_cast<std::uint64_t>(alone / region);
        return program;
}

Scenario draw(std::uint64_t seed, const Law& law, Time shortest) {
        Random random(seed);
        Scenario scenario;
        scenario.machine.cpus = 1U << random.between(2U, 6U);
        scenario.end = seconds(1'000'000);
        scenario.governor.fair.turn_max_wait = seconds(1'000'000);
        scenario.governor.fair.foreign_max_permyriad = 0;  // there is none, whatever it looks like
        const auto n = random.between(2U, 8U);
        for (std::uint32_t i = 0; i < n; i++) {
                const auto alone = std::chrono::round<milliseconds>(
                        shortest * std::pow(10, random.between(0U, 1'000'000U) / 1e6));
                scenario.programs.push_back(job(random, i, law(random, scenario.machine.cpus),
                                                alone, scenario.machine.cpus));
        }
        return scenario;
}

Times play(const Scenario& scenario, const Decider& decider) {
        Stopwatch stopwatch;
        run(scenario, {decider, {&stopwatch}});
        EXPECT_EQ(stopwatch.times().unfinished, 0) << scenario.name;
        return stopwatch.times();
}

constexpr std::uint64_t kSeeds = kCases / 10;

using Change = std::function<void(Scenario&)>;

void of_one_label(Scenario& scenario) {
        for (auto& program : scenario.programs) {
                program.label = "job";
                program.progress = false;
        }
}

void of_one_length(Scenario& scenario) {
        of_one_label(scenario);
        for (auto& program : scenario.programs) {
                program.region = scenario.programs.front().region;
                program.regions = scenario.programs.front().regions;
        }
}

enum class How : std::uint8_t { InTurn, InTurnNotKnown, Sharing };

/// The times of kSeeds machines.
std::vector<Times> play_all(How how, const Law& law, Time shortest, const Change& change = {}) {
        std::vector<Times> all;
        for (std::uint64_t seed = 1; seed <= kSeeds; seed++) {
                auto scenario = draw(seed, law, shortest);
                if (change)
                        change(scenario);
                scenario.governor.fair.turns = how != How::Sharing;
                all.push_back(play(scenario, how == How::InTurnNotKnown ? kDoesNotKnow : kKnows));
        }
        return all;
}

struct Ratio {
        double mean = 0;
        double worst = 0;

        void add(double ratio) {
                mean += ratio / kSeeds;
                worst = std::max(worst, ratio);
        }
};

struct Ratios {
        Ratio aggregate;
        Ratio makespan;
};

/// Machine by machine.
Ratios ratios_of(const std::vector<Times>& times, const std::vector<Times>& others) {
        Ratios ratios;
        for (std::size_t i = 0; i < times.size(); i++) {
                ratios.aggregate.add(times[i].aggregate_s / others[i].aggregate_s);
                ratios.makespan.add(times[i].makespan_s / others[i].makespan_s);
        }
        return ratios;
}

Ratios in_turn_to_sharing(const Law& law, const Change& change = {}) {
        return ratios_of(play_all(How::InTurn, law, seconds(30), change),
                         play_all(How::Sharing, law, seconds(30), change));
}

bool was_granted(const Trace& trace, fair::Limit limit) {
        return std::ranges::any_of(trace.lives, [&](const Life& life) {
                return std::ranges::any_of(life.grants, [&](const GrantStep& grant) {
                        return grant.reason.limit == limit;
                });
        });
}

}  // namespace

// A try cuts into a region: a program that is above its grant for handover_max is called rigid.
TEST(SpeedupInTurns, NobodyIsRigidForATry) {
        for (const auto region : {milliseconds(200), milliseconds(3'100)}) {
                Scenario scenario;
                scenario.machine.cpus = 16;
                scenario.end = seconds(1'000);
                scenario.governor.fair.turn_quantum = seconds(10'000);  // only tries take away
                scenario.governor.fair.turn_max_wait = seconds(10'000);
                Random random(1);
                for (std::uint32_t i = 0; i < 2; i++) {
                        scenario.programs.push_back(job(random, i, {}, seconds(300), 16));
                        scenario.programs.back().progress = false;
                        scenario.programs.back().region = region * 16;
                        scenario.programs.back().regions =
                                static_cast<std::uint64_t>(seconds(300) / region);
                }
                const auto trace = record(scenario);
                EXPECT_FALSE(was_granted(trace, Limit::Rigid)) << region.count();
                EXPECT_EQ(was_granted(trace, Limit::Demand), region < seconds(1))
                        << "long ones are not tried";
        }
}

// A program that is late by a moment may lose its turn before its end. The sum is therefore looked
// at on average.
TEST(SpeedupInTurns, LinearProgramsLoseLittle) {
        const auto ratios = ratios_of(play_all(How::InTurn, linear, seconds(10)),
                                      play_all(How::InTurnNotKnown, linear, seconds(10)));
        EXPECT_LE(ratios.makespan.worst, 1.03);
        if (kMeansCount) {
                EXPECT_LE(ratios.aggregate.mean, 1.02);
        }
}

// Half of the programs tell their length. All share until what they gain by more CPUs is known.
TEST(SpeedupInTurns, LinearProgramsGainBesideSharing) {
        const auto ratios = in_turn_to_sharing(linear);
        if (kMeansCount) {
                EXPECT_LE(ratios.aggregate.mean, 0.92);
                EXPECT_LE(ratios.makespan.mean, 1.01);
        }
}

// Nor does it pay not to know what they gain.
TEST(SpeedupInTurns, NoLawLosesBesideSharing) {
        for (const auto& law : {Law(flat), Law(amdahl), Law(any)}) {
                const auto in_turn = play_all(How::InTurn, law, seconds(30));
                const auto sharing = ratios_of(in_turn, play_all(How::Sharing, law, seconds(30)));
                const auto not_known =
                        ratios_of(in_turn, play_all(How::InTurnNotKnown, law, seconds(30)));
                if (kMeansCount) {
                        EXPECT_LE(sharing.aggregate.mean, 1.00);
                        EXPECT_LE(sharing.makespan.mean, 1.03);
                        EXPECT_LE(not_known.aggregate.mean, 1.00);
                }
        }
}

// A label says that programs are equally long.
TEST(SpeedupInTurns, ALabelThatIsRightPaysAndOneThatLiesCostsLittle) {
        const auto right = in_turn_to_sharing(linear, of_one_length);
        const auto wrong = in_turn_to_sharing(linear, of_one_label);
        if (kMeansCount) {
                EXPECT_LE(right.aggregate.mean, 0.90);
                EXPECT_LE(wrong.aggregate.mean, 1.05);
        }
}

}  // namespace simulation
