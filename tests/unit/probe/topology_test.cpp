// SPDX-License-Identifier: MIT
// Cores, packages and nodes of made-up machines.
#include "probe/topology.hpp"

#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using test_support::TemporaryDirectory;
using Number = std::optional<std::uint32_t>;

class TopologyTest : public ::testing::Test {
protected:
        void cpu(std::uint32_t number, const std::string& core, const std::string& package) {
                const auto at =
                        "sys/devices/system/cpu/cpu" + std::to_string(number) + "/topology/";
                root_.write(at + "core_id", core);
                root_.write(at + "physical_package_id", package);
        }
        void node(const std::string& name, const std::string& cpus) {
                root_.write("sys/devices/system/node/" + name + "/cpulist", cpus);
        }
        Topology read(const std::vector<std::uint32_t>& cpus) {
                return read_topology(root_.path(), cpus);
        }

        TemporaryDirectory root_;
};

void expect_place(const Topology& topology, std::uint32_t cpu, Number core, Number package,
                  Number node) {
        SCOPED_TRACE(cpu);
        ASSERT_TRUE(topology.contains(cpu));
        EXPECT_EQ(topology.at(cpu).core, core);
        EXPECT_EQ(topology.at(cpu).package, package);
        EXPECT_EQ(topology.at(cpu).node, node);
}

TEST_F(TopologyTest, PlacesEightCpusOfTwoNodesWithTwoThreadsPerCore) {
        for (std::uint32_t n = 0; n < 8; n++)
                cpu(n, std::to_string(n % 2) + "\n", std::to_string(n / 2 % 2) + "\n");
        node("node0", "0-1,4-5\n");
        node("node1", "2-3,6-7\n");
        const auto topology = read({0, 1, 2, 3, 4, 5, 6, 7});
        EXPECT_EQ(topology.size(), 8U);
        for (std::uint32_t n = 0; n < 8; n++)
                expect_place(topology, n, n % 2, n / 2 % 2, n / 2 % 2);
}

TEST_F(TopologyTest, LeavesEmptyWhatSysfsDoesNotSay) {
        cpu(0, "3\n", "1\n");
        root_.write("sys/devices/system/cpu/cpu1/topology/core_id", "5\n");
        const auto topology = read({0, 1, 2});
        expect_place(topology, 0, 3, 1, std::nullopt);
        expect_place(topology, 1, 5, std::nullopt, std::nullopt);
        expect_place(topology, 2, std::nullopt, std::nullopt, std::nullopt);
}

TEST_F(TopologyTest, LeavesEmptyWhatIsNoNumber) {
        cpu(0, "-1\n", "none\n");
        cpu(1, "", "99999999999\n");
        node("node0", "0-\n");
        const auto topology = read({0, 1});
        expect_place(topology, 0, std::nullopt, std::nullopt, std::nullopt);
        expect_place(topology, 1, std::nullopt, std::nullopt, std::nullopt);
}

TEST_F(TopologyTest, TellsOnlyOfTheCpusItWasAskedAbout) {
        for (std::uint32_t n = 0; n < 4; n++)
                cpu(n, std::to_string(n), "0");
        node("node0", "0-3\n");
        const auto topology = read({1, 3});
        EXPECT_EQ(topology.size(), 2U);
        expect_place(topology, 3, 3, 0, 0);
}

TEST_F(TopologyTest, IgnoresWhatElseLiesBesideTheNodes) {
        cpu(0, "0", "0");
        node("node10", "0\n");
        node("nodeX", "0\n");
        node("possible", "0\n");
        std::filesystem::create_directories(root_.path("sys/devices/system/node/node11"));
        expect_place(read({0}), 0, 0, 0, 10);
}

TEST_F(TopologyTest, KnowsNothingOfAMachineWithoutSysfs) {
        const auto topology = read_topology(root_.path("nowhere"), std::vector<std::uint32_t>{0});
        expect_place(topology, 0, std::nullopt, std::nullopt, std::nullopt);
        EXPECT_TRUE(read({}).empty());
}

}  // namespace
}  // namespace governor::probe
