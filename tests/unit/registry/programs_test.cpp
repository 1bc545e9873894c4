// SPDX-License-Identifier: MIT
// The policy's view of programs, and the effects of its decisions.
#include "registry/programs_fixture.hpp"

namespace governor::registry {
namespace {

TEST_F(ProgramsTest, AreListedInTheOrderInWhichTheyJoined) {
        const auto first = join();
        const auto second = join(0);
        const auto third = join(1001);
        programs_.leave(second, std::nullopt, now_);
        const auto fourth = join(1);
        const auto clients = listed();
        ASSERT_EQ(clients.size(), 3U);
        EXPECT_EQ(clients[0].id, first);
        EXPECT_EQ(clients[1].id, third);
        EXPECT_EQ(clients[2].id, fourth);
        EXPECT_EQ(clients[1].account, AccountId{1001});
}

TEST_F(ProgramsTest, AreListedAsTheyAsk) {
        Request request;
        request.min = 2;
        request.max = 6;
        request.weight = 300;
        (void)join(1000, request);
        const auto client = only();
        EXPECT_EQ(client.min, 2U);
        EXPECT_EQ(client.max, 6U);
        EXPECT_EQ(client.weight, 300U);
        EXPECT_EQ(client.guaranteed, 1U);
        EXPECT_EQ(client.allowed, kAll);
        EXPECT_EQ(client.joined, kStart);
        EXPECT_TRUE(client.granted.empty());
        EXPECT_FALSE(client.cgroup);
        EXPECT_FALSE(client.wants);
}

TEST_F(ProgramsTest, AskAnew) {
        const auto id = join();
        Request request;
        request.max = 3;
        programs_.find(id)->request(request, now_);
        EXPECT_EQ(only().max, 3U);
}

TEST_F(ProgramsTest, NeverWantMoreForCertainThanTheirMaximum) {
        Request request;
        request.min = 9;
        request.max = 4;
        (void)join(1000, request);
        EXPECT_EQ(only().min, 4U);
}

TEST_F(ProgramsTest, AreHeldToARule) {
        Rule rule;
        rule.max = 4;
        rule.min = 2;
        rule.weight = 50;
        use_rule(rule);
        Request request;
        request.max = 8;
        const auto id = join(1000, request);
        EXPECT_EQ(only().max, 4U);
        EXPECT_EQ(only().guaranteed, 2U);
        EXPECT_EQ(only().weight, 50U);
        request.max = 3;
        programs_.find(id)->request(request, now_);
        EXPECT_EQ(only().max, 3U) << "the stricter of both";
        request.max = 0;
        programs_.find(id)->request(request, now_);
        EXPECT_EQ(only().max, 4U);
}

TEST_F(ProgramsTest, ThatAreIgnoredAreNotListedButMeasured) {
        Rule rule;
        rule.ignore = true;
        use_rule(rule);
        const auto id = join();
        second(id, 4);
        second(id, 4);
        EXPECT_TRUE(listed().empty());
        EXPECT_EQ(programs_.size(), 1U);
        const auto burns = programs_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U);
        EXPECT_FALSE(region(id, 1, 4));
        EXPECT_EQ(programs_.find(id)->held(), nullptr);
}

TEST_F(ProgramsTest, ThatOnlyStartKeepTheirFirstGrantAsMaximum) {
        Request request;
        request.start_only = true;
        const auto id = join(1000, request);
        EXPECT_FALSE(only().max);
        grant(id, 0, 6);
        EXPECT_EQ(only().max, 6U);
        grant(id, 0, 3);
        EXPECT_EQ(only().max, 6U);
}

TEST_F(ProgramsTest, HoldWhatWasAppliedLast) {
        const auto id = join();
        EXPECT_EQ(programs_.find(id)->held(), nullptr);
        EXPECT_TRUE(grant(id, 0, 8));
        EXPECT_FALSE(grant(id, 0, 8));
        EXPECT_EQ(programs_.find(id)->held()->grant.threads, 8U);
        EXPECT_EQ(only().granted, CpuMask::range(0, 8));
        programs_.leave(id, std::nullopt, now_);
        EXPECT_EQ(programs_.find(id), nullptr);
}

TEST_F(ProgramsTest, HoldNoCpuThatIsGone) {
        const auto id = join();
        grant(id, 0, 16);
        (void)region(id, 1, 16);
        grant(id, 0, 8);
        machine_ = machine_of(6);
        EXPECT_EQ(only().granted, CpuMask::range(0, 6));
        EXPECT_TRUE(only().in_use.is_within(only().granted));
}

TEST_F(ProgramsTest, HoldNothingOnCpusThatWereNotGovernedWhenTheyAre) {
        const auto id = join();
        auto all = grant_of(id, kAll);
        all.reason.limit = policy::fair::Limit::Ungoverned;
        (void)programs_.apply(decision_of({all}), now_);
        EXPECT_TRUE(only().granted.empty()) << "others may have them, too";
}

TEST_F(ProgramsTest, ThatAreNotKnownAreNobody) {
        const ProgramId nobody{99};
        programs_.leave(nobody, std::nullopt, now_);
        EXPECT_FALSE(grant(nobody, 0, 1));
        EXPECT_EQ(programs_.find(nobody), nullptr);
        EXPECT_EQ(programs_.next(nobody), nullptr);
}

TEST_F(ProgramsTest, TellOfTheirTurns) {
        Request request;
        request.can_wait = true;
        EXPECT_FALSE(programs_.turns(*programs_.find(join(1000, request)), now_));
        request.scheduling_class = policy::fair::Class::Batch;
        auto identity = program_of(1000);
        identity.job = "a";
        const auto id = programs_.join(identity, request, within(kAll), now_).id;
        (void)programs_.join(identity, request, within(kAll), now_);
        (void)programs_.join(identity, {}, within(kAll), now_);  // interactive

        auto decision = decision_of({grant_of(id, kAll)});
        const auto gangs = programs_.snapshot(machine_, foreign_, now_).gangs;
        decision.turns = {gangs.at(0).id};
        decision.paces = {1};
        (void)programs_.apply(decision, now_);
        (void)programs_.find(id)->report({1, 16, true, 1, 0, 10}, now_);
        now_ += 1s;
        (void)programs_.find(id)->report({1, 16, true, 2, 2, 10}, now_);
        now_ += 1s;
        (void)programs_.find(id)->report({1, 16, true, 3, 4, 10}, now_);

        const auto turns = programs_.turns(*programs_.find(id), now_);
        ASSERT_TRUE(turns);
        EXPECT_EQ(turns->programs, 2U);
        EXPECT_EQ(turns->served, 2s);
        EXPECT_EQ(turns->said.done, 4U);
        EXPECT_EQ(turns->said.total, 10U);
        EXPECT_TRUE(turns->said.is_believed);
        EXPECT_EQ(turns->remaining, 3s);
}

TEST_F(ProgramsTest, ToWhomCpusAreGuaranteedTakeNoTurns) {
        Rule rule;
        rule.min = 2;
        use_rule(rule);
        Request request;
        request.can_wait = true;
        request.scheduling_class = policy::fair::Class::Batch;
        EXPECT_FALSE(programs_.turns(*programs_.find(join(1000, request)), now_));
        request.max = 1;
        EXPECT_TRUE(programs_.turns(*programs_.find(join(1000, request)), now_))
                << "that is all it can have";
}

TEST_F(ProgramsTest, ThatKeepTheirTeamsWaitForTheirRounds) {
        Request request;
        request.keeps = request.can_wait = true;
        const auto id = join(1000, request);
        const auto other = join(1000, request);
        EXPECT_EQ(listed().at(0).team, 16U) << "as large as it may be, before it is known";
        EXPECT_FALSE(listed().at(0).takes_turns) << "it is interactive";
        EXPECT_NE(listed().at(0).gang, listed().at(1).gang) << "of one process group";
        grant(id, 0, 16);
        (void)region(id, 1, 12);
        EXPECT_EQ(listed().at(0).team, 12U);
        park(id);
        now_ += numbers::kHandoverMax;
        second(id, 12);
        EXPECT_FALSE(listed().at(0).above_since) << "it leaves at the end of its region";
        EXPECT_EQ(listed().at(0).in_use, kAll);
        programs_.leave(other, std::nullopt, now_);
        request.keeps = false;
        programs_.find(id)->request(request, now_);
        EXPECT_TRUE(listed().at(0).team) << "as it said first";
}

TEST_F(ProgramsTest, SayWhetherTheirThreadsSleepInACrowd) {
        Request request;
        request.keeps = request.can_wait = request.sleeps = true;
        const auto id = join(1000, request);
        EXPECT_TRUE(listed().at(0).sleeps);
        EXPECT_FALSE(programs_.find(id)->keep(true, now_)) << "as it was";
        EXPECT_TRUE(programs_.find(id)->keep(false, now_));
        EXPECT_FALSE(listed().at(0).sleeps);
        programs_.find(id)->request({}, now_);
        EXPECT_TRUE(listed().at(0).team) << "for good";
}

/// As of `run`, once it knows of a rule that lets teams follow.
TEST_F(ProgramsTest, MaySayOfATreeLaterThatNothingHoldsIt) {
        auto holder = program_of(1000);
        holder.wants_tree = true;
        const auto id = programs_.join(holder, {}, within(kAll), now_).id;
        EXPECT_FALSE(only().sleeps);
        EXPECT_TRUE(programs_.find(id)->keep(true, now_));
        EXPECT_TRUE(only().sleeps);
        EXPECT_FALSE(only().team) << "it cannot wait";
        EXPECT_FALSE(only().gang);
}

/// A region of 1 ms in a crowd of two, and of 0.4 ms in its round.
TEST_F(ProgramsTest, AreTriedInACrowdAndInRounds) {
        Request request;
        request.keeps = request.can_wait = request.sleeps = true;
        const auto id = join(1000, request);
        evidence::Report report{1, 16, true, 0};
        const auto run = [&](bool crowded, std::chrono::microseconds period) {
                auto one = grant_of(id, CpuMask::range(0, 16));
                one.crowded = crowded;
                if (crowded)
                        one.reason.limit = policy::fair::Limit::Crowded;
                one.reason.bound = 1;
                (void)programs_.apply(decision_of({one}), now_);
                for (int i = 0; i < 14; i++) {
                        now_ += numbers::kPoll;
                        report.ended += static_cast<std::uint64_t>(numbers::kPoll / period);
                        (void)programs_.find(id)->report(report, now_);
                }
                return listed().at(0).crowd_gain;
        };
        const auto begun = std::exchange(report, evidence::Report{});
        EXPECT_EQ(run(true, 1h).step, policy::fair::CrowdGain::Step::Crowd)
                << "it has begun none yet";
        report = begun;
        EXPECT_EQ(run(true, 1ms).step, policy::fair::CrowdGain::Step::Rounds);
        const auto done = run(false, 400us);
        ASSERT_TRUE(done.gain);
        EXPECT_NEAR(*done.gain, 0.8, 0.02);
}

TEST_F(ProgramsTest, ThatKeepTheirTeamsRestOutsideOfRegions) {
        Request request;
        request.keeps = request.can_wait = true;
        const auto id = join(1000, request);
        grant(id, 0, 16);
        (void)region(id, 1, 16);
        const auto says = [&](bool waits) {
                evidence::Report report{1, 16, false, regions_};
                report.waits = waits;
                return programs_.find(id)->report(report, now_);
        };
        EXPECT_FALSE(says(false));
        now_ += numbers::kPoll;
        EXPECT_TRUE(says(false));
        EXPECT_TRUE(only().rests);
        EXPECT_TRUE(says(true)) << "it is in front of a region";
        EXPECT_FALSE(only().rests);
        EXPECT_FALSE(says(true));
        (void)says(false);
        now_ += numbers::kLasting;
        EXPECT_TRUE(says(false));
        EXPECT_TRUE(only().idle) << "for long";
        EXPECT_TRUE(region(id, 1, 16));
        EXPECT_FALSE(only().idle);
}

/// A new governor has given it a new page, and its region goes on.
TEST_F(ProgramsTest, ThatKeepTheirTeamsMayBeInARegionWhenTheyComeBack) {
        Request request;
        request.keeps = request.can_wait = true;
        const auto id = join(1000, request);
        grant(id, 0, 16);
        for (int i = 0; i < 5; i++) {
                (void)programs_.find(id)->report({}, now_);
                second(id, 16);
                EXPECT_FALSE(only().idle);
                (void)programs_.find(id)->report({}, now_);
                EXPECT_FALSE(only().idle);
        }
}

TEST_F(ProgramsTest, HaveNoLargerTeamThanCpus) {
        const auto id = programs_.join(program_of(1), {}, within(CpuMask::range(0, 4)), now_).id;
        grant(id, 0, 4);
        (void)region(id, 1, 4'000'000'000);
        EXPECT_FALSE(only().above_since) << "more threads than CPUs run on no more CPUs";
}

TEST_F(ProgramsTest, AreConfinedAnew) {
        const auto id = join();
        Confinement where = within(CpuMask::range(0, 2));
        where.groups = {{"/a", 2}, {"", {}}};
        programs_.find(id)->confine(where, now_);
        EXPECT_EQ(only().allowed, CpuMask::range(0, 2));
        EXPECT_EQ(only().cgroup, 0U);
        programs_.find(id)->confine(where, now_);
        EXPECT_EQ(programs_.snapshot(machine_, foreign_, now_).cgroups.size(), 1U);
        programs_.find(id)->confine(within(kAll), now_);
        EXPECT_TRUE(programs_.snapshot(machine_, foreign_, now_).cgroups.empty());
}

class LeaseQuotas : public ::testing::Test {
protected:
        std::optional<Refusal> join(std::uint32_t uid) {
                return programs_.join(program_of(uid), {}, {}, kStart).refusal;
        }
        /// The number of leases that it still gets.
        std::size_t fill(std::uint32_t uid) {
                std::size_t count = 0;
                while (!join(uid))
                        count++;
                return count;
        }

        Programs programs_{LeaseLimits{100, 30}, {}};
};

TEST_F(LeaseQuotas, AreOfEachUserAndLeaveAsManyFree) {
        EXPECT_EQ(fill(1000), 30U);
        EXPECT_EQ(join(1000), Refusal::TooManyOfAccount);
        EXPECT_EQ(fill(1001), 30U);
        EXPECT_EQ(fill(1002), 20U) << "half of the rest";
        EXPECT_EQ(join(1002), Refusal::TooMany);
        programs_.leave(ProgramId{61}, std::nullopt, kStart);
        EXPECT_EQ(join(1002), std::nullopt);
        EXPECT_EQ(join(1002), Refusal::TooMany);
}

TEST_F(LeaseQuotas, LetRootHaveAllThereAre) {
        EXPECT_EQ(fill(1000), 30U);
        EXPECT_EQ(fill(0), 70U);
        EXPECT_EQ(join(0), Refusal::TooMany);
}

TEST_F(LeaseQuotas, NeverRefuseAUserItsFirstLease) {
        (void)fill(0);
        for (std::uint32_t uid = 1000; uid < 1050; uid++) {
                EXPECT_EQ(join(uid), std::nullopt) << uid;
                EXPECT_EQ(join(uid), Refusal::TooMany);
        }
}

class ClientHistory : public ProgramsTest {
protected:
        [[nodiscard]] const Event& last() const {
                return programs_.history().at(programs_.history().end_number() - 1);
        }
};

TEST_F(ClientHistory, KnowsWhoCameAndWent) {
        const auto id = programs_.join(program_of(1000, "prime"), {}, within(kAll), now_).id;
        EXPECT_EQ(last().kind, EventKind::Joined);
        EXPECT_EQ(last().id, id);
        EXPECT_EQ(last().pid, 100U);
        EXPECT_EQ(last().uid, 1000U);
        EXPECT_STREQ(last().label.data(), "prime");
        programs_.leave(id, std::nullopt, now_ + 1s);
        EXPECT_EQ(last().kind, EventKind::Left);
        EXPECT_EQ(last().at, now_ + 1s);
}

TEST_F(ClientHistory, KnowsGrantsAndTheirReasons) {
        const auto id = join();
        auto one = grant_of(id, CpuMask::range(0, 8));
        one.reason.limit = policy::fair::Limit::Newcomer;
        (void)programs_.apply(decision_of({one}), now_);
        EXPECT_EQ(last().kind, EventKind::Granted);
        EXPECT_EQ(last().from, 0U);
        EXPECT_EQ(last().to, 8U);
        EXPECT_EQ(last().reason.limit, policy::fair::Limit::Newcomer);
        const auto events = programs_.history().end_number();
        (void)programs_.apply(decision_of({one}), now_);
        EXPECT_EQ(programs_.history().end_number(), events) << "nothing has changed";
}

TEST_F(ClientHistory, KnowsWhoBecameRigidOnce) {
        const auto id = join();
        auto one = grant_of(id, CpuMask::range(0, 8));
        (void)programs_.apply(decision_of({one}), now_);
        one.reason.limit = policy::fair::Limit::Rigid;
        (void)programs_.apply(decision_of({one}), now_);
        EXPECT_EQ(last().kind, EventKind::Rigid);
        const auto events = programs_.history().end_number();
        (void)programs_.apply(decision_of({one}), now_);
        EXPECT_EQ(programs_.history().end_number(), events);
}

TEST_F(ClientHistory, OfAProgramIsItsOwnWhateverOthersDo) {
        const auto id = join(1001);
        grant(id, 0, 8);
        const auto noisy = join(1000);
        for (std::uint32_t i = 0; i < 10'000; i++)
                grant(noisy, i % 2, 1);
        const auto& recent = programs_.find(id)->recent();
        ASSERT_EQ(recent.size(), 2U);
        EXPECT_EQ(recent[0].kind, EventKind::Joined);
        EXPECT_EQ(recent[1].to, 8U);
        EXPECT_EQ(programs_.find(noisy)->recent().size(), RecentEvents::kMost);
        EXPECT_EQ(programs_.history().at(0).uid, 1001U) << "monitor knows it, too";
}

TEST_F(ClientHistory, KnowsWhoWasRefused) {
        programs_ = Programs(LeaseLimits{0, 0}, {});
        (void)join(1234);
        (void)join(1234);
        EXPECT_EQ(last().kind, EventKind::Refused);
        EXPECT_EQ(last().uid, 1234U);
}

}  // namespace
}  // namespace governor::registry
