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
        /// Index n of the caches of `number`.
        void cache(std::uint32_t number, int n, const std::string& level, const std::string& cpus) {
                const auto at = "sys/devices/system/cpu/cpu" + std::to_string(number) +
                                "/cache/index" + std::to_string(n) + "/";
                root_.write(at + "level", level + "\n");
                root_.write(at + "shared_cpu_list", cpus + "\n");
        }
        void offline(std::uint32_t number) {
                const auto at = root_.path("sys/devices/system/cpu/cpu" + std::to_string(number));
                std::filesystem::remove_all(at + "/cache");
                std::filesystem::remove_all(at + "/topology");
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

Number cache_of(const Topology& topology, std::uint32_t cpu) { return topology.at(cpu).cache; }

TEST_F(TopologyTest, NamesTheLastLevelCacheByItsLowestCpu) {
        for (std::uint32_t n = 0; n < 8; n++) {
                const auto own = std::to_string(n);
                cache(n, 0, "1", own);
                cache(n, 1, "1", own);
                cache(n, 2, "2", own);
                cache(n, 3, "3", n % 2 == 0 ? "0,2,4,6" : "1,3,5,7");
        }
        const auto topology = read({0, 1, 2, 3, 4, 5, 6, 7});
        for (std::uint32_t n = 0; n < 8; n++)
                EXPECT_EQ(cache_of(topology, n), n % 2) << n;
}

TEST_F(TopologyTest, TakesTheHighestLevelThatACpuHas) {
        // Two small cores without a third level beside two large ones; indices in no order.
        for (const std::uint32_t n : {0U, 1U}) {
                cache(n, 0, "3", "0-1");
                cache(n, 1, "1", std::to_string(n));
        }
        for (const std::uint32_t n : {2U, 3U}) {
                cache(n, 0, "1", std::to_string(n));
                cache(n, 1, "2", "2-3");
        }
        const auto topology = read({0, 1, 2, 3});
        EXPECT_EQ(cache_of(topology, 0), 0U);
        EXPECT_EQ(cache_of(topology, 1), 0U);
        EXPECT_EQ(cache_of(topology, 2), 2U);
        EXPECT_EQ(cache_of(topology, 3), 2U);
}

TEST_F(TopologyTest, KnowsNoCacheIfSysfsDoesNotSay) {
        cache(1, 0, "x", "1-2");
        cache(2, 0, "3", "nonsense");
        root_.write("sys/devices/system/cpu/cpu3/cache/index0/level", "3\n");
        const auto topology = read({0, 1, 2, 3});
        for (std::uint32_t n = 0; n < 4; n++)
                EXPECT_EQ(cache_of(topology, n), std::nullopt) << n;
}

TEST_F(TopologyTest, FollowsCpusThatGoOfflineAndComeBack) {
        const auto online = [&](const std::string& list, const std::vector<std::uint32_t>& cpus) {
                for (const auto n : cpus) {
                        cpu(n, std::to_string(n), "0");
                        cache(n, 0, "3", list);
                }
        };
        online("0-3", {0, 1, 2, 3});
        EXPECT_EQ(cache_of(read({0, 1, 2, 3}), 3), 0U);
        offline(0);
        online("1-3", {1, 2, 3});
        const auto fewer = read({1, 2, 3});
        EXPECT_EQ(fewer.size(), 3U);
        EXPECT_EQ(cache_of(fewer, 3), 1U);
        expect_place(fewer, 3, 3, 0, std::nullopt);
        // Asked about in the moment of going: all that is known of it is that it was there.
        expect_place(read({0, 1}), 0, std::nullopt, std::nullopt, std::nullopt);
        online("0-3", {0, 1, 2, 3});
        EXPECT_EQ(cache_of(read({0, 1, 2, 3}), 3), 0U);
}

TEST_F(TopologyTest, PlacesCpusWithSparseNumbers) {
        for (const std::uint32_t n : {1U, 5U, 40U, 41U}) {
                cpu(n, std::to_string(n / 4), "0");
                cache(n, 0, "3", n < 40 ? "1,5" : "40-41");
        }
        const auto topology = read({1, 5, 40, 41});
        EXPECT_EQ(topology.size(), 4U);
        expect_place(topology, 41, 10, 0, std::nullopt);
        EXPECT_EQ(cache_of(topology, 1), 1U);
        EXPECT_EQ(cache_of(topology, 5), 1U);
        EXPECT_EQ(cache_of(topology, 40), 40U);
        EXPECT_EQ(cache_of(topology, 41), 40U);
}

/// Files for the first CPU of each cache only, which is all that is read of caches: 16384 files
/// take long to make.
TEST_F(TopologyTest, PlacesFourThousandAndNinetySixCpus) {
        constexpr std::uint32_t kCpus = 4096;
        constexpr std::uint32_t kPerCache = 64;
        constexpr std::uint32_t kPerNode = 512;
        const auto range = [](std::uint32_t first, std::uint32_t count) {
                return std::to_string(first) + "-" + std::to_string(first + count - 1);
        };
        std::vector<std::uint32_t> all;
        for (std::uint32_t n = 0; n < kCpus; n++) {
                all.push_back(n);
                if (n % kPerCache == 0) {
                        cpu(n, std::to_string(n / 2), "0");
                        cache(n, 0, "3", range(n, kPerCache));
                }
                if (n % kPerNode == 0)
                        node("node" + std::to_string(n / kPerNode), range(n, kPerNode));
        }
        const auto topology = read(all);
        ASSERT_EQ(topology.size(), kCpus);
        for (const auto& [n, place] : topology) {
                ASSERT_EQ(place.cache, n / kPerCache * kPerCache);
                ASSERT_EQ(place.node, n / kPerNode);
                ASSERT_EQ(place.core, n % kPerCache == 0 ? Number(n / 2) : std::nullopt);
        }
}

TEST_F(TopologyTest, KnowsNothingOfAMachineWithoutSysfs) {
        const auto topology = read_topology(root_.path("nowhere"), std::vector<std::uint32_t>{0});
        expect_place(topology, 0, std::nullopt, std::nullopt, std::nullopt);
        EXPECT_TRUE(read({}).empty());
}

}  // namespace
}  // namespace governor::probe
