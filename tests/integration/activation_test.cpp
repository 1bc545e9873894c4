// SPDX-License-Identifier: MIT
// What a service manager and the daemon tell each other. tests/host has the real systemd.
#include "support/daemon.hpp"
#include "support/service_manager.hpp"
#include "support/wire.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace test_support;

class Activated : public testing::Test {
protected:
        [[nodiscard]] std::vector<std::string>
        governord(const std::vector<std::string>& more = {}) const {
                std::vector<std::string> command{GOVERNORD, "--config", config(), "--root",
                                                 machine_.root()};
                command.insert(command.end(), more.begin(), more.end());
                return command;
        }
        void configure(const std::string& text) const { directory_.write("g.conf", text); }
        [[nodiscard]] std::string config() const { return directory_.path("g.conf"); }

        void SetUp() override {
                machine_.runs({100, 100, 100, 0});
                configure("[governor]\nperiod = 50ms\n");
        }

        TemporaryDirectory directory_;
        FakeMachine machine_;
        ServiceManager manager_;
};

TEST_F(Activated, AnswersAQueryThatCameBeforeIt) {
        WireClient early(manager_.socket());
        auto request = query(0);
        request.set_protocol(1);
        ASSERT_TRUE(early.send_bytes(frame(request.SerializeAsString())));
        manager_.start(governord());
        const auto reply = early.receive();
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(reply->advice().free(), 3U);
}

TEST_F(Activated, LeavesTheSocketThatIsNotItsOwnAndOpensNoOther) {
        manager_.start(governord());
        ASSERT_TRUE(manager_.hears("READY=1"));
        EXPECT_EQ(manager_.process().err().find("/run/governord"), std::string::npos);
        manager_.process().signal(SIGTERM);
        EXPECT_EQ(manager_.process().wait(), 0);
        EXPECT_TRUE(std::filesystem::exists(manager_.socket()));
        manager_.start(governord());
        EXPECT_EQ(status(manager_.socket()).cpus(), 4U) << "the next one takes over";
}

TEST_F(Activated, OpensAPathThatIsAskedForBeside) {
        const auto path = directory_.path("more.sock");
        manager_.start(governord({"--socket", path}));
        ASSERT_TRUE(manager_.hears("READY=1"));
        EXPECT_EQ(status(path).cpus(), 4U);
        EXPECT_EQ(status(manager_.socket()).cpus(), 4U);
}

TEST_F(Activated, IsNotRobbedOfItsSocketByOneThatIsStartedByHand) {
        const auto rob = [&] {
                return run({{GOVERNORD, "--socket", manager_.socket(), "--root", machine_.root()},
                            {},
                            {}});
        };
        const auto before = rob();
        EXPECT_EQ(before.status, 1);
        EXPECT_NE(before.err.find("user " + std::to_string(::geteuid()) +
                                  " listens there (governord.socket?)"),
                  std::string::npos)
                << before.err;
        manager_.start(governord());
        EXPECT_EQ(status(manager_.socket()).cpus(), 4U);
        EXPECT_EQ(rob().status, 1);
        EXPECT_EQ(status(manager_.socket()).cpus(), 4U);
}

TEST_F(Activated, RefusesWhatIsNoListeningSocket) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        manager_.start(governord(), {ends[0]});
        EXPECT_EQ(manager_.process().wait(), 1);
        EXPECT_NE(manager_.process().err().find("is no listening stream socket"), std::string::npos)
                << manager_.process().err();
        ::close(ends[0]);
        ::close(ends[1]);
}

TEST_F(Activated, SaysWhatItSees) {
        manager_.start(governord());
        EXPECT_TRUE(manager_.hears(
                "STATUS=3 of 4 cpus free, 0 connections, fair, 0 programs on 0 cpus"));
}

TEST_F(Activated, SaysThatItStops) {
        manager_.start(governord());
        ASSERT_TRUE(manager_.hears("READY=1"));
        manager_.process().signal(SIGTERM);
        EXPECT_TRUE(manager_.hears("STOPPING=1"));
}

TEST_F(Activated, SaysThatItReloadsAndWhyItDidNot) {
        manager_.start(governord());
        ASSERT_TRUE(manager_.hears("READY=1"));
        configure("[governor]\nperiod = 50ms\nthreshold = 500%\n");
        manager_.process().signal(SIGHUP);
        EXPECT_TRUE(manager_.hears("RELOADING=1"));
        EXPECT_TRUE(manager_.hears(
                "STATUS=3 of 4 cpus free, 0 connections, fair, 0 programs on 0 cpus; "
                "configuration not reloaded: " +
                config() + ":3: `threshold = 500%`"));
        EXPECT_TRUE(manager_.hears("READY=1"));
        configure("[governor]\nperiod = 50ms\npolicy = threshold\nthreshold = 50%\n");
        manager_.process().signal(SIGHUP);
        EXPECT_TRUE(manager_.hears("STATUS=3 of 4 cpus free, 0 connections, threshold 50%"));
}

TEST_F(Activated, KeepsItsSocketWhereItsConfigurationIsWrongAndSaysSo) {
        configure("[governor]\nperiod = 50ms\nthreshold = 500%\n");
        manager_.start(governord());
        ASSERT_TRUE(manager_.hears("READY=1"));
        EXPECT_TRUE(manager_.hears(
                "STATUS=3 of 4 cpus free, 0 connections, fair (observing), 0 programs on 0 cpus; "
                "configuration refused, programs are left alone: " +
                config() + ":3: `threshold = 500%`"));
        EXPECT_EQ(status(manager_.socket()).mode(), "observe");
        configure("[governor]\nperiod = 50ms\n");
        manager_.process().signal(SIGHUP);
        EXPECT_TRUE(manager_.hears(
                "STATUS=3 of 4 cpus free, 0 connections, fair, 0 programs on 0 cpus"));
}

/// The watchdog's heart beats every 500 ms; silence is two beats without one.
TEST_F(Activated, KeepsTheWatchdogQuietOnlyWhileItSamples) {
        manager_.start(governord());
        ASSERT_TRUE(manager_.hears("WATCHDOG=1"));
        ASSERT_TRUE(manager_.hears("WATCHDOG=1"));
        std::filesystem::remove(machine_.root() + "/proc/stat");
        const auto is_silent = [&] {
                (void)manager_.hear();
                std::this_thread::sleep_for(std::chrono::milliseconds{1200});
                for (const auto& line : manager_.hear())
                        if (line == "WATCHDOG=1")
                                return false;
                return true;
        };
        EXPECT_TRUE(eventually(is_silent));
        EXPECT_NE(manager_.process().err().find("the watchdog is not told"), std::string::npos);
        machine_.runs({100, 100, 100, 0});
        EXPECT_TRUE(manager_.hears("WATCHDOG=1"));
}

}  // namespace
