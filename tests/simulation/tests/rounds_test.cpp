// SPDX-License-Identifier: MIT
// Programs that keep their teams: in rounds, and beside everything else that there is.
#include "simulation/checks/invariants.hpp"
#include "simulation/policies/policies.hpp"
#include "simulation/report/figures.hpp"
#include "simulation/scenario/generator.hpp"
#include "simulation/scenario/random.hpp"
#include "simulation/tests/cases.hpp"
#include "simulation/world/run.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kRandomCases = kCases / 5;

Times measured(const Scenario& scenario) {
        Stopwatch stopwatch;
        run(scenario, {{}, {&stopwatch}});
        return stopwatch.times();
}

/// 2 to 6 linear programs of libgomp whose teams have a quarter to all of 2 to 64 CPUs, and that
/// take 2 to 6 s alone.
Scenario some_teams(std::uint64_t seed) {
        Random random(seed);
        Scenario scenario;
        scenario.end = seconds(1000);
        scenario.machine.cpus = random.pick({2U, 4U, 8U, 16U, 64U});
        scenario.machine.runtime = Runtime::Libgomp;
        const auto is_batch = random.chance(50);
        for (std::uint32_t i = random.between(2U, 6U); i > 0; i--) {
                Program program;
                program.name = "team" + std::to_string(i);
                program.behaviour = Behaviour::Keeper;
                program.start = random.between(milliseconds(0), milliseconds(2000));
                program.max = std::max(
                        2U, random.between(scenario.machine.cpus / 4, scenario.machine.cpus));
                const Time alone = random.pick<Time>(
                        {milliseconds(1), milliseconds(5), milliseconds(20), milliseconds(100)});
                program.region = alone * program.max;
                program.regions = static_cast<std::uint64_t>(
                        random.between(milliseconds(2000), milliseconds(6000)) / alone);
                if (is_batch)
                        program.scheduling_class = governor::policy::fair::Class::Batch;
                scenario.programs.push_back(program);
        }
        return scenario;
}

/// The time if each program ran alone, one after the other.
double alone_s(const Scenario& scenario) {
        double sum_s = 0;
        for (const auto& program : scenario.programs)
                sum_s += std::chrono::duration<double>(program.region).count() / program.max *
                         static_cast<double>(program.regions);
        return sum_s;
}

Scenario unmodified(Scenario scenario) {
        for (auto& program : scenario.programs)
                program.behaviour = Behaviour::Unlinked;
        return scenario;
}

/// They are interactive, and their waiting threads sleep where it is crowded.
Scenario with_sleepers(Scenario scenario) {
        for (auto& program : scenario.programs) {
                program.scheduling_class = governor::policy::fair::Class::Interactive;
                program.sleeps = true;
        }
        return scenario;
}

/// As programs that nobody modified with OMP_WAIT_POLICY=passive.
Scenario passive(Scenario scenario) {
        for (auto& program : scenario.programs)
                program.spins = false;
        return unmodified(std::move(scenario));
}

struct OverCases {
        double sum = 0;
        double worst = 0;
        void add(double ratio) {
                sum += std::log(ratio);
                worst = std::max(worst, ratio);
        }
        [[nodiscard]] double mean() const {
                return std::exp(sum / static_cast<double>(kRandomCases));
        }
};

}  // namespace

TEST(Rounds, TakeNoLongerThanOneAfterTheOther) {
        OverCases makespans;
        OverCases sums;
        for (std::uint64_t seed = 1; seed <= kRandomCases; seed++) {
                const auto scenario = some_teams(seed);
                const auto rounds = measured(scenario);
                const auto spinning = measured(unmodified(scenario));
                ASSERT_EQ(rounds.unfinished, 0) << seed;
                makespans.add(rounds.makespan_s / (alone_s(scenario) + 2));
                sums.add(rounds.aggregate_s / spinning.aggregate_s);
        }
        if (kMeansCount) {
                EXPECT_LT(makespans.mean(), 0.8) << "many fit side by side";
                EXPECT_LT(sums.mean(), 0.8);
        }
        EXPECT_LT(makespans.worst, 1.1);
        EXPECT_LT(sums.worst, 1.35) << "long regions, and teams that leave CPUs idle";
}

/// A serial part that is a third of the time, too short for the others to have a round in it.
TEST(Crowds, AreAsFastAsPassiveWaiting) {
        OverCases sums;
        for (std::uint64_t seed = 1; seed <= kRandomCases; seed++) {
                auto scenario = with_sleepers(some_teams(seed));
                for (auto& program : scenario.programs) {
                        program.region = program.region / program.max * scenario.machine.cpus;
                        program.max = scenario.machine.cpus;
                        program.serial = program.region / program.max / 2;
                }
                const auto crowd = measured(scenario);
                ASSERT_EQ(crowd.unfinished, 0) << seed;
                sums.add(crowd.aggregate_s / measured(passive(scenario)).aggregate_s);
        }
        if (kMeansCount) {
                EXPECT_LT(sums.mean(), 1.03);
        }
        EXPECT_LT(sums.worst, 1.1);
}

/// A wake costs half of such a region. With ten teams a thread that is woken finds its CPU
/// busy anyway.
TEST(Crowds, AreNotMuchSlowerThanRoundsNorTheseThanACrowd) {
        for (const auto& [cpus, teams] : {std::pair{2U, 2U}, {8U, 2U}, {8U, 10U}}) {
                Scenario scenario;
                scenario.end = seconds(1000);
                scenario.machine.cpus = cpus;
                scenario.machine.runtime = Runtime::Libgomp;
                for (std::uint32_t i = 0; i < teams; i++) {
                        Program program;
                        program.name = "team" + std::to_string(i);
                        program.behaviour = Behaviour::Keeper;
                        program.max = cpus;
                        program.region = microseconds(5) * cpus;
                        program.regions = 2'000'000 / teams;
                        scenario.programs.push_back(program);
                }
                const auto tried = measured(with_sleepers(scenario));
                const auto rounds = measured(scenario);
                const auto crowd = measured(passive(scenario));
                EXPECT_LT(tried.aggregate_s, 1.1 * std::min(rounds.aggregate_s, crowd.aggregate_s))
                        << cpus << ' ' << teams;
                EXPECT_EQ(crowd.aggregate_s > 1.3 * rounds.aggregate_s, teams == 2) << cpus;
        }
}

/// Programs of all kinds on machines of all kinds, some of which keep their teams.
TEST(Rounds, BreakNothingForOthers) {
        const auto fair = find_policy("fair");
        ASSERT_TRUE(fair);
        for (std::uint64_t seed = 1; seed <= kRandomCases; seed++) {
                auto scenario = random_scenario(seed);
                Random random(seed);
                for (auto& program : scenario.programs)
                        if (program.behaviour == Behaviour::Honest && random.chance(40)) {
                                program.behaviour = Behaviour::Keeper;
                                program.sleeps = random.chance(50);
                        }
                for (const auto& broken : broken_invariants(scenario, fair->decider))
                        ADD_FAILURE() << broken.text(scenario);
        }
}

}  // namespace simulation
