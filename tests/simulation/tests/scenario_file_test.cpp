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
                  "a.sim: [machine] cpus = 7 is no multiple of smt = 2");
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
