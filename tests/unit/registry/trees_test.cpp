// SPDX-License-Identifier: MIT
// The programs of each tree, the policy's view of the tree, and the CPUs that its programs may
// count on.
#include "registry/programs_fixture.hpp"

#include "registry/arbiter.hpp"

namespace governor::registry {
namespace {

const Request kKeeps = [] {
        Request request;
        request.keeps = request.can_wait = true;
        return request;
}();

class TreesTest : public ProgramsTest {
protected:
        static ProgramId join_tree(Programs& programs, ProgramId tree, const Request& request,
                                   TimePoint now) {
                auto identity = program_of(1000);
                identity.wants_tree = tree == ProgramId{};
                identity.tree = tree;
                return programs.join(identity, request, within(kAll), now).id;
        }
        ProgramId join_tree(ProgramId tree = {}, const Request& request = {}) {
                return join_tree(programs_, tree, request, now_);
        }
};

TEST_F(TreesTest, TakeInWhatTurnsOutToBeBelow) {
        const auto early = join();
        const auto inner = join_tree();
        const auto of_inner = join_tree(inner);
        const auto outer = join_tree();
        EXPECT_TRUE(programs_.move(early, outer));
        EXPECT_TRUE(programs_.move(inner, outer));
        EXPECT_EQ(programs_.find(early)->tree(), outer);
        EXPECT_EQ(programs_.find(inner)->tree(), outer);
        EXPECT_EQ(programs_.find(of_inner)->tree(), ProgramId{}) << "until it is looked at again";
        EXPECT_FALSE(programs_.move(inner, outer)) << "it is there";
        EXPECT_FALSE(programs_.move(of_inner, inner)) << "that holds no tree any more";
        EXPECT_FALSE(programs_.move(outer, outer));
}

TEST_F(TreesTest, AreAsTheirHoldersWish) {
        Request wish;
        wish.min = 2;
        wish.max = 6;
        wish.weight = 300;
        const auto holder = join_tree({}, wish);
        (void)join_tree(holder);
        (void)join();
        const auto told = programs_.snapshot(machine_, foreign_, now_);
        ASSERT_EQ(told.trees.size(), 1U);
        EXPECT_EQ(told.trees[0].weight, 300U);
        EXPECT_EQ(told.trees[0].min, 2U);
        EXPECT_EQ(told.trees[0].max, 6U);
        EXPECT_EQ(told.clients[0].tree, 0U);
        EXPECT_EQ(told.clients[1].tree, 0U);
        EXPECT_FALSE(told.clients[2].tree);
}

TEST_F(TreesTest, HaveAHolderWhoIsLikeAnyOtherAmongItsOwn) {
        Request wish;
        wish.min = 2;
        wish.weight = 300;
        (void)join_tree({}, wish);
        EXPECT_EQ(only().weight, 100U);
        EXPECT_EQ(only().min, 1U);
        EXPECT_EQ(programs_.next({})->weight(), 300U) << "as users are told";
}

TEST_F(TreesTest, LendWhatTheirHoldersDoNotUseToTheirMembersFromTheStart) {
        const auto holder = join_tree();
        EXPECT_FALSE(only().idle) << "it may be about to begin";
        const auto member = join_tree(holder);
        EXPECT_TRUE(listed().at(0).idle);
        EXPECT_EQ(listed().at(0).wants, 1U);
        EXPECT_FALSE(listed().at(1).idle);
        programs_.leave(member, std::nullopt, now_);
        EXPECT_FALSE(only().idle);
}

TEST_F(TreesTest, DoNotLendWhatTheirHoldersHaveBegunToUse) {
        const auto holder = join_tree();
        (void)join_tree(holder);
        grant(holder, 0, 8);
        evidence::Report report;
        report.regions = 1;
        (void)programs_.find(holder)->report(report, now_);
        EXPECT_FALSE(listed().at(0).idle);
}

TEST_F(TreesTest, DoNotLendWhatDescendantsOfTheirHoldersBurn) {
        const auto holder = join_tree();
        (void)join_tree(holder, kKeeps);
        grant(holder, 0, 8);
        second(holder, 2);
        second(holder, 2);
        EXPECT_FALSE(listed().at(0).idle);
        second(holder, 0);
        EXPECT_TRUE(listed().at(0).idle) << "they have ended";
}

TEST_F(TreesTest, DoNotCountWhatAMemberBurnedBeforeItJoined) {
        const auto holder = join_tree();
        grant(holder, 0, 8);
        second(holder, 1);
        second(holder, 1);
        auto identity = program_of(1000);
        identity.tree = holder;
        identity.cpu_time = 2s;
        (void)programs_.join(identity, {}, within(kAll), now_);
        EXPECT_TRUE(listed().at(0).idle);
        second(holder, 1);
        EXPECT_FALSE(listed().at(0).idle) << "it was not the only one";
}

TEST_F(TreesTest, DoNotNest) {
        const auto outer = join_tree();
        auto identity = program_of(1000);
        identity.wants_tree = true;
        identity.tree = outer;
        const auto inner = programs_.join(identity, {}, within(kAll), now_).id;
        EXPECT_EQ(programs_.find(inner)->tree(), outer);
        EXPECT_FALSE(programs_.find(inner)->holds_tree());
}

TEST_F(TreesTest, EndWithTheirHolders) {
        const auto holder = join_tree();
        const auto member = join_tree(holder);
        EXPECT_TRUE(programs_.have_trees());
        programs_.leave(holder, std::nullopt, now_);
        EXPECT_EQ(programs_.find(member)->tree(), ProgramId{});
        EXPECT_FALSE(only().tree);
        EXPECT_FALSE(programs_.have_trees());
}

TEST_F(TreesTest, OutliveTheirMembers) {
        const auto holder = join_tree();
        programs_.leave(join_tree(holder), std::nullopt, now_);
        EXPECT_TRUE(programs_.find(holder)->holds_tree());
        EXPECT_TRUE(programs_.have_trees());
}

TEST_F(TreesTest, OfAHolderThatKeepsItsFirstGrantMayGrow) {
        Request wish;
        wish.start_only = true;
        const auto holder = join_tree({}, wish);
        grant(holder, 0, 1);
        EXPECT_EQ(only().max, 1U);
        EXPECT_FALSE(programs_.snapshot(machine_, foreign_, now_).trees[0].max);
}

class SharesTest : public TreesTest {
protected:
        ProgramId join_here(ProgramId tree) {
                return join_tree(arbiter_.programs(), tree, {}, now_);
        }
        std::uint32_t share(ProgramId id) {
                return arbiter_.share(*arbiter_.programs().find(id), now_);
        }
        Arbiter arbiter_{policy::fair::Settings{}, Mode::Govern, Programs(LeaseLimits{}, {}),
                         machine_of(16)};
};

TEST_F(SharesTest, AreKnownBeforeTheFirstDecision) {
        const auto first = join_here({});
        EXPECT_EQ(share(first), 16U);
        const auto second = join_here({});
        EXPECT_EQ(share(second), 8U);
}

TEST_F(SharesTest, FollowDecisions) {
        const auto first = join_here({});
        EXPECT_EQ(share(first), 16U);
        (void)join_here({});
        (void)arbiter_.decide(now_);
        EXPECT_EQ(share(first), 8U);
}

TEST_F(SharesTest, OfAProgramThatDoesNothingAreLentButItsTreeMayHaveThemBack) {
        const auto idle = join_here({});
        const auto busy = join_here({});
        for (int i = 0; i < 15; i++) {
                (void)arbiter_.decide(now_);
                now_ += 1s;
                cpu_time_ += 16s;
                arbiter_.programs().find(idle)->measured(0s, true, now_);
                arbiter_.programs().find(busy)->measured(cpu_time_, false, now_);
                arbiter_.sampled(sample_, 0, {}, false, now_);
        }
        (void)arbiter_.decide(now_);
        EXPECT_EQ(share(idle), 1U);
        EXPECT_EQ(share(busy), 16U);
        EXPECT_EQ(arbiter_.share_of_tree(idle, now_), 8U);
}

TEST_F(SharesTest, OfATreeAreThoseOfItsProgramsTogether) {
        const auto holder = join_here({});
        const auto member = join_here(holder);
        (void)join_here(holder);
        (void)join_here({});
        EXPECT_EQ(arbiter_.share_of_tree(holder, now_), 8U);
        EXPECT_EQ(share(member), 4U) << "the holder does nothing by itself";
}

TEST_F(SharesTest, OfHoldersThatDoNothingThemselvesAreNoReasonForRounds) {
        Request keeps;
        keeps.can_wait = keeps.keeps = true;
        keeps.max = 8;
        std::vector<ProgramId> members;
        for (int i = 0; i < 2; i++)
                members.push_back(join_tree(arbiter_.programs(), join_here({}), keeps, now_));
        (void)arbiter_.decide(now_);
        for (const auto id : members) {
                const auto& grant = arbiter_.programs().find(id)->held()->grant;
                EXPECT_EQ(grant.threads, 8U);
                EXPECT_FALSE(grant.parked);
        }
}

TEST_F(SharesTest, OfOnesThatKeepTheirTeamsLaterTakeRoundsFromThenOn) {
        Request waits;
        waits.can_wait = true;
        waits.max = 16;
        std::vector<ProgramId> all;
        for (int i = 0; i < 2; i++)
                all.push_back(join_tree(arbiter_.programs(), {}, waits, now_));
        const auto parked = [&] {
                (void)arbiter_.decide(now_);
                return std::ranges::count_if(all, [&](ProgramId id) {
                        return arbiter_.programs().find(id)->held()->grant.parked;
                });
        };
        EXPECT_EQ(parked(), 0);
        for (const auto id : all)
                EXPECT_TRUE(arbiter_.programs().find(id)->keep(false, now_));
        EXPECT_EQ(parked(), 1);
}

TEST_F(SharesTest, OfATeamThatIsToLeaveAreWaitedForUntilItHas) {
        auto keeps = kKeeps;
        keeps.max = 16;
        std::vector<Program*> all;
        for (int i = 0; i < 2; i++)
                all.push_back(
                        arbiter_.programs().find(join_tree(arbiter_.programs(), {}, keeps, now_)));
        (void)arbiter_.decide(now_);
        const auto parked = std::ranges::find_if(
                all, [](const Program* program) { return program->held()->grant.parked; });
        ASSERT_NE(parked, all.end());
        // Its region has begun with its newest grant: no CPU of an older one is left to it.
        evidence::Report report;
        report.epoch = (*parked)->held()->epoch;
        report.team = 16;
        report.in_region = true;
        report.regions = 1;
        (void)(*parked)->report(report, now_);
        report.in_region = false;
        report.waits = true;
        (void)(*parked)->report(report, now_ + 1ms);
        EXPECT_TRUE((*parked)->has_left());
}

}  // namespace
}  // namespace governor::registry
