// SPDX-License-Identifier: MIT
// Baselines do what they are named after.
#include "simulation/baselines/baselines.hpp"

#include "simulation/ablation/rules.hpp"
#include "simulation/baselines/alone.hpp"
#include "simulation/baselines/parts.hpp"
#include "simulation/report/run_report.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <gtest/gtest.h>

namespace simulation {
namespace {

using namespace std::chrono_literals;

Scenario scenario_of(const char* text) {
        const auto scenario = parse_scenario(text, "test.sim");
        EXPECT_TRUE(scenario.has_value());
        return scenario.value_or(Scenario{});
}

Trace run_with(std::string_view policy, const Scenario& scenario) {
        const auto named = find_policy(policy);
        return record(named->prepared(scenario), {named->decider, {}});
}

/// One program of a user, three of another one.
const char* const kTwoUsers = R"(
[machine]
cpus = 12

[program single]
user = 1001

[program one-of-three]
copies = 3
)";

TEST(Baselines, EqualPartsAreByAccountThenByProgramAndAtOnce) {
        auto scenario = scenario_of(kTwoUsers);
        scenario.programs[0].start = 5s;
        const auto trace = run_with("equal", scenario);
        EXPECT_EQ(trace.granted("single", 5s), 6U);
        EXPECT_EQ(trace.granted("one-of-three", 5s, 0), 2U);
        EXPECT_EQ(trace.granted("one-of-three", 4s, 0), 4U);
}

TEST(Baselines, EqualPartsKeepMaximaQuotasAndCpusets) {
        const auto trace = run_with("equal", scenario_of(R"(
[machine]
cpus = 16

[cgroup small]
quota = 3

[program capped]
max = 2

[program throttled]
cgroup = small

[program pinned]
cpus = 0-3

[program free]
)"));
        EXPECT_EQ(trace.granted("capped", 5s), 2U);
        EXPECT_EQ(trace.granted("throttled", 5s), 3U);
        EXPECT_EQ(trace.granted("pinned", 5s), 4U);
        EXPECT_EQ(trace.granted("free", 5s), 7U);
}

TEST(Baselines, EqualPartsKnowNothingOfSleepersAndForeignLoad) {
        const auto trace = run_with("equal", scenario_of(R"(
[machine]
cpus = 8

[program busy]

[program sleeper]
region = 1ms
sleep = 10s

[foreign hog]
threads = 4
)"));
        EXPECT_EQ(trace.granted("busy", 30s), 4U);
}

TEST(Baselines, OneThreadEachOnACpuOfItsOwn) {
        const auto trace = run_with("one", scenario_of(kTwoUsers));
        CpuMask cpus;
        for (const auto& life : trace.lives) {
                ASSERT_EQ(life.grants.size(), 1U);
                EXPECT_EQ(life.grants[0].threads, 1U);
                cpus |= life.grants[0].cpus;
        }
        EXPECT_EQ(cpus.count(), 4U);
}

TEST(Baselines, OversubscribedIsAThreadForEveryCpuThatItMayUse) {
        for (const auto* policy : {"oversubscribed", "oversubscribed-spinning"}) {
                auto scenario = scenario_of(kTwoUsers);
                scenario.programs[0].max = 5;
                const auto trace = run_with(policy, scenario);
                EXPECT_EQ(trace.granted("single", 5s), 5U);
                EXPECT_EQ(trace.granted("one-of-three", 5s, 2), 12U);
        }
}

TEST(Baselines, PartsOfStaticAreKeptAndTheEmptiestIsTaken) {
        const auto scenario = scenario_of(R"(
[scenario]
parts = 3

[machine]
cpus = 12
smt = 2

[program first]

[program brief]
start = 1s
killed = 5s

[program third]
start = 2s

[program late]
start = 10s

[program crowded]
start = 11s
)");
        const auto trace = run_with("static", scenario);
        EXPECT_EQ(trace.granted("first", 59s), 4U);
        EXPECT_EQ(trace.find("late")->grants[0].cpus, trace.find("brief")->grants[0].cpus);
        EXPECT_EQ(trace.find("crowded")->grants[0].cpus, trace.find("first")->grants[0].cpus);
        EXPECT_EQ(trace.find("first")->grants[0].cpus, CpuMask(CpuSet{0, 1, 6, 7}));
}

TEST(Baselines, StaticIsPlannedForThoseThatWouldBeThereAtOnce) {
        auto scenario = scenario_of(R"(
[machine]
cpus = 4

[program job]
copies = 6
every = 1s
region = 1s
regions = 8         ; 2 s alone: two are there at once, of which one leaves when the third comes
)");
        EXPECT_EQ(number_of_parts(scenario), 2U);
        scenario.programs[0].every = 0s;
        EXPECT_EQ(number_of_parts(scenario), 4U);  // no more than CPUs
}

TEST(Baselines, ThresholdTakesWhatIsIdleEveryTenSecondsAndOnlyGrows) {
        const auto trace = run_with("threshold", scenario_of(R"(
[machine]
cpus = 8

[program first]
max = 6
killed = 23s

[program second]
start = 5s

[program third]
start = 22s
)"));
        EXPECT_EQ(trace.granted("first", 1s), 6U);
        EXPECT_EQ(trace.granted("second", 6s), 2U);
        EXPECT_EQ(trace.granted("second", 24s), 2U);
        EXPECT_EQ(trace.granted("third", 23s), 1U);  // nothing is idle
        EXPECT_EQ(trace.granted("second", 26s), 2U + 5U);
        EXPECT_EQ(trace.granted("third", 59s), 1U);
}

TEST(Baselines, TurnsAreTheSameScenarioWithTurnsOffAndOn) {
        const auto scenario = scenario_of(R"(
[machine]
cpus = 8

[program earlier]
label = job
copies = 2
every = 1500ms
region = 80ms
regions = 500       ; the same, so that it is known that all CPUs pay, and how long it takes

[program job]
start = 20s
copies = 2
region = 80ms
regions = 500       ; 5 s alone
)");
        const auto end_of = [&](const char* policy, std::uint32_t copy) {
                return *run_with(policy, scenario).find("job", copy)->ended;
        };
        EXPECT_GT(end_of("without-turns", 0), 29s);
        EXPECT_LT(std::min(end_of("turns", 0), end_of("turns", 1)), 26s);
}

TEST(Baselines, NothingIsCheckedOfABaseline) {
        auto scenario = scenario_of(kTwoUsers);
        scenario.expected.push_back({"fairness", {2, 3}, 1});
        EXPECT_FALSE(report(scenario, *find_policy("fair")).failures.empty());
        EXPECT_TRUE(report(scenario, *find_policy("fair")).broken->contains("expectations"));
        EXPECT_TRUE(report(scenario, *find_policy("one")).failures.empty());
        EXPECT_FALSE(report(scenario, *find_policy("one")).broken);
        EXPECT_TRUE(report(scenario, *find_policy("fair"), false).failures.empty());
}

TEST(Alone, AProgramHasWhatItsLimitsLeaveIt) {
        const auto scenario = scenario_of(R"(
[machine]
cpus = 16

[cgroup small]
quota = 2

[program free]
region = 16ms
regions = 1000

[program capped]
max = 4
region = 16ms
regions = 1000

[program throttled]
cgroup = small
region = 16ms
regions = 1000

[program pausing]
region = 16ms
sleep = 9ms
regions = 1000

[program endless]

[program killed]
regions = 1000
killed = 5s
)");
        EXPECT_EQ(time_alone(scenario, 0), 1s);
        EXPECT_EQ(time_alone(scenario, 1), 4s);
        EXPECT_EQ(time_alone(scenario, 2), 8s);
        EXPECT_NEAR(std::chrono::duration<double>(*time_alone(scenario, 3)).count(), 10, 0.02);
        EXPECT_FALSE(time_alone(scenario, 4));
        EXPECT_FALSE(time_alone(scenario, 5));
}

TEST(Alone, AClosedBatchHasAJobForEveryCopy) {
        auto scenario = scenario_of(R"(
[machine]
cpus = 16

[program job]
copies = 2
region = 10ms
regions = 100
speedup = power:0.5
)");
        const auto jobs = closed_batch(scenario);
        ASSERT_EQ(jobs.size(), 2U);
        EXPECT_DOUBLE_EQ(jobs[1].work_s, 1);
        EXPECT_DOUBLE_EQ(jobs[1].speedup.of(16), 4);
        EXPECT_NE(write_scenario(scenario).find("speedup = power:0.5"), std::string::npos);
        scenario.programs[0].start = 1s;
        EXPECT_TRUE(closed_batch(scenario).empty());
}

TEST(Ablation, ARuleThatIsOffMakesADifference) {
        auto scenario = scenario_of(R"(
[machine]
cpus = 8

[program first]

[program short]
copies = 3
start = 4s
region = 100ms
regions = 1

[program second]
start = 5s
)");
        const auto granted = [&](Decide* decide) {
                return record(scenario, {{decide}, {}}).granted("first", 5500ms);
        };
        EXPECT_EQ(granted(governor::policy::fair::decide), 8U);
        EXPECT_EQ(granted(find_rule("newcomer")->without), 4U);
        EXPECT_EQ(granted(find_rule("idle")->without), 8U);
        EXPECT_FALSE(find_rule("nonsense"));
}

}  // namespace
}  // namespace simulation
