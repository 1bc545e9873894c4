// SPDX-License-Identifier: MIT
// Requests about leases, of this process and of processes that it makes up owners for.
#include "server/answers/lease_answers.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace governor::server {
namespace {

using v1::Error;

class LeaseAnswers : public testing::Test {
protected:
        LeaseAnswers() {
                EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0);
                governor_.configure({}, {}, {});
        }
        ~LeaseAnswers() override {
                ::close(ends_[0]);
                ::close(ends_[1]);
        }

        /// This process by its connection, as if it belonged to `uid`.
        [[nodiscard]] Peer self(std::uint32_t uid) const {
                return {ends_[0], {uid}, static_cast<std::uint32_t>(::getpid())};
        }
        Answer raw(const v1::Request& request, const Peer& peer) {
                const auto answer = answer_about_leases(request, peer, governor_);
                EXPECT_TRUE(answer);
                return answer.value_or(Answer());
        }
        v1::Reply ask(const v1::Request& request, const Peer& peer) {
                v1::Reply reply;
                EXPECT_TRUE(reply.ParseFromString(raw(request, peer).bytes));
                return reply;
        }
        v1::Reply hello(const Peer& peer, const v1::Hello& hello = {}) {
                v1::Request request;
                *request.mutable_hello() = hello;
                return ask(request, peer);
        }
        v1::Reply update(const Peer& peer, const v1::Wishes& wishes) {
                v1::Request request;
                *request.mutable_update()->mutable_wishes() = wishes;
                return ask(request, peer);
        }
        v1::Client shown_to(std::uint32_t uid) {
                v1::Request request;
                request.mutable_clients();
                const auto reply = ask(request, {-1, {uid}, 1});
                EXPECT_EQ(reply.clients().client_size(), 1);
                return reply.clients().client_size() > 0 ? reply.clients().client(0) : v1::Client();
        }
        v1::Reply explained_to(std::uint32_t uid) {
                v1::Request request;
                request.mutable_explain()->set_pid(static_cast<std::uint32_t>(::getpid()));
                return ask(request, {-1, {uid}, 1});
        }
        [[nodiscard]] std::size_t leases() const { return governor_.programs().size(); }

        int ends_[2] = {-1, -1};
        EventLoop loop_;
        Governor governor_{loop_, ""};
};

TEST_F(LeaseAnswers, AreNoneToWhatIsAboutSomethingElse) {
        v1::Request request;
        EXPECT_FALSE(answer_about_leases(request, self(1000), governor_));
        request.mutable_query();
        EXPECT_FALSE(answer_about_leases(request, self(1000), governor_));
        request.mutable_status();
        EXPECT_FALSE(answer_about_leases(request, self(1000), governor_));
}

TEST_F(LeaseAnswers, WelcomeWithTwoDescriptors) {
        v1::Request request;
        request.mutable_hello();
        const auto answer = raw(request, self(1000));
        v1::Reply reply;
        ASSERT_TRUE(reply.ParseFromString(answer.bytes));
        EXPECT_TRUE(reply.has_welcome()) << reply.error().message();
        ASSERT_EQ(answer.descriptors.size(), 2U);
        EXPECT_NE(answer.descriptors[0], answer.descriptors[1]);
        EXPECT_EQ(leases(), 1U);
}

TEST_F(LeaseAnswers, RefuseWishesOutOfRangeAndChangeNothing) {
        struct Case {
                const char* name;
                void (*set)(v1::Wishes&);
                const char* value;
                const char* accepted;
        };
        constexpr std::array kCases{
                Case{"min", [](v1::Wishes& w) { w.set_min(65'537); }, "65537", "0 .. 65536"},
                Case{"max", [](v1::Wishes& w) { w.set_max(4'294'967'295); }, "4294967295",
                     "0 .. 65536"},
                Case{"weight", [](v1::Wishes& w) { w.set_weight(10'001); }, "10001", "0 .. 10000"},
                Case{"scheduling_class",
                     [](v1::Wishes& w) { w.set_scheduling_class(static_cast<v1::Class>(7)); }, "7",
                     "INTERACTIVE, BATCH"},
        };
        for (const auto& wrong : kCases) {
                v1::Hello first;
                wrong.set(*first.mutable_wishes());
                const auto refused = hello(self(1000), first);
                EXPECT_EQ(refused.error().code(), Error::OUT_OF_RANGE) << wrong.name;
                EXPECT_EQ(refused.error().message(),
                          std::string("Wishes.") + wrong.name + " is " + wrong.value);
                EXPECT_EQ(refused.error().accepted(), wrong.accepted);
        }
        EXPECT_EQ(leases(), 0U);
        v1::Hello right;
        right.mutable_wishes()->set_max(3);
        ASSERT_TRUE(hello(self(1000), right).has_welcome());
        for (const auto& wrong : kCases) {
                v1::Wishes wishes;
                wishes.set_max(1);
                wrong.set(wishes);
                EXPECT_EQ(update(self(1000), wishes).error().code(), Error::OUT_OF_RANGE);
        }
        EXPECT_EQ(shown_to(0).max(), 3U);
        EXPECT_EQ(shown_to(0).weight(), 100U);
        EXPECT_EQ(shown_to(0).scheduling_class(), v1::INTERACTIVE);
}

TEST_F(LeaseAnswers, AcceptTheEndsOfTheRanges) {
        v1::Hello most;
        most.mutable_wishes()->set_min(65'536);
        most.mutable_wishes()->set_max(65'536);
        most.mutable_wishes()->set_weight(10'000);
        most.mutable_wishes()->set_scheduling_class(v1::BATCH);
        ASSERT_TRUE(hello(self(1000), most).has_welcome());
        EXPECT_EQ(shown_to(0).max(), 65'536U);
        EXPECT_EQ(shown_to(0).weight(), 10'000U);
        EXPECT_EQ(shown_to(0).scheduling_class(), v1::BATCH);
}

TEST_F(LeaseAnswers, CutALabelAndMakeItPrintable) {
        v1::Hello said;
        said.set_label("a\nb\x1b[2J" + std::string(100, 'x'));
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        const auto label = shown_to(0).label();
        EXPECT_EQ(label, "a?b?[2J" + std::string(63 - 7, 'x'));
}

TEST_F(LeaseAnswers, LeaveALabelOfLettersAsItIs) {
        v1::Hello said;
        said.set_label("Größe " + std::string("日本語日本語日本語日本語"));
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        EXPECT_EQ(shown_to(0).label(), said.label().substr(0, 8 + 18 * 3)) << "at most 63 bytes";
}

TEST_F(LeaseAnswers, CutALabelBetweenTwoCharacters) {
        v1::Hello said;
        said.set_label(std::string(62, 'x') + "日本");
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        EXPECT_EQ(shown_to(0).label(), std::string(62, 'x'));
}

TEST_F(LeaseAnswers, TakeTheJobOfAProgramAndItsProcessGroup) {
        v1::Hello said;
        said.set_job("a\nb" + std::string(100, 'x'));
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        const auto* program = governor_.programs().next(policy::fair::ProgramId{});
        ASSERT_NE(program, nullptr);
        EXPECT_EQ(program->identity().job, "a?b" + std::string(63 - 3, 'x'));
        EXPECT_EQ(program->identity().process_group, static_cast<std::uint32_t>(::getpgrp()));
}

TEST_F(LeaseAnswers, NameAProgramWithoutALabelByItsFile) {
        ASSERT_TRUE(hello(self(1000)).has_welcome());
        EXPECT_EQ(shown_to(0).label(), "server_test");
}

TEST_F(LeaseAnswers, HideFromOthersWhoItIsAndWhatItAskedFor) {
        v1::Hello said;
        said.set_label("secret");
        said.mutable_wishes()->set_max(3);
        said.mutable_wishes()->set_weight(7);
        said.mutable_wishes()->set_scheduling_class(v1::BATCH);
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        for (const std::uint32_t uid : {0U, 1000U}) {
                const auto client = shown_to(uid);
                EXPECT_EQ(client.pid(), static_cast<std::uint32_t>(::getpid())) << uid;
                EXPECT_EQ(client.label(), "secret");
                EXPECT_EQ(client.max(), 3U);
                EXPECT_EQ(client.weight(), 7U);
                EXPECT_EQ(client.scheduling_class(), v1::BATCH);
                EXPECT_EQ(explained_to(uid).explanation().client().label(), "secret");
        }
        const auto client = shown_to(1001);
        EXPECT_NE(client.id(), 0U);
        EXPECT_EQ(client.uid(), 1000U);
        EXPECT_EQ(client.pid(), 0U);
        EXPECT_EQ(client.label(), "");
        EXPECT_EQ(client.max(), 0U);
        EXPECT_EQ(client.weight(), 0U);
        EXPECT_EQ(client.scheduling_class(), v1::INTERACTIVE);
}

TEST_F(LeaseAnswers, TellWhoMayKnowThatARuleLetsTeamsFollow) {
        config::Settings settings;
        settings.programs.resize(1);
        settings.programs[0].label = "solver";
        settings.programs[0].adapts = true;
        governor_.configure(settings, {}, {});
        v1::Hello said;
        said.set_label("solver");
        ASSERT_TRUE(hello(self(1000), said).has_welcome());
        for (const std::uint32_t uid : {0U, 1000U}) {
                EXPECT_TRUE(shown_to(uid).adapts()) << uid;
                EXPECT_TRUE(explained_to(uid).explanation().client().adapts());
        }
        EXPECT_FALSE(shown_to(1001).adapts());
        settings.programs[0].label = "other";
        governor_.configure(settings, {}, {});
        EXPECT_FALSE(shown_to(1000).adapts());
}

TEST_F(LeaseAnswers, TellOfRulesForALabelBeforeThereIsALease) {
        config::Settings settings;
        settings.programs.resize(1);
        settings.programs[0].uid = 1000;
        settings.programs[0].label = "?*";
        settings.programs[0].adapts = true;
        governor_.configure(settings, {}, {});
        EXPECT_TRUE(governor_.lets_teams_follow(self(1000), "solver"));
        EXPECT_FALSE(governor_.lets_teams_follow(self(1001), "solver"));
        EXPECT_FALSE(governor_.lets_teams_follow(self(1000), "")) << "nobody asks";
        settings.programs[0].executable = "no_such_program";
        governor_.configure(settings, {}, {});
        EXPECT_FALSE(governor_.lets_teams_follow(self(1000), "solver"));
        settings.programs[0].executable = "server_test";
        settings.programs[0].uid.reset();
        governor_.configure(settings, {}, {});
        EXPECT_TRUE(governor_.lets_teams_follow(self(1000), "solver"));
        settings.policy = config::PolicyName::Threshold;
        governor_.configure(settings, {}, {});
        EXPECT_FALSE(governor_.lets_teams_follow(self(1000), "solver")) << "there are no leases";
}

TEST_F(LeaseAnswers, DoNotTellOthersWhetherAProcessHoldsALease) {
        const auto of_none = explained_to(1001);
        ASSERT_TRUE(hello(self(1000)).has_welcome());
        const auto of_anothers = explained_to(1001);
        EXPECT_EQ(of_none.error().code(), Error::NO_LEASE);
        EXPECT_EQ(of_none.SerializeAsString(), of_anothers.SerializeAsString());
}

TEST_F(LeaseAnswers, ExplainHowLongRegionsTookToThoseWhoMayKnow) {
        ASSERT_TRUE(hello(self(1000)).has_welcome());
        EXPECT_EQ(explained_to(1000).explanation().region_time_size(), 0);
        governor_report_slot said{};
        said.region_time[0] = {3, 9};
        said.region_time[15] = {1, ~std::uint64_t{0}};
        const auto& place = governor_.lease_of(static_cast<std::uint32_t>(::getpid()))->place;
        ASSERT_EQ(::pwrite(place.arena->reports_fd(), &said, sizeof(said),
                           static_cast<off_t>(place.slot * sizeof(said))),
                  static_cast<ssize_t>(sizeof(said)));
        for (const std::uint32_t uid : {0U, 1000U}) {
                const auto explanation = explained_to(uid).explanation();
                ASSERT_EQ(explanation.region_time_size(), 2) << uid;
                EXPECT_EQ(explanation.region_time(0).team_from(), 1U);
                EXPECT_EQ(explanation.region_time(0).team_to(), 1U);
                EXPECT_EQ(explanation.region_time(0).count(), 3U);
                EXPECT_EQ(explanation.region_time(0).mean_ns(), 3U);
                EXPECT_EQ(explanation.region_time(1).team_from(), 32'768U);
                EXPECT_EQ(explanation.region_time(1).team_to(), 0U);
                EXPECT_EQ(explanation.region_time(1).mean_ns(), ~std::uint64_t{0});
        }
        EXPECT_FALSE(explained_to(1001).has_explanation());
}

TEST_F(LeaseAnswers, ShowWhatPoolsDoToThoseWhoMayKnow) {
        ASSERT_TRUE(hello(self(1000)).has_welcome());
        EXPECT_FALSE(shown_to(1000).has_pool());
        governor_report_slot said{};
        said.pool = {8, 3, 1'200, 7, 12, 9, {}};
        const auto& place = governor_.lease_of(static_cast<std::uint32_t>(::getpid()))->place;
        ASSERT_EQ(::pwrite(place.arena->reports_fd(), &said, sizeof(said),
                           static_cast<off_t>(place.slot * sizeof(said))),
                  static_cast<ssize_t>(sizeof(said)));
        for (const std::uint32_t uid : {0U, 1000U}) {
                const auto shown = shown_to(uid);
                const auto& pool = shown.pool();
                EXPECT_EQ(pool.lanes(), 8U) << uid;
                EXPECT_EQ(pool.active(), 3U);
                EXPECT_EQ(pool.executed(), 1'200U);
                EXPECT_EQ(pool.stolen(), 7U);
                EXPECT_EQ(pool.parked(), 12U);
                EXPECT_EQ(pool.woken(), 9U);
                EXPECT_EQ(explained_to(uid).explanation().client().pool().executed(), 1'200U);
        }
        EXPECT_FALSE(shown_to(1001).has_pool());
}

/// The tree is that of this test's parent.
TEST_F(LeaseAnswers, AboutAProcessInsideOfATreeAreAboutItsHolder) {
        auto holder = self(1000);
        holder.pid = static_cast<std::uint32_t>(::getppid());
        v1::Hello tree;
        tree.set_tree(true);
        tree.set_label("make");
        ASSERT_TRUE(hello(holder, tree).has_welcome());
        for (const std::uint32_t uid : {1000U, 0U}) {
                const auto told = explained_to(uid).explanation();
                EXPECT_EQ(told.client().pid(), holder.pid);
                ASSERT_GT(told.step_size(), 0);
                EXPECT_EQ(told.step(0), "process " + std::to_string(::getpid()) +
                                                " is in the tree of " + std::to_string(holder.pid) +
                                                " (make)");
        }
        const auto to_a_stranger = explained_to(1001);
        v1::Request bye;
        bye.mutable_bye();
        ASSERT_TRUE(ask(bye, holder).has_done());
        EXPECT_EQ(explained_to(1000).error().code(), Error::NO_LEASE);
        EXPECT_EQ(explained_to(1001).SerializeAsString(), to_a_stranger.SerializeAsString());
}

class LeaseAnswersAcrossUsers : public LeaseAnswers {
protected:
        /// This process as user 1000, and by a later connection as root.
        std::pair<Peer, Peer> as_two_users() {
                auto before = self(1000);
                before.arrived = std::chrono::seconds{1};
                auto now = self(0);
                now.connection = ends_[1];
                now.arrived = std::chrono::seconds{2};
                return {before, now};
        }
};

TEST_F(LeaseAnswersAcrossUsers, GiveAProcessThatRunsAsAnotherUserALeaseOfItsOwn) {
        const auto [before, now] = as_two_users();
        ASSERT_TRUE(hello(before).has_welcome());
        const auto first = shown_to(0).id();
        const auto* memory = governor_.lease_of(before.pid)->place.arena;
        ASSERT_TRUE(hello(now).has_welcome());
        EXPECT_EQ(leases(), 1U);
        EXPECT_NE(shown_to(0).id(), first);
        EXPECT_EQ(shown_to(0).uid(), 0U);
        EXPECT_NE(governor_.lease_of(before.pid)->place.arena, memory);
}

TEST_F(LeaseAnswersAcrossUsers, LeaveWhoKeepsAnEarlierConnectionOfSuchAProcessNothing) {
        const auto [before, now] = as_two_users();
        ASSERT_TRUE(hello(before).has_welcome());
        ASSERT_TRUE(hello(now).has_welcome());
        const auto held = shown_to(0).id();
        EXPECT_EQ(update(before, {}).error().code(), Error::NO_LEASE);
        EXPECT_EQ(explained_to(1000).error().code(), Error::NO_LEASE);
        EXPECT_EQ(shown_to(1000).pid(), 0U);
        EXPECT_EQ(hello(before).error().code(), Error::NOT_KNOWN);
        v1::Request request;
        request.mutable_set()->set_pid(before.pid);
        request.mutable_set()->set_max(1);
        EXPECT_EQ(ask(request, before).error().code(), Error::NO_LEASE);
        request.mutable_bye();
        EXPECT_EQ(ask(request, before).error().code(), Error::NO_LEASE);
        EXPECT_EQ(shown_to(0).id(), held);
        EXPECT_EQ(shown_to(0).max(), 0U);
}

TEST_F(LeaseAnswers, RefuseUpdateAndByeWithoutALease) {
        EXPECT_EQ(update(self(1000), {}).error().code(), Error::NO_LEASE);
        v1::Request bye;
        bye.mutable_bye();
        EXPECT_EQ(ask(bye, self(1000)).error().code(), Error::NO_LEASE);
        ASSERT_TRUE(hello(self(1000)).has_welcome());
        EXPECT_TRUE(ask(bye, self(1000)).has_done());
        EXPECT_EQ(leases(), 0U);
}

TEST_F(LeaseAnswers, RefuseWhoCannotBeSeen) {
        EXPECT_EQ(hello({ends_[0], {1000U}, 0}).error().code(), Error::NOT_KNOWN);
        EXPECT_EQ(leases(), 0U);
}

TEST_F(LeaseAnswers, RefuseLeasesUnderAnotherPolicy) {
        config::Settings settings;
        settings.policy = config::PolicyName::Threshold;
        governor_.configure(settings, {}, {});
        EXPECT_EQ(hello(self(1000)).error().code(), Error::NOT_GOVERNING);
        EXPECT_EQ(leases(), 0U);
}

}  // namespace
}  // namespace governor::server
