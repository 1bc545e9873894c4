// SPDX-License-Identifier: MIT
// What governorctl advises on made-up machines: counted by hand in fixtures/machines/README.md.
#include "support/daemon.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test_support;

struct Case {
        const char* machine;
        int threshold;
        int free;
        int total;
};

void PrintTo(const Case& c, std::ostream* out) {
        *out << c.machine << " cpus at " << c.threshold << "%";
}

class Advice : public testing::TestWithParam<Case> {};

TEST_P(Advice, IsTheNumberOfFreeCpusCountedByHand) {
        const auto& [machine, threshold, free, total] = GetParam();
        Daemon daemon(std::string(FIXTURES "/machines/") + machine,
                      "[governor]\nthreshold = " + std::to_string(threshold) + "%\n");
        daemon.start();
        // --max: this test may itself run on few CPUs.
        const auto answer = ctl(daemon, {"advise", "--json", "--max", "65536"});
        const auto n = std::to_string(free);
        const auto all = std::to_string(total);
        EXPECT_EQ(answer.out, "{\"threads\":" + n + ",\"free\":" + n + ",\"total\":" + all +
                                      ",\"reason\":\"0 in use + " + n + " of " + all +
                                      " cpus idle >= " + std::to_string(threshold) + "% -> " + n +
                                      "\"}\n");
        EXPECT_EQ(answer.err, "");
        EXPECT_EQ(answer.status, 0);
}

INSTANTIATE_TEST_SUITE_P(MadeUpMachines, Advice,
                         testing::Values(Case{"8", 5, 6, 8}, Case{"8", 50, 4, 8},
                                         Case{"8", 95, 2, 8}, Case{"64", 5, 48, 64},
                                         Case{"64", 50, 32, 64}, Case{"64", 95, 16, 64},
                                         Case{"sparse", 5, 4, 5}, Case{"sparse", 50, 3, 5},
                                         Case{"sparse", 95, 2, 5}));

TEST(Advise, CountsWhatIsInUseAndItsOwnMaximum) {
        Daemon daemon(FIXTURES "/machines/64");
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise", "--current", "4", "--max", "100"}).out, "52\n");
        EXPECT_EQ(ctl(daemon, {"advise", "--current", "40", "--max", "100"}).out, "64\n");
        EXPECT_EQ(ctl(daemon, {"advise", "--current", "4", "--max", "7"}).out, "7\n");
}

TEST(Advise, IsAtLeastOneOnAFullMachine) {
        FakeMachine machine;
        machine.runs({0, 0, 0});
        Daemon daemon(machine.root());
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise"}).out, "1\n");
}

TEST(Advise, OnlyCountsTheCpusThatAreGoverned) {
        Daemon daemon(FIXTURES "/machines/sparse", "[governor]\ncpus = 0-5,40\n");
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise", "--max", "100", "--json"}).out,
                  "{\"threads\":2,\"free\":2,\"total\":3,"
                  "\"reason\":\"0 in use + 2 of 3 cpus idle >= 5% -> 2\"}\n");
}

TEST(Advise, SaysSoWhenTheGovernorIsStillMeasuring) {
        Daemon daemon("", "[governor]\nperiod = 60s\n");
        daemon.start();
        const auto answer = ctl(daemon, {"advise"});
        EXPECT_EQ(answer.status, 0);
        EXPECT_EQ(answer.out, "1\n");
        EXPECT_NE(answer.err.find("still measuring"), std::string::npos) << answer.err;
}

}  // namespace
