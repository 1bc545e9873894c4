// SPDX-License-Identifier: MIT
// What may be in a file, and what is said about what may not.
#include "simulation/scenario/generator.hpp"
#include "simulation/scenario/quantities.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <gtest/gtest.h>

namespace simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The first mistake, or "".
std::string mistake(const std::string& text) {
        const auto scenario = parse_scenario(text, "a.sim");
        return scenario ? "" : scenario.error().front().text();
}

}  // namespace

TEST(ScenarioFile, SaysWhatRealMachinesCost) {
        const auto scenario = parse_scenario("[machine]\nruntime = libomp\nsmt = 2\n"
                                             "autogroup = yes\n"
                                             "shared_core = 0.6\n"
                                             "[program a]\nasks_every = 20\nbandwidth = 0.4\n"
                                             "label = b\n",
                                             "a.sim");
        ASSERT_TRUE(scenario) << scenario.error().front().text();
        EXPECT_EQ(scenario->machine.runtime, Runtime::Libomp);
        EXPECT_TRUE(scenario->machine.autogroup);
        EXPECT_EQ(scenario->machine.shared_core, 0.6);
        EXPECT_EQ(scenario->programs[0].asks_every, 20U);
        EXPECT_EQ(scenario->programs[0].bandwidth, 0.4);
        EXPECT_EQ(scenario->programs[0].label, "b");
        const auto again = parse_scenario(write_scenario(*scenario), "a.sim");
        ASSERT_TRUE(again) << again.error().front().text();
        EXPECT_EQ(again->machine, scenario->machine);
        EXPECT_EQ(again->programs[0].asks_every, 20U);
        EXPECT_EQ(again->programs[0].bandwidth, 0.4);
        EXPECT_EQ(again->programs[0].label, "b");
}

TEST(ScenarioFile, SaysEverythingThatAProgramDoes) {
        const auto scenario = parse_scenario("[cgroup box]\nquota = 2.5\n"
                                             "[program a]\nregion = 50us\nregions = 7\n"
                                             "speedup = amdahl:0.9\nstopped = 1s..2s, 5s..\n"
                                             "cgroup = box\nbehaviour = start-only\n"
                                             "[program b]\n",
                                             "folder/name.sim");
        ASSERT_TRUE(scenario) << scenario.error().front().text();
        EXPECT_EQ(scenario->name, "name");
        ASSERT_EQ(scenario->programs.size(), 2U);
        const auto& program = scenario->programs[0];
        EXPECT_EQ(program.region, microseconds(50));
        EXPECT_EQ(program.regions, 7U);
        EXPECT_NEAR(program.speedup.of(1000), 9.91, 0.01);
        EXPECT_EQ(program.stopped,
                  (std::vector<Span>{{seconds(1), seconds(2)}, {seconds(5), kNever}}));
        EXPECT_EQ(program.cgroup, 0U);
        EXPECT_EQ(program.behaviour, Behaviour::StartOnly);
        EXPECT_EQ(scenario->cgroups[0].quota, 2.5);
}

TEST(ScenarioFile, MistakesAreNamedWithFileLineAndWhatIsAccepted) {
        EXPECT_EQ(mistake("[program a]\nregion = 0\n"),
                  "a.sim:2: `region = 0` is not accepted; accepted: 1us .. 24h, with the unit");
        EXPECT_EQ(mistake("[event 5s]\nofline = 1\n"),
                  "a.sim:2: unknown key `ofline`; known: offline, online");
        EXPECT_EQ(mistake("\n[program]\nuser = 1\n").substr(0, 35),
                  "a.sim:2: unknown section [program];");
        EXPECT_EQ(mistake("end = 1s\n"), "a.sim:1: `end` stands before any section");
        EXPECT_EQ(mistake("[expect 3]\n"), "a.sim:1: [expect 3]: `3` is not accepted; accepted: a "
                                           "time with its unit, such as 5s");
        EXPECT_EQ(mistake("[expect 3s]\na = 1\n"), "a.sim:2: there is no [program a]");
        EXPECT_EQ(mistake("[expect]\nfairness = 1..0\n"),
                  "a.sim:2: `fairness = 1..0` is not accepted; accepted: a range: LOW..HIGH, "
                  "LOW.., ..HIGH, or one number");
        EXPECT_EQ(mistake("[program a]\ncgroup = box\n[cgroup box]\n"),
                  "a.sim:2: `cgroup = box` is not accepted; accepted: the name of a control group "
                  "that stands above");
        EXPECT_EQ(mistake("[machine]\ncpus = 7\nsmt = 2\n"),
                  "a.sim:3: [machine] cpus = 7 is no multiple of smt = 2");
}

TEST(ScenarioFile, ASectionStandsOnce) {
        EXPECT_EQ(mistake("[program a]\n[program b]\n[program a]\nuser = 1\n"),
                  "a.sim:3: [program a] stands in line 1 already");
        EXPECT_EQ(mistake("[machine]\n[machine]\n"), "a.sim:2: [machine] stands in line 1 already");
        EXPECT_EQ(mistake("[event 1s]\noffline = 1\n[event 1000ms]\nonline = 1\n"),
                  "a.sim:3: [event 1s] stands in line 1 already");
        EXPECT_EQ(mistake("[program a]\n[expect 1s]\na = 1\n[expect 1s]\na = 1\n"),
                  "a.sim:4: [expect 1s] stands in line 2 already");
}

TEST(ScenarioFile, CpusAreThoseOfTheMachine) {
        EXPECT_EQ(mistake("[program a]\ncpus = 0-8\n"),
                  "a.sim:2: [program a] cpus names CPU 8; the machine has 0 .. 7");
        EXPECT_EQ(mistake("[machine]\npool = 9\ncpus = 4\n"),
                  "a.sim:2: [machine] pool names CPU 9; the machine has 0 .. 3");
        EXPECT_EQ(mistake("[event 5s]\noffline = 1\nonline = 64\n"),
                  "a.sim:3: [event 5s] online names CPU 64; the machine has 0 .. 7");
        EXPECT_EQ(mistake("[cgroup a]\ncpus = 8\n").substr(0, 8), "a.sim:2:");
        EXPECT_EQ(mistake("[foreign a]\ncpus = 8\n").substr(0, 8), "a.sim:2:");
}

TEST(ScenarioFile, NothingHappensAfterTheEnd) {
        EXPECT_EQ(mistake("[scenario]\nend = 5s\n[event 6s]\noffline = 1\n"),
                  "a.sim:3: [event 6s] comes after the end, which is at 5s");
        EXPECT_EQ(mistake("[scenario]\nend = 5s\n[program a]\n[expect 5001ms]\na = 1\n"),
                  "a.sim:5: [expect 5001ms] comes after the end, which is at 5s");
        EXPECT_EQ(mistake("[scenario]\nend = 5s\n[program a]\n[expect 5s]\na = 1\n"), "");
}

TEST(ScenarioFile, NobodyAsksForMoreThanHeMayHave) {
        EXPECT_EQ(mistake("[program a]\nmin = 3\nmax = 2\n"),
                  "a.sim:2: [program a] min = 3 is above max = 2");
        EXPECT_EQ(mistake("[program a]\n[rule a]\nmax = 2\nmin = 3\n"),
                  "a.sim:4: [rule a] min = 3 is above max = 2");
}

TEST(ScenarioFile, ARuleSaysSomethingAboutSomebody) {
        EXPECT_EQ(mistake("[program a]\n[rule b]\nlabel = b\nweight = 1\n"),
                  "a.sim:2: [rule b] applies to no program");
        EXPECT_EQ(mistake("[program a]\n[rule b]\nlabel = a\n"),
                  "a.sim:2: [rule b] says nothing about the programs that it applies to");
}

TEST(ScenarioFile, WhatIsWrittenIsReadBackAsTheSame) {
        for (std::uint64_t seed = 1; seed <= 300; seed++) {
                const auto text = write_scenario(random_scenario(seed));
                const auto again = parse_scenario(text, "again.sim");
                ASSERT_TRUE(again) << again.error().front().text() << "\n" << text;
                EXPECT_EQ(write_scenario(*again), text);
        }
}

TEST(Quantities, TimesHaveUnits) {
        EXPECT_EQ(parse_time("50us"), Time(microseconds(50)));
        EXPECT_EQ(parse_time("1.5s"), Time(milliseconds(1500)));
        EXPECT_EQ(parse_time("0"), Time(0));
        EXPECT_FALSE(parse_time("5"));
        EXPECT_FALSE(parse_time("-5s"));
        EXPECT_EQ(format_time(microseconds(1050)), "1050us");
        EXPECT_EQ(format_time(milliseconds(1500)), "1500ms");
}

TEST(Quantities, RangesAreClosedAndMayBeOpenAtAnEnd) {
        EXPECT_EQ(parse_range("3..8"), (Range{3, 8}));
        EXPECT_TRUE(parse_range("0.95..")->contains(1));
        EXPECT_TRUE(parse_range("..2")->contains(0));
        EXPECT_FALSE(parse_range("2")->contains(2.5));
        EXPECT_FALSE(parse_range(".."));
        EXPECT_FALSE(parse_range("8..3"));
}

}  // namespace simulation
