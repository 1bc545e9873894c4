// SPDX-License-Identifier: MIT
// What real machines cost and the fluid does not: barriers, spinning, cores, memory.
#include "simulation/report/trace.hpp"
#include "simulation/world/contention.hpp"
#include "simulation/world/waiting.hpp"

#include <gtest/gtest.h>
#include <string>

namespace simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// `count` programs of half a second each that nobody governs, on two CPUs.
Scenario crowd(Runtime runtime, Time region, std::uint32_t count) {
        Scenario scenario;
        scenario.machine.cpus = 2;
        scenario.machine.runtime = runtime;
        scenario.end = seconds(600);
        Program program;
        program.name = "a";
        program.copies = count;
        program.region = region;
        program.regions = static_cast<std::uint64_t>(Time(seconds(1)) / region);
        program.behaviour = Behaviour::Ungoverned;
        scenario.programs = {program};
        return scenario;
}

double makespan_s(const Scenario& scenario) {
        Time last{0};
        for (const auto& life : record(scenario).lives)
                last = std::max(last, life.ended.value());
        return std::chrono::duration<double>(last).count();
}

}  // namespace

TEST(Barriers, CostNothingInTheFluid) {
        EXPECT_NEAR(makespan_s(crowd(Runtime::Free, milliseconds(1), 4)), 2, 1e-6);
}

TEST(Barriers, CostNothingWhereATeamHasItsCpus) {
        EXPECT_NEAR(makespan_s(crowd(Runtime::Libgomp, milliseconds(1), 1)), 0.5, 1e-6);
}

TEST(Barriers, CostASpinningTeamThatLacksCpusATimesliceEach) {
        EXPECT_GT(makespan_s(crowd(Runtime::Libgomp, milliseconds(1), 4)), 2 * 2);
        EXPECT_LT(makespan_s(crowd(Runtime::Libgomp, milliseconds(200), 4)), 2 * 1.1);
}

TEST(Barriers, CostMoreWhereMoreProgramsShareTheCpus) {
        const auto over_ideal = [](std::uint32_t count) {
                return makespan_s(crowd(Runtime::Libgomp, milliseconds(1), count)) / count;
        };
        EXPECT_LT(over_ideal(2), over_ideal(4));
        EXPECT_LT(over_ideal(4), over_ideal(8));
}

TEST(Barriers, CostLessWhereThreadsLetOthersRun) {
        for (const auto region : {Time(microseconds(50)), Time(milliseconds(1))}) {
                const auto spins = crowd(Runtime::Libgomp, region, 4);
                const auto yields = crowd(Runtime::Libomp, region, 4);
                auto sleeps = spins;
                sleeps.programs[0].spins = false;
                EXPECT_LT(makespan_s(yields), makespan_s(spins));
                EXPECT_LT(makespan_s(sleeps), makespan_s(spins));
        }
}

TEST(Barriers, WakeThreadsThatSlept) {
        auto sleeps = crowd(Runtime::Libgomp, microseconds(50), 1);
        sleeps.programs[0].spins = false;
        EXPECT_GT(makespan_s(sleeps), 0.5 * 1.5);
        sleeps.programs[0].region = milliseconds(200);
        sleeps.programs[0].regions = 5;
        EXPECT_LT(makespan_s(sleeps), 0.5 * 1.01);
}

TEST(SpinsOn, BetweenRegionsUntilItSleeps) {
        const auto burned_s = [](Runtime runtime, Time pause) {
                auto scenario = crowd(runtime, milliseconds(20), 1);
                scenario.programs[0].sleep = pause;
                return record(scenario).lives.front().cpu_s;
        };
        const double work_s = 1;
        const double pauses = 49;
        EXPECT_NEAR(burned_s(Runtime::Free, milliseconds(50)), work_s, 1e-6);
        EXPECT_NEAR(burned_s(Runtime::Libgomp, milliseconds(50)), work_s + pauses * 0.007, 0.01);
        EXPECT_NEAR(burned_s(Runtime::Libgomp, milliseconds(6)), work_s + pauses * 0.006, 0.01);
        EXPECT_NEAR(burned_s(Runtime::Libomp, milliseconds(50)), work_s + pauses * 0.05, 0.01);
}

TEST(SpinsOn, AfterATeamHasShrunk) {
        // A newcomer that sleeps all the time takes two of four CPUs and leaves them idle.
        const auto burned_s = [](Runtime runtime) {
                auto scenario = crowd(runtime, milliseconds(20), 1);
                scenario.machine.cpus = 4;
                scenario.programs[0].regions = 0;
                scenario.programs[0].behaviour = Behaviour::Honest;
                auto second = scenario.programs[0];
                second.name = "b";
                second.spins = false;
                second.start = seconds(2);
                second.region = seconds(1);
                second.sleep = seconds(3);
                scenario.programs.push_back(second);
                scenario.end = seconds(6);
                return record(scenario).lives[0].cpu_s;
        };
        EXPECT_GT(burned_s(Runtime::Libomp), burned_s(Runtime::Libgomp) + 0.1);
}

TEST(SpinsOn, OnlyForAWhileAfterATeamHasShrunkForGood) {
        // Half of the time four threads work, and three of them spin in the other half.
        const auto burned_s = [](Time until) {
                auto scenario = crowd(Runtime::Libomp, milliseconds(80), 1);
                scenario.machine.cpus = 8;
                scenario.programs[0].regions = 0;
                scenario.programs[0].sleep = milliseconds(20);
                scenario.programs[0].behaviour = Behaviour::Honest;
                auto second = scenario.programs[0];
                second.name = "b";
                second.start = seconds(2);
                second.region = seconds(80);
                scenario.programs.push_back(second);
                scenario.end = until;
                return record(scenario).lives[0].cpu_s;
        };
        EXPECT_NEAR(burned_s(seconds(14)) - burned_s(seconds(4)), 10 * 3.5, 1);
}

TEST(Autogroup, GivesAProcessAsMuchAsAnotherWithMoreThreads) {
        // The first one has a thread on each CPU, the others are pinned to one each.
        const auto first_took_s = [](bool autogroup) {
                auto scenario = crowd(Runtime::Free, milliseconds(1), 1);
                scenario.machine.autogroup = autogroup;
                for (const std::uint32_t cpu : {0U, 1U}) {
                        auto pinned = crowd(Runtime::Free, milliseconds(1), 1).programs[0];
                        pinned.name = cpu == 0 ? "b" : "c";
                        pinned.cpus = CpuSet{cpu};
                        scenario.programs.push_back(pinned);
                }
                const auto trace = record(scenario);
                return std::chrono::duration<double>(*trace.find("a")->ended).count();
        };
        EXPECT_NEAR(first_took_s(false), 1, 1e-3);
        EXPECT_NEAR(first_took_s(true), 1.5, 1e-3);
}

TEST(AsksEvery, FollowsAtTheNextIteration) {
        Scenario scenario;
        scenario.machine.cpus = 8;
        scenario.end = seconds(10);
        Program first;
        first.name = "a";
        first.region = milliseconds(80);
        first.asks_every = 100;  // a second with eight threads
        auto second = first;
        second.name = "b";
        second.asks_every = 1;
        second.start = milliseconds(1500);
        scenario.programs = {first, second};
        const auto trace = record(scenario);
        const auto told_s = [&](Time at) { return trace.granted("a", at); };
        EXPECT_EQ(told_s(milliseconds(1900)), 4U);
        EXPECT_EQ(trace.find("a")->ran(milliseconds(1900))->team, 8U);
        EXPECT_EQ(trace.find("a")->ran(milliseconds(4100))->team, 4U);
}

TEST(Cores, ShareTheirUnitsWhereBothCpusAreBusy) {
        MachineShape shape;
        shape.cpus = 4;
        shape.smt = 2;
        shape.shared_core = 0.6;
        EXPECT_EQ(core_speeds(shape, std::vector{1.0, 1.0, 0.0, 0.0}),
                  (std::vector{1.0, 1.0, 1.0, 1.0}));
        EXPECT_EQ(core_speeds(shape, std::vector{0.5, 0.5, 0.5, 0.5}),
                  (std::vector{1.0, 1.0, 1.0, 1.0}));
        const auto speeds = core_speeds(shape, std::vector{1.0, 1.0, 1.0, 0.0});
        EXPECT_NEAR(speeds[0], 0.6, 1e-9);
        EXPECT_NEAR(speeds[1], 1, 1e-9);
        EXPECT_NEAR(speeds[2], 0.6, 1e-9);
}

TEST(Cores, MakePlacementMatter) {
        const auto took_s = [](const CpuSet& cpus) {
                auto scenario = crowd(Runtime::Free, milliseconds(10), 1);
                scenario.machine.cpus = 4;
                scenario.machine.smt = 2;
                scenario.machine.shared_core = 0.6;
                scenario.programs[0].cpus = cpus;
                return makespan_s(scenario);
        };
        EXPECT_NEAR(took_s({0, 1}), 0.5, 1e-6);
        EXPECT_NEAR(took_s({0, 2}), 0.5 / 0.6, 1e-6);
}

TEST(Memory, SlowsDownThoseThatTogetherWantMoreThanThereIs) {
        const auto took_s = [](std::uint32_t copies, double bandwidth) {
                auto scenario = crowd(Runtime::Free, milliseconds(10), copies);
                scenario.machine.cpus = 4;
                scenario.programs[0].cpus = CpuSet{0, 1};
                scenario.programs[0].bandwidth = bandwidth;
                auto other = scenario.programs[0];
                other.name = "b";
                other.copies = 1;
                other.bandwidth = 0;
                other.cpus = CpuSet{2, 3};
                scenario.programs.push_back(other);
                const auto trace = record(scenario);
                return std::pair{std::chrono::duration<double>(*trace.find("a")->ended).count(),
                                 std::chrono::duration<double>(*trace.find("b")->ended).count()};
        };
        EXPECT_NEAR(took_s(1, 0.5).first, 0.5, 1e-6);
        EXPECT_NEAR(took_s(1, 0.8).first, 0.5 * 1.6, 1e-6);
        EXPECT_NEAR(took_s(1, 0.8).second, 0.5, 1e-6);
}

}  // namespace simulation
