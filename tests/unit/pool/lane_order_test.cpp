// SPDX-License-Identifier: MIT
// Lanes and whom they rob, on machines of known shape and on thousands of made-up ones.
#include "lane_order.hpp"

#include "made_up_machine.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace threadcount::pool {
namespace {

using Cpus = std::vector<int>;
using Cores = std::vector<std::uint32_t>;
using Order = std::vector<std::uint16_t>;

std::vector<LaneSite> lanes_of(const MadeUpMachine& machine, const Cpus& allowed) {
        return order_lanes(allowed, machine.places_of(allowed));
}

std::vector<LaneSite> lanes_of(const MadeUpMachine& machine) {
        return order_lanes(machine.cpus, machine.places);
}

Cpus cpus_of(const std::vector<LaneSite>& lanes) {
        Cpus cpus;
        for (const auto& lane : lanes)
                cpus.push_back(lane.cpu);
        return cpus;
}

Cores cores_of(const std::vector<LaneSite>& lanes) {
        Cores cores;
        for (const auto& lane : lanes)
                cores.push_back(lane.core);
        return cores;
}

/// The CPUs from which that of `thief` steals, in their order.
Cpus victims(const std::vector<LaneSite>& lanes, int thief) {
        const auto at = std::ranges::find(lanes, thief, &LaneSite::cpu) - lanes.begin();
        Cpus cpus;
        for (const auto lane : steal_order(lanes, static_cast<std::size_t>(at)))
                cpus.push_back(lanes[lane].cpu);
        return cpus;
}

Shape two_sockets_with_smt() { return {2, 1, 1, 2, 1, {2}}; }

TEST(LaneOrder, PhysicalCoresComeBeforeTheirSiblings) {
        const auto apart = lanes_of(make_machine(two_sockets_with_smt(), Numbering::SiblingsApart));
        EXPECT_EQ(cpus_of(apart), (Cpus{0, 1, 2, 3, 4, 5, 6, 7}));
        EXPECT_EQ(cores_of(apart), (Cores{0, 1, 2, 3, 0, 1, 2, 3}));
        const auto together =
                lanes_of(make_machine(two_sockets_with_smt(), Numbering::SiblingsTogether));
        EXPECT_EQ(cpus_of(together), (Cpus{0, 2, 4, 6, 1, 3, 5, 7}));
        EXPECT_EQ(cores_of(together), (Cores{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(LaneOrder, FillsOneNodeBeforeTheNextWhateverTheNumbers) {
        // Even CPUs on the first socket, odd ones on the second.
        const auto machine = renumbered(make_machine({2, 1, 1, 4, 1, {1}}, {}),
                                        [](int cpu) { return cpu % 4 * 2 + cpu / 4; });
        EXPECT_EQ(cpus_of(lanes_of(machine)), (Cpus{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(LaneOrder, KeepsSharersOfACacheTogetherWithinANode) {
        // Two caches, of the third or of the second level, that take turns with the numbers.
        for (const Shape& shape : {Shape{1, 1, 2, 2, 2, {1}}, Shape{1, 1, 1, 2, 4, {1}}}) {
                const auto machine = renumbered(make_machine(shape, {}),
                                                [](int cpu) { return cpu % 4 * 2 + cpu / 4; });
                EXPECT_EQ(cpus_of(lanes_of(machine)), (Cpus{0, 2, 4, 6, 1, 3, 5, 7}));
        }
}

TEST(LaneOrder, CoresWithoutSiblingsRankWithTheFirstThreads) {
        // Large, large, small, small: three of the six have no sibling.
        const auto lanes = lanes_of(make_machine({1, 1, 1, 4, 1, {2, 2, 1, 1}}, {}));
        EXPECT_EQ(cpus_of(lanes), (Cpus{0, 2, 4, 5, 1, 3}));
        EXPECT_EQ(cores_of(lanes), (Cores{0, 1, 2, 3, 0, 1}));
}

TEST(LaneOrder, FourThreadsOfACoreComeInFourRounds) {
        const auto lanes = lanes_of(make_machine({1, 1, 1, 2, 1, {4}}, {}));
        EXPECT_EQ(cpus_of(lanes), (Cpus{0, 4, 1, 5, 2, 6, 3, 7}));
        EXPECT_EQ(cores_of(lanes), (Cores{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(LaneOrder, ASecondThreadAloneIsAsGoodAsAFirst) {
        const auto machine = make_machine(two_sockets_with_smt(), Numbering::SiblingsApart);
        // Only the second thread of core 0, both of core 1.
        const auto lanes = lanes_of(machine, {1, 4, 5, 7});
        EXPECT_EQ(cpus_of(lanes), (Cpus{4, 1, 7, 5}));
        EXPECT_EQ(cores_of(lanes), (Cores{0, 1, 2, 1}));
}

TEST(LaneOrder, SparseNumbersStayWhatTheyAre) {
        const auto machine = renumbered(make_machine({1, 1, 1, 2, 1, {2}}, {}), [](int cpu) {
                return std::array{1, 5, 40, 4095}.at(static_cast<std::size_t>(cpu));
        });
        const auto lanes = lanes_of(machine);
        EXPECT_EQ(cpus_of(lanes), (Cpus{1, 40, 5, 4095}));
        EXPECT_EQ(cores_of(lanes), (Cores{0, 1, 0, 1}));
}

TEST(LaneOrder, OneCpuIsOneLaneThatStealsFromNobody) {
        const auto lanes = lanes_of(make_machine(two_sockets_with_smt(), {}), {6});
        EXPECT_EQ(cpus_of(lanes), Cpus{6});
        EXPECT_EQ(cores_of(lanes), Cores{0});
        EXPECT_TRUE(steal_order(lanes, 0).empty());
}

TEST(LaneOrder, NoCpuIsNoLane) { EXPECT_TRUE(order_lanes({}, {}).empty()); }

TEST(LaneOrder, CpusOfWhichNothingIsKnownComeByNumberBehindTheOthers) {
        std::vector<Place> places(4);
        places[3] = {9, 9, 9, 0, 0};
        for (std::uint32_t i = 0; i < 3; i++)
                places[i].core = places[i].l2 = i + 4;
        const auto lanes = order_lanes(Cpus{4, 5, 6, 9}, places);
        EXPECT_EQ(cpus_of(lanes), (Cpus{9, 4, 5, 6}));
        EXPECT_EQ(cores_of(lanes), (Cores{0, 1, 2, 3}));
}

TEST(StealOrder, GoesFromTheSiblingOverCachesAndNodeToTheOtherSocket) {
        // Two sockets of two nodes of two third-level caches of two clusters of two cores, all with
        // one more thread: 64 CPUs.
        const auto machine = make_machine({2, 2, 2, 2, 2, {2}}, Numbering::SiblingsApart);
        const auto order = victims(lanes_of(machine), 0);
        ASSERT_EQ(order.size(), 63U);
        const auto part = [&](int from, int to) {
                return std::set(order.begin() + from, order.begin() + to);
        };
        EXPECT_EQ(order[0], 32);                                         // sibling
        EXPECT_EQ(part(1, 3), (std::set{1, 33}));                        // cluster
        EXPECT_EQ(part(3, 7), (std::set{2, 3, 34, 35}));                 // third level
        EXPECT_EQ(part(7, 15), (std::set{4, 5, 6, 7, 36, 37, 38, 39}));  // node
        for (const auto cpu : part(15, 31))
                EXPECT_LT(cpu % 32, 16);  // socket
        for (const auto cpu : part(31, 63))
                EXPECT_GE(cpu % 32, 16);
}

TEST(StealOrder, BeginsBehindTheThiefAndGoesRound) {
        const auto lanes = lanes_of(make_machine({1, 1, 1, 5, 1, {1}}, {}));
        EXPECT_EQ(steal_order(lanes, 0), (Order{1, 2, 3, 4}));
        EXPECT_EQ(steal_order(lanes, 2), (Order{3, 4, 0, 1}));
        EXPECT_EQ(steal_order(lanes, 4), (Order{0, 1, 2, 3}));
}

TEST(StealOrder, GoesRoundWithinEachGroup) {
        const auto lanes = lanes_of(make_machine({2, 1, 1, 3, 1, {1}}, {}));
        EXPECT_EQ(steal_order(lanes, 1), (Order{2, 0, 3, 4, 5}));
        EXPECT_EQ(steal_order(lanes, 4), (Order{5, 3, 0, 1, 2}));
}

TEST(StealOrder, WithoutAThirdLevelTheNodeCounts) {
        const auto lanes = lanes_of(make_machine({2, 1, 0, 2, 1, {1}}, {}));
        EXPECT_EQ(victims(lanes, 3), (Cpus{2, 0, 1}));
        EXPECT_EQ(distance(lanes[0].place, lanes[1].place), Distance::Node);
        EXPECT_EQ(distance(lanes[0].place, lanes[2].place), Distance::Machine);
}

TEST(StealOrder, PrefersTheOwnNodeWhereOneCacheServesSeveral) {
        // Sub-NUMA clustering: two nodes with one third-level cache.
        auto machine = make_machine({1, 2, 1, 2, 1, {1}}, {});
        for (auto& place : machine.places)
                place.l3 = 0;
        const auto lanes = lanes_of(machine);
        EXPECT_EQ(victims(lanes, 1), (Cpus{0, 2, 3}));
        EXPECT_EQ(victims(lanes, 2), (Cpus{3, 0, 1}));
        EXPECT_EQ(distance(lanes[0].place, lanes[1].place), Distance::L3);
        EXPECT_EQ(distance(lanes[0].place, lanes[2].place), Distance::Node);
}

TEST(StealOrder, NothingUnknownIsShared) {
        Place a;
        Place b;
        a.core = a.l2 = 0;
        b.core = b.l2 = 1;
        EXPECT_EQ(distance(a, b), Distance::Machine);
        a.package = b.package = 0;
        EXPECT_EQ(distance(a, b), Distance::Package);
        a.l3 = b.l3 = 0;
        EXPECT_EQ(distance(a, b), Distance::L3) << "of a machine without nodes";
}

class LanesOfEveryMachine : public ::testing::Test {
protected:
        template <class Check>
        static void for_each(Check check) {
                for (unsigned seed = 1; seed <= 500 && !HasFailure(); seed++) {
                        SCOPED_TRACE("seed " + std::to_string(seed));
                        const auto machine = random_machine(seed);
                        const auto mask = random_mask(machine, seed);
                        check(mask, lanes_of(machine, mask));
                }
        }
};

TEST_F(LanesOfEveryMachine, AreOneForEachCpu) {
        for_each([](const Cpus& mask, const std::vector<LaneSite>& lanes) {
                auto cpus = cpus_of(lanes);
                std::ranges::sort(cpus);
                EXPECT_EQ(cpus, mask);
        });
}

TEST_F(LanesOfEveryMachine, AreFirstOneForEachCoreWhichIsNamedByIt) {
        for_each([](const Cpus&, const std::vector<LaneSite>& lanes) {
                std::set<std::uint32_t> cores;
                for (const auto& lane : lanes)
                        cores.insert(lane.place.core);
                for (std::uint32_t i = 0; i < lanes.size(); i++) {
                        EXPECT_EQ(lanes[i].core == i, i < cores.size());
                        ASSERT_LT(lanes[i].core, cores.size());
                        EXPECT_EQ(lanes[lanes[i].core].place.core, lanes[i].place.core);
                }
        });
}

TEST_F(LanesOfEveryMachine, FillAllCoresToOneHeightBeforeTheNext) {
        for_each([](const Cpus&, const std::vector<LaneSite>& lanes) {
                std::map<std::uint32_t, unsigned> on_core;
                unsigned height = 1;
                for (const auto& lane : lanes) {
                        const auto rank = ++on_core[lane.core];
                        EXPECT_GE(rank, height);
                        height = std::max(height, rank);
                }
        });
}

TEST_F(LanesOfEveryMachine, AreTheSameInWhateverOrderItsCpusAreTold) {
        for_each([](const Cpus&, const std::vector<LaneSite>& lanes) {
                Cpus cpus;
                std::vector<Place> places;
                for (auto lane = lanes.rbegin(); lane != lanes.rend(); lane++) {
                        cpus.push_back(lane->cpu);
                        places.push_back(lane->place);
                }
                const auto again = order_lanes(cpus, places);
                EXPECT_EQ(cpus_of(again), cpus_of(lanes));
                EXPECT_EQ(cores_of(again), cores_of(lanes));
        });
}

TEST_F(LanesOfEveryMachine, StealFromEachOtherOnceAndNeverNearerThanBefore) {
        for_each([](const Cpus&, const std::vector<LaneSite>& lanes) {
                for (std::size_t thief = 0; thief < lanes.size(); thief++) {
                        const auto order = steal_order(lanes, thief);
                        std::set<std::size_t> seen = {thief};
                        std::pair<Distance, std::size_t> before{};
                        for (const auto lane : order) {
                                ASSERT_LT(lane, lanes.size());
                                EXPECT_TRUE(seen.insert(lane).second);
                                // Within one distance in the order of steps from the thief.
                                const std::pair now(distance(lanes[thief].place, lanes[lane].place),
                                                    (lane + lanes.size() - thief) % lanes.size());
                                EXPECT_LT(before, now);
                                before = now;
                        }
                        EXPECT_EQ(seen.size(), lanes.size());
                }
        });
}

TEST_F(LanesOfEveryMachine, AreAsFarFromOneToTheOtherAsBack) {
        for_each([](const Cpus&, const std::vector<LaneSite>& lanes) {
                for (const auto& a : lanes)
                        for (const auto& b : lanes)
                                EXPECT_EQ(distance(a.place, b.place), distance(b.place, a.place));
        });
}

TEST(StealOrder, SpreadsTheFirstVictimsOverAMachineOfEquals) {
        const auto lanes = lanes_of(make_machine({1, 1, 1, 64, 1, {1}}, {}));
        std::set<std::uint16_t> first;
        for (std::size_t thief = 0; thief < lanes.size(); thief++)
                first.insert(steal_order(lanes, thief).front());
        EXPECT_EQ(first.size(), lanes.size());
}

TEST(StealOrder, OfFourThousandLanesHasEachOther) {
        Cpus cpus(4096);
        std::iota(cpus.begin(), cpus.end(), 0);
        const auto machine = make_machine({2, 4, 4, 64, 1, {2}}, Numbering::SiblingsApart);
        ASSERT_EQ(machine.cpus, cpus);
        const auto lanes = lanes_of(machine);
        auto order = steal_order(lanes, 4095);
        EXPECT_EQ(lanes[order.front()].cpu, 2047);
        std::ranges::sort(order);
        EXPECT_EQ(order.size(), 4095U);
        EXPECT_EQ(std::ranges::adjacent_find(order), order.end());
        EXPECT_EQ(order.back(), 4094U);
}

}  // namespace
}  // namespace threadcount::pool
