// SPDX-License-Identifier: MIT
// Programs whose times are known.
#include "simulation/report/figures.hpp"
#include "simulation/report/trace.hpp"
#include "simulation/scenario/generator.hpp"

#include <gtest/gtest.h>

namespace simulation {

namespace {

using governor::policy::fair::Decision;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Scenario on_cpus(std::uint32_t cpus, Time end = seconds(20)) {
        Scenario scenario;
        scenario.machine.cpus = cpus;
        scenario.end = end;
        return scenario;
}

/// All have the first CPU, and share it.
Decision share_one_cpu(const Settings&, const Snapshot& snapshot) {
        Decision decision;
        for (const auto& client : snapshot.clients) {
                auto& grant = decision.grants.emplace_back();
                grant.id = client.id;
                grant.cpus = CpuMask::range(0, 1);
                grant.shared = true;
        }
        return decision;
}

Program program(const std::string& name, Time region, std::uint64_t regions = 0) {
        Program made;
        made.name = name;
        made.region = region;
        made.regions = regions;
        return made;
}

double end_s(const Trace& trace, std::string_view name) {
        return std::chrono::duration<double>(trace.find(name)->ended.value()).count();
}

}  // namespace

TEST(Run, AProgramAloneTakesItsWorkOverTheCpus) {
        auto scenario = on_cpus(4);
        scenario.programs = {program("a", milliseconds(100), 100)};
        EXPECT_NEAR(end_s(record(scenario), "a"), 2.5, 1e-6);
}

TEST(Run, AmdahlsLawHolds) {
        auto scenario = on_cpus(4);
        scenario.programs = {program("a", milliseconds(100), 100)};
        scenario.programs[0].speedup = {Speedup::Law::Amdahl, 0.5};
        EXPECT_NEAR(end_s(record(scenario), "a"), 10 * (0.5 + 0.5 / 4), 1e-6);
}

TEST(Run, PausesAddUp) {
        auto scenario = on_cpus(4);
        scenario.programs = {program("a", milliseconds(400), 10)};
        scenario.programs[0].serial = milliseconds(50);
        scenario.programs[0].sleep = milliseconds(30);
        EXPECT_NEAR(end_s(record(scenario), "a"), 10 * 0.1 + 9 * 0.08, 1e-6);
}

TEST(Run, ShortTurnsTakeAsLongAsWhenSimulatedOneByOne) {
        auto scenario = on_cpus(4);
        scenario.programs = {program("a", microseconds(400), 1000)};
        scenario.programs[0].serial = microseconds(50);
        scenario.programs[0].sleep = microseconds(30);
        EXPECT_NEAR(end_s(record(scenario), "a"), 1000 * 180e-6, 1e-3);
}

TEST(Run, AStoppedProgramDoesNothing) {
        auto scenario = on_cpus(4);
        scenario.programs = {program("a", milliseconds(100), 100)};
        scenario.programs[0].stopped = {{seconds(1), seconds(3)}};
        EXPECT_NEAR(end_s(record(scenario), "a"), 4.5, 1e-6);
}

TEST(Run, ATeamKeepsItsCpusUntilItsRegionEnds) {
        auto scenario = on_cpus(8, seconds(10));
        scenario.programs = {program("a", seconds(32)), program("b", milliseconds(80))};
        scenario.programs[1].start = seconds(1);
        const auto trace = record(scenario);
        EXPECT_EQ(trace.granted("a", milliseconds(2500)), 4U);
        EXPECT_EQ(trace.find("a")->ran(milliseconds(2500))->team, 8U);
        EXPECT_EQ(trace.find("a")->ran(milliseconds(6500))->team, 4U);
}

TEST(Run, ACrashFreesEverythingAtOnce) {
        auto scenario = on_cpus(8, seconds(10));
        scenario.programs = {program("a", milliseconds(80)), program("b", seconds(600))};
        scenario.programs[1].killed = seconds(5);
        const auto trace = record(scenario);
        EXPECT_EQ(trace.granted("a", milliseconds(4900)), 4U);
        EXPECT_EQ(trace.granted("b", milliseconds(5100)), 0U);
        EXPECT_EQ(trace.granted("a", milliseconds(5100)), 8U);
        EXPECT_FALSE(trace.find("b")->finished);
}

TEST(Run, OnlyACpuOfItsOwnBindsAProgram) {
        auto scenario = on_cpus(2);
        scenario.programs = {program("a", milliseconds(100), 100)};
        scenario.programs[0].bound = true;
        scenario.programs[0].copies = 2;
        const auto trace = record(scenario, {{share_one_cpu}, {}});
        EXPECT_NEAR(std::chrono::duration<double>(trace.lives[0].ended.value()).count(), 10, 1e-6);
}

TEST(Run, CopiesStartOneAfterTheOther) {
        auto scenario = on_cpus(2, seconds(3));
        scenario.programs = {program("a", milliseconds(10), 1)};
        scenario.programs[0].copies = 100;
        scenario.programs[0].every = milliseconds(50);
        const auto trace = record(scenario);
        EXPECT_EQ(trace.lives.size(), 60U);
        EXPECT_EQ(trace.lives[59].started, milliseconds(2950));
}

TEST(Run, TheSameScenarioAlwaysEndsTheSame) {
        for (std::uint64_t seed = 1; seed <= 20; seed++) {
                const auto scenario = random_scenario(seed);
                const auto one = record(scenario);
                const auto other = record(scenario);
                ASSERT_EQ(one.lives.size(), other.lives.size());
                EXPECT_EQ(one.decisions_taken, other.decisions_taken);
                for (std::size_t i = 0; i < one.lives.size(); i++) {
                        EXPECT_EQ(one.lives[i].ended, other.lives[i].ended);
                        EXPECT_EQ(one.lives[i].cpu_s, other.lives[i].cpu_s);
                }
        }
}

TEST(Figures, JainsIndexIsOneWhenAllAreAlikeAndOneOfNWhenOneHasAll) {
        EXPECT_EQ(jain_index(std::vector{3.0, 3.0, 3.0}), 1);
        EXPECT_NEAR(jain_index(std::vector{1.0, 0.0, 0.0, 0.0}), 0.25, 1e-12);
        EXPECT_EQ(jain_index({}), 1);
}

}  // namespace simulation
