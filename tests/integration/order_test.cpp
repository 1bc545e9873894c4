// SPDX-License-Identifier: MIT
// governorctl set, pause and resume against a daemon and programs that hold leases.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace {

using namespace test_support;

const std::string kFair = "[governor]\npolicy = fair\nforeign_max = 0%\n";
constexpr uid_t kUser = 65534;
constexpr uid_t kStranger = 65533;

bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != text.npos;
}

class Orders : public testing::Test {
protected:
        Orders() : daemon_("", kFair) { daemon_.start(); }

        [[nodiscard]] auto lease(std::uint32_t pid) const {
                return lease_of(daemon_.socket(), pid);
        }
        [[nodiscard]] std::uint32_t count() const { return status(daemon_.socket()).clients(); }
        /// A program with a lease, of `uid` where that is not this process's own.
        [[nodiscard]] std::unique_ptr<ForkedProgram> holder(uid_t uid = ::geteuid()) const {
                const auto before = count();
                auto program = std::make_unique<ForkedProgram>([uid, socket = daemon_.socket()] {
                        if (uid != ::geteuid() && ::setuid(uid) < 0)
                                ::_exit(1);
                        hold_a_lease(socket);
                });
                EXPECT_TRUE(eventually([&] { return count() == before + 1; }));
                return program;
        }
        [[nodiscard]] Finished as(uid_t uid, std::vector<std::string> arguments) const {
                arguments.insert(arguments.begin(), {GOVERNORCTL, "--socket", daemon_.socket()});
                return run({std::move(arguments), {}, uid});
        }
        static std::string of(const ForkedProgram& program) {
                return std::to_string(program.pid());
        }

        Daemon daemon_;
};

TEST_F(Orders, SetActsAndShows) {
        const auto program = holder();
        const auto set = ctl(daemon_, {"set", of(*program), "--max", "1", "--class", "batch"});
        EXPECT_EQ(set.status, 0) << set.err;
        EXPECT_TRUE(contains(set.out, "process " + of(*program) + " (")) << set.out;
        EXPECT_TRUE(contains(set.out, "): max 1, weight 100, class batch\n")) << set.out;
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(program->pid());
                return client && client->granted() == 1;
        }));
        EXPECT_TRUE(contains(ctl(daemon_, {"clients"}).out, "; max 1, class batch by "));
        const auto why = ctl(daemon_, {"explain", of(*program)}).out;
        EXPECT_TRUE(contains(why, ": max 1, class batch\n")) << why;
        EXPECT_TRUE(contains(why, " set max 1, class batch\n")) << why;
        const auto json = nlohmann::json::parse(ctl(daemon_, {"--json", "clients"}).out);
        EXPECT_EQ(json.at(0).at("max"), 1);
        EXPECT_EQ(json.at(0).at("paused"), false);
        EXPECT_EQ(json.at(0).at("ordered").at(0).at("max"), 1);
        EXPECT_EQ(json.at(0).at("ordered").at(0).at("weight"), nullptr);
        EXPECT_EQ(json.at(0).at("ordered").at(0).at("uid"), ::geteuid());
        EXPECT_EQ(ctl(daemon_, {"set", of(*program), "--max", "0"}).status, 0);
        EXPECT_EQ(lease(program->pid())->max(), 0U);
}

TEST_F(Orders, PauseHoldsAProgramAtOneThreadUntilItIsResumed) {
        const auto program = holder();
        const auto paused = ctl(daemon_, {"pause", of(*program)});
        EXPECT_EQ(paused.status, 0) << paused.err;
        EXPECT_TRUE(contains(paused.out, "paused: one thread until governorctl resume "));
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(program->pid());
                return client && client->granted() == 1 && client->paused() &&
                       client->reason().starts_with("paused; ");
        }));
        const auto resumed = ctl(daemon_, {"resume", of(*program), "--json"});
        EXPECT_EQ(nlohmann::json::parse(resumed.out).at("paused"), false) << resumed.err;
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(program->pid());
                return client && !client->reason().starts_with("paused; ");
        }));
}

TEST_F(Orders, WhatWasSetEndsWithTheLease) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        const auto pid = static_cast<std::uint32_t>(::getpid());
        ASSERT_EQ(ctl(daemon_, {"set", std::to_string(pid), "--max", "1"}).status, 0);
        EXPECT_EQ(lease(pid)->max(), 1U);
        ASSERT_TRUE(client.bye()->has_done());
        ASSERT_NE(client.hello(), nullptr);
        EXPECT_EQ(lease(pid)->max(), 0U);
        EXPECT_EQ(lease(pid)->ordered_size(), 0);
}

TEST_F(Orders, PauseWithoutAProcessLeavesEverybodyAloneUntilResume) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        const auto is_left_alone = [&] {
                return client.memory().threads() == GOVERNOR_WORD_THREADS_MAX;
        };
        EXPECT_TRUE(eventually([&] { return client.memory().threads() >= 1 && !is_left_alone(); }));
        const auto paused = ctl(daemon_, {"pause", "--all"});
        EXPECT_EQ(paused.status, 0) << paused.err;
        EXPECT_TRUE(eventually(is_left_alone));
        EXPECT_TRUE(contains(ctl(daemon_, {"status"}).out,
                             "policy               fair, paused: programs are left alone\n"));
        EXPECT_EQ(nlohmann::json::parse(ctl(daemon_, {"--json", "status"}).out).at("paused"), true);
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return contains(daemon_.process().err(), "reloaded"); }));
        EXPECT_TRUE(is_left_alone()) << "a reload ends no pause";
        EXPECT_EQ(ctl(daemon_, {"--json", "resume", "--all"}).out, "{\"paused\":false}\n");
        EXPECT_TRUE(eventually([&] { return !is_left_alone(); }));
        EXPECT_EQ(ctl(daemon_, {"resume", "--all"}).out, "governing goes on\n");
        EXPECT_FALSE(status(daemon_.socket()).paused());
}

TEST_F(Orders, WithoutALeaseFailWithOneSentence) {
        for (const auto* verb : {"pause", "resume", "explain"}) {
                const auto none = ctl(daemon_, {verb, "1"});
                EXPECT_EQ(none.status, 1);
                EXPECT_TRUE(none.err.starts_with("governorctl: process 1 holds no lease: "))
                        << none.err;
                EXPECT_EQ(std::ranges::count(none.err, '\n'), 1);
        }
        EXPECT_EQ(ctl(daemon_, {"set", "1", "--max", "2"}).status, 1);
}

TEST_F(Orders, WrongUsageIsNamed) {
        const auto nothing = ctl(daemon_, {"set", "1"});
        EXPECT_EQ(nothing.status, 2);
        EXPECT_EQ(nothing.err, "governorctl: set what? accepted: --max, --weight, --class\n");
        EXPECT_EQ(ctl(daemon_, {"set", "--max", "1"}).status, 2);
        EXPECT_EQ(ctl(daemon_, {"set", "1", "--max", "65537"}).status, 2);
        EXPECT_EQ(ctl(daemon_, {"set", "1", "--weight", "10001"}).status, 2);
        EXPECT_EQ(ctl(daemon_, {"set", "1", "--class", "idle"}).status, 2);
        EXPECT_EQ(ctl(daemon_, {"pause", "0"}).status, 2);
        const auto nobody = ctl(daemon_, {"pause"});  // of a list of processes that is empty
        EXPECT_EQ(nobody.status, 2);
        EXPECT_EQ(nobody.err, "governorctl: pause what? accepted: PID, --all (see governorctl "
                              "--help, governorctl VERB --help)\n");
        EXPECT_EQ(ctl(daemon_, {"pause", "1", "--all"}).status, 2);
        EXPECT_FALSE(status(daemon_.socket()).paused());
}

TEST_F(Orders, UnderTheOtherPolicyThereIsNothingToPause) {
        Daemon other("", "[governor]\npolicy = threshold\n");
        other.start();
        EXPECT_EQ(ctl(other, {"pause", "--all"}).status, 1);
}

/// A governor that holds no program to anything.
class OrdersToAnObserver : public testing::Test {
protected:
        void start(const std::string& configuration) {
                daemon_.configure(configuration);
                daemon_.start();
                client_ = std::make_unique<LeaseClient>(daemon_.socket());
                ASSERT_NE(client_->hello(), nullptr);
        }
        [[nodiscard]] std::string said_by(std::vector<std::string> arguments) const {
                return ctl(daemon_, std::move(arguments)).err;
        }
        /// The first of the steps.
        [[nodiscard]] std::string explained() const {
                const auto said = ctl(daemon_, {"--json", "explain", own_}).out;
                return nlohmann::json::parse(said).at("steps").at(0);
        }

        const std::string own_ = std::to_string(::getpid());
        Daemon daemon_{""};
        std::unique_ptr<LeaseClient> client_;
};

const std::string kOnlyObserves =
        "governorctl: the governor only observes: programs are left alone, and this ";

TEST_F(OrdersToAnObserver, AreToldToActOnceItGoverns) {
        start(kFair + "mode = observe\n");
        for (const std::vector<std::string>& verb :
             {std::vector<std::string>{"set", own_, "--max", "1"}, {"pause", own_}})
                EXPECT_EQ(said_by(verb), kOnlyObserves + "acts once it governs\n") << verb.front();
        EXPECT_EQ(said_by({"clients"}), kOnlyObserves + "is what they would have\n");
        EXPECT_EQ(explained(), "the governor only observes: it is left alone, and this is what it "
                               "would have");
}

TEST_F(OrdersToAnObserver, AreToldSoWhereItsConfigurationIsWrongToo) {
        start("[governor]\nperiod = 49ms\n");
        EXPECT_EQ(said_by({"pause", own_}), kOnlyObserves + "acts once it governs\n");
        EXPECT_TRUE(explained().starts_with("the governor only observes: "));
}

TEST_F(OrdersToAnObserver, AreToldSoWhileGoverningIsPausedToo) {
        start(kFair);
        EXPECT_EQ(said_by({"pause", own_}), "");
        ASSERT_EQ(ctl(daemon_, {"pause", "--all"}).status, 0);
        EXPECT_EQ(said_by({"set", own_, "--max", "1"}),
                  "governorctl: governing is paused: programs are left alone, and this acts once "
                  "it governs\n");
}

TEST_F(OrdersToAnObserver, DoNotMakeItGovern) {
        start(kFair + "mode = observe\n");
        const auto paused = ctl(daemon_, {"pause", "--all"}).out;
        EXPECT_EQ(paused, "governing is paused until governorctl resume --all; programs are left "
                          "alone then too, since the governor only observes\n");
        const auto resumed = ctl(daemon_, {"resume", "--all"}).out;
        EXPECT_EQ(resumed, "governing is no longer paused; programs are left alone all the same, "
                           "since the governor only observes\n");
        EXPECT_FALSE(contains(daemon_.process().err(), "resumed governing"));
}

class OrdersOfUsers : public Orders {
protected:
        OrdersOfUsers() {
                if (::geteuid() != 0)
                        return;
                daemon_.configure(kFair + "[program all]\nmax = 4\n");
                daemon_.process().signal(SIGHUP);
                EXPECT_TRUE(
                        eventually([&] { return contains(daemon_.process().err(), "reloaded"); }));
        }
        void SetUp() override {
                if (::geteuid() != 0)
                        GTEST_SKIP() << "needs root";
        }
};

TEST_F(OrdersOfUsers, StayWithinRulesWhereRootDoesNot) {
        const auto program = holder(kUser);
        const auto beyond = as(kUser, {"set", of(*program), "--max", "5"});
        EXPECT_EQ(beyond.status, 4);
        EXPECT_EQ(beyond.err, "governorctl: the governor refuses: a rule or the administrator "
                              "permits process " +
                                      of(*program) + " at most 4\n");
        EXPECT_EQ(as(kUser, {"set", of(*program), "--max", "3"}).status, 0);
        EXPECT_EQ(lease(program->pid())->max(), 3U);
        EXPECT_EQ(ctl(daemon_, {"set", of(*program), "--max", "6"}).status, 0);
        EXPECT_EQ(lease(program->pid())->max(), 6U);
        EXPECT_EQ(ctl(daemon_, {"pause", of(*program)}).status, 0);
        EXPECT_EQ(as(kUser, {"resume", of(*program)}).status, 4);
        EXPECT_TRUE(lease(program->pid())->paused());
        EXPECT_EQ(ctl(daemon_, {"resume", of(*program)}).status, 0);
        EXPECT_FALSE(lease(program->pid())->paused());
}

TEST_F(OrdersOfUsers, DoNotPauseGoverning) {
        EXPECT_EQ(as(kUser, {"pause", "--all"}).status, 4);
        EXPECT_EQ(as(kUser, {"resume", "--all"}).status, 4);
        EXPECT_FALSE(status(daemon_.socket()).paused());
}

TEST_F(OrdersOfUsers, AboutAnothersProgramAreAnsweredAsIfThereWereNone) {
        const auto program = holder(kUser);
        const auto others = as(kStranger, {"pause", of(*program)});
        EXPECT_EQ(others.status, 1);
        EXPECT_TRUE(others.err.starts_with("governorctl: process " + of(*program) +
                                           " is not yours, or holds no lease: "))
                << others.err;
        EXPECT_FALSE(lease(program->pid())->paused());
}

/// More of them than the governor remembers events.
void order_again_and_again(LeaseClient& client) {
        governor::v1::Request request;
        request.mutable_set()->set_pid(static_cast<std::uint32_t>(::getpid()));
        for (std::uint32_t i = 0; i < 1'500; i++) {
                request.mutable_set()->set_max(1 + i % 2);
                ASSERT_TRUE(client.wire().call(request)->has_client());
        }
}

TEST_F(Orders, OfOneUserDoNotDriveOutWhatHappenedToOthers) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be several users";
        const auto quiet = holder(kStranger);
        ASSERT_EQ(ctl(daemon_, {"set", of(*quiet), "--max", "1"}).status, 0);
        std::unique_ptr<LeaseClient> noisy;
        {
                const AsUser user(kUser);
                noisy = std::make_unique<LeaseClient>(daemon_.socket());
        }
        ASSERT_NE(noisy->hello(), nullptr);
        order_again_and_again(*noisy);
        EXPECT_TRUE(contains(ctl(daemon_, {"explain", of(*quiet)}).out, " root set max 1\n"));
        governor::v1::Request request;
        request.mutable_events();
        WireClient root(daemon_.socket());
        const auto events = root.call(request)->events();
        EXPECT_TRUE(std::ranges::any_of(events.event(), [&](const auto& event) {
                return event.pid() == quiet->pid() && event.text() == "root set max 1";
        })) << events.event_size();
}

TEST_F(Orders, ThatMonitorDidNotSeeInTimeAreToldToBeLost) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        Process monitor({{GOVERNORCTL, "--socket", daemon_.socket(), "monitor"}, {}, {}});
        const auto own = std::to_string(::getpid());
        ASSERT_TRUE(eventually([&] {
                (void)ctl(daemon_, {"pause", own});
                (void)ctl(daemon_, {"resume", own});
                return contains(monitor.out(), " paused it\n");
        }));
        EXPECT_FALSE(contains(monitor.out(), " lost\n")) << monitor.out();
        monitor.signal(SIGSTOP);
        order_again_and_again(client);
        monitor.signal(SIGCONT);
        EXPECT_TRUE(eventually([&] { return contains(monitor.out(), " events were lost\n"); }));
}

}  // namespace
