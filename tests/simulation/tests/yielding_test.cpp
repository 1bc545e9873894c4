// SPDX-License-Identifier: MIT
// Batch trees of programs that nobody modified: turns beside sharing, and how long one waits.
#include "simulation/report/figures.hpp"
#include "simulation/scenario/random.hpp"
#include "simulation/tests/cases.hpp"
#include "simulation/world/run.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kRandomTrees = kCases / 5;

/// A tree that needs `alone` on all CPUs, if these make it as many times as fast.
Program yielding_tree(std::uint32_t number, Time alone, std::uint32_t cpus) {
        constexpr Time kRegion = milliseconds(5);
        Program program;
        program.name = program.tree = "tree" + std::to_string(number);
        program.scheduling_class = governor::policy::fair::Class::Batch;
        program.yields = true;
        program.behaviour = Behaviour::Unlinked;
        program.region = kRegion * cpus;
        program.regions = static_cast<std::uint64_t>(std::max<std::int64_t>(alone / kRegion, 1));
        return program;
}

Scenario of_trees(std::uint32_t trees, Time alone, std::uint32_t cpus) {
        Scenario scenario;
        scenario.end = seconds(100'000);
        scenario.machine.cpus = cpus;
        for (std::uint32_t i = 0; i < trees; i++)
                scenario.programs.push_back(yielding_tree(i, alone, cpus));
        return scenario;
}

Times times_of(const Scenario& scenario) {
        Stopwatch stopwatch;
        run(scenario, {{}, {&stopwatch}});
        return stopwatch.times();
}

struct BesideSharing {
        double sum = 0;
        double makespan = 0;
};

BesideSharing compare(Scenario scenario) {
        const auto turns = times_of(scenario);
        scenario.governor.fair.turns = false;
        const auto shared = times_of(scenario);
        EXPECT_EQ(turns.unfinished, 0);
        return {turns.aggregate_s / shared.aggregate_s, turns.makespan_s / shared.makespan_s};
}

/// The longest time that a tree is parked at a stretch.
class LongestWait final : public Observer {
public:
        void passes(const World& world, Time span) override {
                for (const auto& resident : world.residents) {
                        auto& waited = waited_[resident.number];
                        waited = world.yields(resident) ? waited + span : Time(0);
                        longest_ = std::max(longest_, waited);
                }
        }
        [[nodiscard]] Time longest() const { return longest_; }

private:
        std::map<std::size_t, Time> waited_;
        Time longest_{0};
};

}  // namespace

TEST(YieldingTurns, TwoThatKeepAllCpusBusyFinishAQuarterEarlier) {
        for (const auto cpus : {1U, 2U, 4U, 16U, 64U})
                for (const auto alone :
                     {milliseconds(500), milliseconds(2000), milliseconds(7000)}) {
                        const auto ratio = compare(of_trees(2, alone, cpus));
                        EXPECT_LE(ratio.sum, 0.80) << cpus;
                        EXPECT_LE(ratio.makespan, 1.02) << cpus;
                }
}

/// A program that does not scale leaves CPUs, which the one that waits uses.
TEST(YieldingTurns, TwoThatAreAlikeLoseLittleHoweverTheyScale) {
        for (const auto cpus : {2U, 16U, 64U})
                for (const auto regions : {400U, 3000U})
                        for (const auto& [law, parameter] :
                             std::initializer_list<Speedup>{{Speedup::Law::Amdahl, 0.99},
                                                            {Speedup::Law::Amdahl, 0.8},
                                                            {Speedup::Law::Amdahl, 0.5},
                                                            {Speedup::Law::Flat, 1},
                                                            {Speedup::Law::Flat, cpus / 2.0}})
                                for (const auto spins : {false, true}) {
                                        auto scenario = of_trees(2, seconds(1), cpus);
                                        for (auto& program : scenario.programs) {
                                                program.regions = regions;
                                                program.speedup = {law, parameter};
                                                program.spins = spins;
                                        }
                                        const auto ratio = compare(scenario);
                                        EXPECT_LE(ratio.sum, 1.001);
                                        EXPECT_LE(ratio.makespan, 1.13);
                                }
}

/// One that cannot use all CPUs and waits for one that can finishes later than if both shared.
TEST(YieldingTurns, LoseLittleOnAverageWhateverTheyAre) {
        double sum = 0;
        double makespan = 0;
        for (std::uint64_t seed = 1; seed <= kRandomTrees; seed++) {
                Random random(seed);
                const auto cpus = random.pick({2U, 4U, 16U, 64U});
                auto scenario = of_trees(random.between(2U, 4U), seconds(1), cpus);
                for (auto& program : scenario.programs) {
                        program.regions *= random.between(1U, 30U);
                        program.spins = random.chance(30);
                        if (random.chance(30))
                                program.serial = random.between(milliseconds(1), milliseconds(300));
                        if (random.chance(20))
                                program.sleep = random.between(milliseconds(1), milliseconds(300));
                        if (random.chance(60))
                                program.speedup = {Speedup::Law::Amdahl,
                                                   random.between(50, 99) / 100.0};
                        else if (random.chance(50))
                                program.speedup = {Speedup::Law::Flat,
                                                   double{1} * random.between(1U, cpus)};
                }
                const auto ratio = compare(scenario);
                sum += ratio.sum / kRandomTrees;
                makespan += ratio.makespan / kRandomTrees;
        }
        if (kMeansCount) {
                EXPECT_LE(sum, 1.03);
                EXPECT_LE(makespan, 1.03);
        }
}

TEST(YieldingTurns, WaitNoLongerThanToldAlsoBehindHogs) {
        for (std::uint64_t seed = 1; seed <= kCases * 3 / 10; seed++) {
                Random random(seed);
                const auto trees = random.between(2U, 5U);
                auto scenario = of_trees(trees, random.between(seconds(5), seconds(60)),
                                         random.pick({1U, 2U, 4U, 16U}));
                auto& settings = scenario.governor.fair;
                settings.turn_quantum = milliseconds(random.between(500, 2000));
                settings.turn_max_wait = settings.turn_quantum * random.between(trees, 20U);
                scenario.end = seconds(200);
                if (random.chance(70)) {
                        Foreign hog;
                        hog.name = "hog";
                        hog.threads = random.between(1U, 2 * scenario.machine.cpus);
                        hog.start = random.between(seconds(0), seconds(30));
                        scenario.foreign.push_back(hog);
                }
                LongestWait wait;
                run(scenario, {{}, {&wait}});
                // Trees that are due at once come one after the other.
                const auto most = settings.turn_max_wait + settings.turn_quantum * (trees - 1);
                EXPECT_LE(wait.longest(), most + milliseconds(2)) << seed;
        }
}

}  // namespace simulation
