// SPDX-License-Identifier: MIT
// The desk by which a program of bench/loop tells its made-up kernel the teams that it runs.
#include "desk.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace bench {

namespace {

/// On CPUs 0 to threads - 1.
Team team(std::int64_t at_ns, std::uint32_t threads) {
        Team team{at_ns, threads, {}};
        team.cpus[0] = (std::uint64_t{1} << threads) - 1;
        return team;
}

}  // namespace

TEST(Team, HasTheCpusOfAllItsWords) {
        Team team;
        team.cpus[0] = 0b101;
        team.cpus[15] = std::uint64_t{1} << 63U;
        EXPECT_EQ(team.mask().to_set(), (governor::policy::CpuSet{0, 2, 1023}));
        EXPECT_TRUE(Team{}.mask().empty());
}

TEST(Desk, ATeamIsNotedOnceHoweverManyRegionsRunOnIt) {
        const auto desk = std::make_unique<Desk>();
        desk->note(team(10, 2));
        desk->note(team(20, 2));
        desk->note(team(30, 3));
        desk->note(team(40, 2));
        ASSERT_EQ(desk->count, 3U);
        EXPECT_EQ(desk->teams[0].at_ns, 10);
        EXPECT_EQ(desk->teams[1].at_ns, 30);
        EXPECT_EQ(desk->teams[2].at_ns, 40);
}

TEST(Desk, OtherCpusAreAnotherTeam) {
        const auto desk = std::make_unique<Desk>();
        auto moved = team(20, 2);
        moved.cpus[0] <<= 2U;
        desk->note(team(10, 2));
        desk->note(moved);
        EXPECT_EQ(desk->count, 2U);
}

TEST(Desk, CountsTeamsThatFindNoRoom) {
        const auto desk = std::make_unique<Desk>();
        for (std::uint32_t i = 0; i < Desk::kMostTeams + 2; i++)
                desk->note(team(i, 1 + i % 2));
        EXPECT_GT(desk->count, Desk::kMostTeams);
        EXPECT_EQ(desk->teams.back().at_ns, Desk::kMostTeams - 1);
}

TEST(RegionsAtOnce, ShortOnesAreSleptTogetherFor5Milliseconds) {
        EXPECT_EQ(regions_at_once(1e6, 100), 5U);
        EXPECT_EQ(regions_at_once(4e6, 100), 2U);
        EXPECT_EQ(regions_at_once(1e6, 3), 3U);
}

TEST(RegionsAtOnce, LongOnesAreSleptOneByOne) {
        EXPECT_EQ(regions_at_once(5e6, 100), 1U);
        EXPECT_EQ(regions_at_once(1e9, 100), 1U);
}

TEST(RegionsAtOnce, RegionsWithoutAnyLengthEndAtOnce) { EXPECT_EQ(regions_at_once(0, 7), 7U); }

}  // namespace bench
