// SPDX-License-Identifier: MIT
// What the policy is told of programs.
#include "registry/clients.hpp"

#include "registry/programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::AccountId;
using policy::fair::Rule;

const CpuMask kAll = CpuMask::range(0, 16);

class ClientsTest : public ::testing::Test {
protected:
        ClientId join(std::uint32_t uid = 1000, const Request& request = {}) {
                return clients_.join(program_of(uid), request, within(kAll), now_).id;
        }

        bool grant(ClientId id, std::uint32_t first, std::uint32_t count) {
                const auto one = grant_of(id, CpuMask::range(first, count));
                return !clients_.apply(decision_of({one}), now_).empty();
        }

        bool region(ClientId id, std::uint64_t epoch, std::uint32_t team) {
                return clients_.report(id, {epoch, team, true, ++regions_}, now_);
        }

        /// A second in which the client burns so many CPUs.
        void second(ClientId id, std::uint32_t cpus, bool stopped = false) {
                now_ += 1s;
                cpu_time_ += cpus * 1s;
                clients_.measured(id, cpu_time_, stopped, now_);
                clients_.sampled(sample_, now_);
        }

        policy::Sample sample_;  // warming up: nothing is known

        [[nodiscard]] std::vector<policy::fair::Client> listed() const {
                return clients_.snapshot(machine_, foreign_, now_).clients;
        }
        [[nodiscard]] policy::fair::Client only() const { return listed().at(0); }

        void use_rule(const Rule& rule) { clients_ = Clients(LeaseLimits{}, {rule}); }

        std::uint64_t regions_ = 0;
        policy::Machine machine_ = machine_of(16);
        policy::fair::ForeignLoad foreign_;
        Clients clients_{LeaseLimits{}, {}};
        TimePoint now_ = kStart;
        std::chrono::nanoseconds cpu_time_{0};
};

TEST_F(ClientsTest, AreListedInTheOrderInWhichTheyJoined) {
        const auto first = join();
        const auto second = join(0);
        const auto third = join(1001);
        clients_.leave(second, std::nullopt, now_);
        const auto fourth = join(1);
        const auto clients = listed();
        ASSERT_EQ(clients.size(), 3U);
        EXPECT_EQ(clients[0].id, first);
        EXPECT_EQ(clients[1].id, third);
        EXPECT_EQ(clients[2].id, fourth);
        EXPECT_EQ(clients[1].account, AccountId{1001});
}

TEST_F(ClientsTest, AreListedAsTheyAsk) {
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
        EXPECT_EQ(client.wants, 0U);
}

TEST_F(ClientsTest, AskAnew) {
        const auto id = join();
        Request request;
        request.max = 3;
        clients_.request(id, request, now_);
        EXPECT_EQ(only().max, 3U);
}

TEST_F(ClientsTest, NeverWantMoreForCertainThanTheirMaximum) {
        Request request;
        request.min = 9;
        request.max = 4;
        (void)join(1000, request);
        EXPECT_EQ(only().min, 4U);
}

TEST_F(ClientsTest, AreHeldToARule) {
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
        clients_.request(id, request, now_);
        EXPECT_EQ(only().max, 3U) << "the stricter of both";
        request.max = 0;
        clients_.request(id, request, now_);
        EXPECT_EQ(only().max, 4U);
}

TEST_F(ClientsTest, ThatAreIgnoredAreNotListedButMeasured) {
        Rule rule;
        rule.ignore = true;
        use_rule(rule);
        const auto id = join();
        second(id, 4);
        second(id, 4);
        EXPECT_TRUE(listed().empty());
        EXPECT_EQ(clients_.size(), 1U);
        const auto burns = clients_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U);
        EXPECT_FALSE(region(id, 1, 4));
        EXPECT_EQ(clients_.held(id), nullptr);
}

TEST_F(ClientsTest, ThatOnlyStartKeepTheirFirstGrantAsMaximum) {
        Request request;
        request.start_only = true;
        const auto id = join(1000, request);
        EXPECT_EQ(only().max, 0U);
        grant(id, 0, 6);
        EXPECT_EQ(only().max, 6U);
        grant(id, 0, 3);
        EXPECT_EQ(only().max, 6U);
}

TEST_F(ClientsTest, HoldWhatWasAppliedLast) {
        const auto id = join();
        EXPECT_EQ(clients_.held(id), nullptr);
        EXPECT_TRUE(grant(id, 0, 8));
        EXPECT_FALSE(grant(id, 0, 8));
        EXPECT_EQ(clients_.held(id)->grant.threads, 8U);
        EXPECT_EQ(only().granted, CpuMask::range(0, 8));
        clients_.leave(id, std::nullopt, now_);
        EXPECT_EQ(clients_.held(id), nullptr);
}

TEST_F(ClientsTest, HoldNoCpuThatIsGone) {
        const auto id = join();
        grant(id, 0, 16);
        (void)region(id, 1, 16);
        grant(id, 0, 8);
        machine_ = machine_of(6);
        EXPECT_EQ(only().granted, CpuMask::range(0, 6));
        EXPECT_TRUE(only().in_use.is_within(only().granted));
}

TEST_F(ClientsTest, HoldNothingOnCpusThatWereNotGovernedWhenTheyAre) {
        const auto id = join();
        auto all = grant_of(id, kAll);
        all.reason.limit = policy::fair::Limit::Ungoverned;
        (void)clients_.apply(decision_of({all}), now_);
        EXPECT_TRUE(only().granted.empty()) << "others may have them, too";
}

TEST_F(ClientsTest, ThatAreNotKnownAreNobody) {
        const ClientId nobody{99};
        clients_.leave(nobody, std::nullopt, now_);
        clients_.request(nobody, {}, now_);
        clients_.confine(nobody, {}, now_);
        clients_.measured(nobody, 1s, false, now_);
        EXPECT_FALSE(region(nobody, 1, 1));
        EXPECT_FALSE(grant(nobody, 0, 1));
        EXPECT_EQ(clients_.held(nobody), nullptr);
}

TEST_F(ClientsTest, ReportWhatMayChangeADecision) {
        const auto id = join();
        grant(id, 0, 8);
        EXPECT_FALSE(region(id, 1, 8)) << "nothing is new";
        grant(id, 0, 4);
        EXPECT_FALSE(region(id, 1, 8)) << "not yet";
        EXPECT_TRUE(region(id, 2, 4)) << "gave back";
        EXPECT_FALSE(region(id, 2, 4));
        EXPECT_FALSE(region(id, 2, 12));
        EXPECT_TRUE(region(id, 2, 4)) << "not above any more";
}

TEST_F(ClientsTest, ThatAreIdleWakeWithARegion) {
        const auto id = join();
        grant(id, 0, 8);
        (void)clients_.report(id, {1, 8, false}, now_);
        for (int i = 0; i < 4; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle);
        EXPECT_EQ(only().wants, 1U);
        EXPECT_TRUE(region(id, 1, 8));
        EXPECT_FALSE(only().idle);
        EXPECT_EQ(only().wants, 0U);
}

TEST_F(ClientsTest, AreWaitedForWhileTheyAreIdle) {
        const auto id = join();
        grant(id, 0, 8);
        EXPECT_FALSE(clients_.is_waited_for(id));
        for (int i = 0; i < 3; i++)
                second(id, 0);
        ASSERT_TRUE(only().idle);
        EXPECT_TRUE(clients_.is_waited_for(id));
        region(id, 1, 8);
        EXPECT_FALSE(clients_.is_waited_for(id));
}

TEST_F(ClientsTest, AreWaitedForUntilTheyFollow) {
        const auto id = join();
        grant(id, 0, 8);
        region(id, 1, 8);
        EXPECT_FALSE(clients_.is_waited_for(id));
        grant(id, 0, 4);
        EXPECT_TRUE(clients_.is_waited_for(id)) << "its region goes on with all 8";
        region(id, 2, 4);
        EXPECT_FALSE(clients_.is_waited_for(id));
        EXPECT_FALSE(clients_.is_waited_for(ClientId{99}));
}

TEST_F(ClientsTest, ThatAreIdleWakeWithARegionThatNobodySaw) {
        const auto id = join();
        grant(id, 0, 8);
        (void)clients_.report(id, {1, 8, false, 7}, now_);
        for (int i = 0; i < 4; i++)
                second(id, 0);
        EXPECT_FALSE(clients_.report(id, {1, 8, false, 7}, now_));
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(clients_.report(id, {1, 8, false, 8}, now_));
        EXPECT_FALSE(only().idle);
}

TEST_F(ClientsTest, ThatAreCrowdedOutWantNoLess) {
        sample_.warming_up = false;
        for (std::uint32_t cpu = 0; cpu < 16; cpu++)
                sample_.cpus.push_back({cpu, 0U});
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 20; i++)
                second(id, 0);
        EXPECT_FALSE(only().idle) << "there was no idle CPU";
        EXPECT_EQ(only().wants, 0U);
        for (auto& cpu : sample_.cpus)
                cpu.idle_permyriad = 5'000;
        for (int i = 0; i < 3; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle);
}

TEST_F(ClientsTest, ThatAreStoppedAreIdle) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 4; i++)
                second(id, 8);
        EXPECT_FALSE(only().idle);
        second(id, 0, true);
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(only().in_use.empty()) << "its region runs on nothing";
        EXPECT_TRUE(clients_.is_waited_for(id));
}

TEST_F(ClientsTest, ThatAreStoppedBetweenSamplesLendAtOnceAndWakeWithARegion) {
        const auto id = join();
        grant(id, 0, 8);
        (void)clients_.report(id, {1, 8, true, 5}, now_);
        clients_.stopped(id, now_);
        EXPECT_TRUE(only().idle);
        grant(id, 0, 1);
        EXPECT_TRUE(only().in_use.empty());
        EXPECT_FALSE(only().above_since);
        EXPECT_FALSE(clients_.report(id, {1, 8, true, 5}, now_)) << "the same region";
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(clients_.report(id, {2, 1, true, 6}, now_));
        EXPECT_FALSE(only().idle);
        EXPECT_EQ(only().in_use.count(), 1U);
}

TEST_F(ClientsTest, ThatGoOnInTheirRegionUseItsCpusAgain) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 8);
        second(id, 8, true);
        grant(id, 0, 1);
        ASSERT_TRUE(only().in_use.empty());
        second(id, 0);
        EXPECT_EQ(only().in_use.count(), 8U);
        EXPECT_TRUE(only().above_since);
}

TEST_F(ClientsTest, ThatUseLittleOfOneCpuAreLight) {
        const auto id = join();
        EXPECT_FALSE(clients_.may_be_light(id)) << "nothing granted";
        grant(id, 0, 2);
        second(id, 0);
        EXPECT_FALSE(clients_.may_be_light(id)) << "it has two";
        grant(id, 0, 1);
        for (int i = 0; i < 3; i++) {
                second(id, 0);
                ASSERT_TRUE(clients_.may_be_light(id));
                clients_.measured(id, LightUse::Reading{cpu_time_, cpu_time_, 0ns}, now_);
        }
        EXPECT_TRUE(only().light);
        clients_.measured(id, std::nullopt, now_);
        EXPECT_FALSE(only().light) << "who knows?";
        second(id, 1);
        EXPECT_FALSE(clients_.may_be_light(id)) << "it works";
        EXPECT_FALSE(clients_.may_be_light(ClientId{99}));
}

TEST_F(ClientsTest, FallSilentOnceUntilTheyRunAgain) {
        const auto id = join();
        EXPECT_FALSE(clients_.fell_silent(id, 1s)) << "nothing to lend";
        grant(id, 0, 8);
        EXPECT_FALSE(clients_.fell_silent(id, 1s));
        EXPECT_TRUE(clients_.fell_silent(id, 1s));
        EXPECT_FALSE(clients_.fell_silent(id, 1s)) << "as before";
        EXPECT_FALSE(clients_.fell_silent(id, 2s));
        EXPECT_TRUE(clients_.fell_silent(id, 2s));
        EXPECT_FALSE(clients_.fell_silent(id, 3s));
        clients_.stopped(id, now_);
        EXPECT_FALSE(clients_.fell_silent(id, 3s)) << "it lends already";
        EXPECT_FALSE(clients_.fell_silent(ClientId{99}, 3s));
}

TEST_F(ClientsTest, WantWhatTheyBurn) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 5);
        second(id, 5);
        EXPECT_EQ(only().wants, 8U);
        EXPECT_EQ(only().burning, 5U);
        second(id, 8);
        EXPECT_EQ(only().wants, 0U);
}

TEST_F(ClientsTest, AreNotHeldToWhatTheyBurnedOnLessThanTheyHaveNow) {
        const auto id = join();
        grant(id, 0, 1);
        (void)region(id, 1, 1);
        second(id, 1);
        second(id, 1);
        grant(id, 0, 16);
        for (int i = 0; i < 30; i++)
                second(id, 1);
        EXPECT_EQ(only().wants, 0U) << "its region began with one";
        EXPECT_FALSE(only().idle);
}

TEST_F(ClientsTest, ThatNeverReportAreFoundOutByWhatTheyBurn) {
        const auto id = join();
        grant(id, 0, 8);
        second(id, 8);
        second(id, 8);
        EXPECT_FALSE(only().above_since);
        grant(id, 0, 4);
        EXPECT_TRUE(only().in_use.is_within(only().granted));
        EXPECT_FALSE(only().above_since) << "it burned that before";
        second(id, 8);
        second(id, 8);
        EXPECT_EQ(only().burning, 8U);
        EXPECT_EQ(only().above_since, now_ - 2s) << "since the shrink";
        EXPECT_TRUE(only().in_use.empty());
}

TEST_F(ClientsTest, ThatMakeTheirOwnGrantShrinkAllTheTimeAreFoundOut) {
        const auto id = join();
        for (int i = 0; i < 5; i++) {
                grant(id, 0, 16);
                now_ += 500ms;
                grant(id, 0, 1);
                now_ -= 500ms;
                second(id, 16);
        }
        EXPECT_EQ(only().burning, 16U);
        ASSERT_TRUE(only().above_since);
        EXPECT_GE(now_ - *only().above_since, 2s);
}

TEST_F(ClientsTest, ThatNeverReportAndFollowAreNotAbove) {
        const auto id = join();
        grant(id, 0, 8);
        second(id, 8);
        second(id, 8);
        now_ += 500ms;
        grant(id, 0, 4);
        now_ -= 500ms;
        second(id, 6);  // half of it before the shrink
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
        EXPECT_EQ(only().burning, 4U);
        EXPECT_EQ(only().wants, 0U);
}

TEST_F(ClientsTest, ThatActOnAShrinkAreNotBlamedForTheTimeBefore) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 8);
        second(id, 8);
        grant(id, 0, 4);
        EXPECT_TRUE(only().above_since);
        second(id, 8);
        (void)region(id, 2, 4);
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
}

TEST_F(ClientsTest, ThatLieAboutBeingOutsideAreFoundOut) {
        const auto id = join();
        grant(id, 0, 4);
        for (int i = 0; i < 3; i++) {
                (void)clients_.report(id, {0, 0, false}, now_);
                second(id, 12);
        }
        EXPECT_TRUE(only().above_since);
        EXPECT_EQ(only().burning, 12U);
}

TEST_F(ClientsTest, HaveNoLargerTeamThanCpus) {
        const auto id = clients_.join(program_of(1), {}, within(CpuMask::range(0, 4)), now_).id;
        grant(id, 0, 4);
        (void)region(id, 1, 4'000'000'000);
        EXPECT_FALSE(only().above_since) << "more threads than CPUs run on no more CPUs";
}

TEST_F(ClientsTest, AreConfinedAnew) {
        const auto id = join();
        Confinement where = within(CpuMask::range(0, 2));
        where.groups = {{"/a", 2}, {"", {}}};
        clients_.confine(id, where, now_);
        EXPECT_EQ(only().allowed, CpuMask::range(0, 2));
        EXPECT_EQ(only().cgroup, 0U);
        clients_.confine(id, where, now_);
        EXPECT_EQ(clients_.snapshot(machine_, foreign_, now_).cgroups.size(), 1U);
        clients_.confine(id, within(kAll), now_);
        EXPECT_TRUE(clients_.snapshot(machine_, foreign_, now_).cgroups.empty());
}

TEST_F(ClientsTest, BurnOnTheCpusThatTheyMayRunOn) {
        auto where = within(CpuMask::range(3, 2));
        where.niced = true;
        const auto id = clients_.join(program_of(1), {}, where, now_).id;
        second(id, 2);
        second(id, 2);
        const auto burns = clients_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].cpus, where.cpus);
        EXPECT_EQ(burns[0].millicpu, 2'000U);
        EXPECT_TRUE(burns[0].niced);
}

TEST_F(ClientsTest, ThatComeAreChargedForTheWholeWindow) {
        (void)clients_.burns(now_);
        now_ += 500ms;
        const auto id = join();
        cpu_time_ = 4s;
        now_ += 500ms;
        clients_.measured(id, cpu_time_, false, now_);
        clients_.sampled(sample_, now_);
        const auto burns = clients_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U) << "or a newcomer would be taken for foreign load";
        EXPECT_EQ(only().burning, 0U) << "which says nothing about its grant";
}

TEST_F(ClientsTest, ThatLeaveAreChargedUntilTheWindowHasPassed) {
        const auto id = join();
        grant(id, 0, 8);
        for (int i = 0; i < 3; i++) {
                second(id, 8);
                (void)clients_.burns(now_);
        }
        clients_.leave(id, std::nullopt, now_ + 500ms);
        const auto burns = clients_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U) << "or its end would be taken for foreign load";
        EXPECT_TRUE(clients_.burns(now_ + 2s).empty());
}

TEST_F(ClientsTest, ThatLiveLessThanAPeriodAreChargedForIt) {
        (void)clients_.burns(now_);
        const auto id = join();
        grant(id, 0, 8);
        clients_.leave(id, std::nullopt, now_ + 250ms);
        const auto burns = clients_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 2'000U);
}

TEST_F(ClientsTest, ThatLeaveAreChargedForWhatTheyBurnedWhereThatIsKnown) {
        (void)clients_.burns(now_);
        const auto id = join();
        grant(id, 0, 8);
        clients_.leave(id, 500ms, now_ + 250ms);
        const auto burns = clients_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U) << "not for the 8 CPUs that it did not use";
        EXPECT_EQ(burns[0].millicpu, 500U);
}

TEST_F(ClientsTest, ThatWereLastSeenAsleepHideNoForeignLoadWhenTheyGo) {
        const auto id = join();
        grant(id, 0, 8);
        for (int i = 0; i < 3; i++)
                second(id, 0);
        clients_.leave(id, std::nullopt, now_ + 900ms);
        for (const auto& burn : clients_.burns(now_ + 1s))
                EXPECT_EQ(burn.millicpu, 0U);
}

class ShortLivedClients : public ClientsTest {
protected:
        /// So many programs of this user a second that keep `cpus` CPUs busy for a tenth of it.
        void run(std::uint32_t uid, int per_second, std::uint32_t cpus) {
                for (int i = 0; i < 12 * per_second; i++) {
                        const auto id = join(uid);
                        grant(id, 0, 8);
                        now_ += 1000ms / per_second;
                        clients_.leave(id, cpus * 100ms, now_);
                        (void)clients_.burns(now_);
                }
        }
        [[nodiscard]] std::uint32_t reserve() const {
                return clients_.snapshot(machine_, foreign_, now_).short_lived;
        }
};

TEST_F(ShortLivedClients, AreKeptRoomForAsFarAsTheyUseIt) {
        run(1000, 10, 4);
        EXPECT_EQ(reserve(), 4U);
        run(1000, 10, 0);
        EXPECT_EQ(reserve(), 0U) << "who sleeps needs none";
}

TEST_F(ShortLivedClients, AreKeptNoMoreRoomForThanTheirAccountMayHave) {
        run(1000, 10, 16);
        EXPECT_EQ(reserve(), 16U);
        (void)join(1001);
        (void)join(1002);
        EXPECT_EQ(reserve(), 5U) << "of 16 CPUs, one of three";
}

TEST(ClientLimits, AreOfAllAndOfEachUserButRoot) {
        Clients clients(LeaseLimits{5, 2}, {});
        const auto join = [&](std::uint32_t uid) {
                return clients.join(program_of(uid), {}, {}, kStart).refusal;
        };
        EXPECT_EQ(join(1000), Refusal::None);
        EXPECT_EQ(join(1000), Refusal::None);
        EXPECT_EQ(join(1000), Refusal::TooManyOfAccount);
        EXPECT_EQ(join(0), Refusal::None);
        EXPECT_EQ(join(0), Refusal::None);
        EXPECT_EQ(join(0), Refusal::None);
        EXPECT_EQ(join(0), Refusal::TooMany);
        EXPECT_EQ(join(1001), Refusal::TooMany);
        clients.leave(ClientId{1}, std::nullopt, kStart);
        EXPECT_EQ(join(1000), Refusal::None);
}

class ClientHistory : public ClientsTest {
protected:
        [[nodiscard]] const Event& last() const {
                return clients_.history().at(clients_.history().end_number() - 1);
        }
};

TEST_F(ClientHistory, KnowsWhoCameAndWent) {
        const auto id = clients_.join(program_of(1000, "prime"), {}, within(kAll), now_).id;
        EXPECT_EQ(last().kind, EventKind::Joined);
        EXPECT_EQ(last().id, id);
        EXPECT_EQ(last().pid, 100U);
        EXPECT_EQ(last().uid, 1000U);
        EXPECT_STREQ(last().label.data(), "prime");
        clients_.leave(id, std::nullopt, now_ + 1s);
        EXPECT_EQ(last().kind, EventKind::Left);
        EXPECT_EQ(last().at, now_ + 1s);
}

TEST_F(ClientHistory, KnowsGrantsAndTheirReasons) {
        const auto id = join();
        auto one = grant_of(id, CpuMask::range(0, 8));
        one.reason.limit = policy::fair::Limit::Newcomer;
        (void)clients_.apply(decision_of({one}), now_);
        EXPECT_EQ(last().kind, EventKind::Granted);
        EXPECT_EQ(last().from, 0U);
        EXPECT_EQ(last().to, 8U);
        EXPECT_EQ(last().reason.limit, policy::fair::Limit::Newcomer);
        const auto events = clients_.history().end_number();
        (void)clients_.apply(decision_of({one}), now_);
        EXPECT_EQ(clients_.history().end_number(), events) << "nothing has changed";
}

TEST_F(ClientHistory, KnowsWhoBecameRigidOnce) {
        const auto id = join();
        auto one = grant_of(id, CpuMask::range(0, 8));
        (void)clients_.apply(decision_of({one}), now_);
        one.reason.limit = policy::fair::Limit::Rigid;
        (void)clients_.apply(decision_of({one}), now_);
        EXPECT_EQ(last().kind, EventKind::Rigid);
        const auto events = clients_.history().end_number();
        (void)clients_.apply(decision_of({one}), now_);
        EXPECT_EQ(clients_.history().end_number(), events);
}

TEST_F(ClientHistory, KnowsWhoWasRefused) {
        clients_ = Clients(LeaseLimits{0, 0}, {});
        (void)join(1234);
        EXPECT_EQ(last().kind, EventKind::Refused);
        EXPECT_EQ(last().uid, 1234U);
}

}  // namespace
}  // namespace governor::registry
