// SPDX-License-Identifier: MIT
// How often grants change: what scenario files have no words for.
#include "simulation/report/trace.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace simulation {

namespace {

using std::chrono::seconds;

Trace played(const std::string& name) {
        const auto scenario = load_scenario(std::string(GOVERNOR_SCENARIOS) + "/" + name + ".sim");
        EXPECT_TRUE(scenario) << name;
        return scenario ? record(*scenario) : Trace{};
}

/// The times at which its number of threads changed.
std::vector<Time> changes(const Life& life) {
        std::vector<Time> times;
        std::uint32_t before = 0;
        for (const auto& grant : life.grants) {
                if (grant.threads != before && before != 0)
                        times.push_back(grant.at);
                before = grant.threads;
        }
        return times;
}

std::ptrdiff_t most_within(const std::vector<Time>& times, Time span) {
        std::ptrdiff_t most = 0;
        for (auto first = times.begin(); first != times.end(); ++first)
                most = std::max(most, std::lower_bound(first, times.end(), *first + span) - first);
        return most;
}

}  // namespace

TEST(Steadiness, TwentyShortProgramsPerSecondChangeANeighbourAtMostOnceASecond) {
        const auto trace = played("churn");
        auto times = changes(*trace.find("neighbour"));
        // Nobody knows of the first one that it is short.
        std::erase_if(times, [](Time at) { return at < seconds(6); });
        EXPECT_LE(most_within(times, seconds(1)), 1);
        EXPECT_LE(times.size(), 4U);
}

TEST(Steadiness, AHogThatRunsEveryOtherSecondIsOneSteadyLoad) {
        const auto trace = played("on-off-hog");
        for (const auto* name : {"left", "right"}) {
                const auto times = changes(*trace.find(name));
                EXPECT_TRUE(std::ranges::all_of(times, [](Time at) { return at < seconds(20); }))
                        << name << " still changes after fifteen seconds of it";
        }
}

TEST(Steadiness, AHogThatGoesIsForgottenInOneStep) {
        const auto trace = played("hog");
        for (const auto* name : {"left", "right"}) {
                const auto times = changes(*trace.find(name));
                EXPECT_EQ(std::ranges::count_if(times, [](Time at) { return at > seconds(30); }),
                          1);
        }
}

TEST(Steadiness, CpusOfAKilledProgramAreHandedOutAtOnce) {
        const auto trace = played("crash");
        EXPECT_EQ(trace.granted("first", seconds(10)) + trace.granted("second", seconds(10)), 64U);
}

TEST(Steadiness, ANewcomerHasItsShareOneAndAHalfSecondsAfterItsStart) {
        const auto trace = played("newcomer");
        const Time patience = std::chrono::milliseconds(1500);
        EXPECT_EQ(trace.granted("second", seconds(5) + patience), 32U);
        EXPECT_EQ(trace.granted("guest", seconds(15) + patience), 32U);
}

}  // namespace simulation
