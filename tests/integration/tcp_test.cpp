// SPDX-License-Identifier: MIT
// TCP: off unless asked for, and for numbers only.
#include "support/daemon.hpp"
#include "support/wire.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <regex>

namespace {

using namespace test_support;

const std::string kMachine = FIXTURES "/machines/8";

/// The port of the daemon's last "listening on 127.0.0.1:PORT"; 0: none.
std::uint16_t port_of(Daemon& daemon) {
        const auto log = daemon.process().err();
        const std::regex listening("listening on 127\\.0\\.0\\.1:([0-9]+)");
        std::string port = "0";
        for (std::sregex_iterator match(log.begin(), log.end(), listening), end; match != end;
             match++)
                port = (*match)[1];
        return static_cast<std::uint16_t>(std::stoul(port));
}

governor::v1::Request request_of(const std::string& kind) {
        governor::v1::Request request;
        if (kind == "cpus")
                request.mutable_cpus();
        else if (kind == "config")
                request.mutable_config();
        else if (kind == "status")
                request.mutable_status();
        else if (kind == "set")
                request.mutable_set();
        else if (kind == "pause")
                request.mutable_pause();
        else if (kind == "resume")
                request.mutable_resume();
        return request;
}

TEST(Tcp, IsOffUnlessAskedFor) {
        Daemon daemon(kMachine);
        daemon.start();
        EXPECT_EQ(port_of(daemon), 0);
}

TEST(Tcp, AnswersQueriesAndStatusOnly) {
        Daemon daemon(kMachine);
        daemon.start({"--tcp", "0"});
        WireClient client(port_of(daemon));
        const auto advice = client.call(query(1));
        ASSERT_TRUE(advice.has_value());
        EXPECT_EQ(advice->advice().threads(), 7U);
        const auto status = client.call(request_of("status"));
        ASSERT_TRUE(status.has_value());
        EXPECT_EQ(status->status().free(), 6U);
        for (const auto* kind : {"cpus", "config", "set", "pause", "resume"}) {
                const auto refused = client.call(request_of(kind));
                ASSERT_TRUE(refused.has_value()) << kind;
                EXPECT_EQ(refused->error().code(), governor::v1::Error::NOT_PERMITTED) << kind;
                EXPECT_EQ(refused->error().accepted(), "query, status");
                ASSERT_TRUE(WireClient(daemon.socket()).call(request_of(kind))) << kind;
        }
}

TEST(Tcp, SurvivesAWebBrowser) {
        Daemon daemon(kMachine);
        daemon.start({"--tcp", "0"});
        WireClient browser(port_of(daemon));
        ASSERT_TRUE(browser.send_bytes("GET / HTTP/1.1\r\nHost: localhost\r\n"
                                       "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n\r\n"));
        EXPECT_TRUE(browser.is_ended());
        EXPECT_TRUE(WireClient(port_of(daemon)).call(query(0)).has_value());
}

TEST(Tcp, IsOpenedAndClosedByAReload) {
        Daemon daemon(kMachine);
        daemon.start();
        daemon.configure("[governor]\ntcp = 127.0.0.1:0\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return port_of(daemon) != 0; }));
        WireClient client(port_of(daemon));
        EXPECT_TRUE(client.call(query(0)).has_value());
        daemon.configure("[governor]\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return !can_connect(port_of(daemon)); }));
        EXPECT_TRUE(client.call(query(0)).has_value()) << "who is there may stay";
}

TEST(Tcp, APortThatIsTakenChangesNothingAtAReload) {
        Daemon first(kMachine);
        first.start({"--tcp", "0"});
        Daemon second(kMachine, "[governor]\nthreshold = 50%\n");
        second.start();
        second.configure("[governor]\nthreshold = 5%\ntcp = " + std::to_string(port_of(first)) +
                         "\n");
        second.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] {
                return second.process().err().find("old settings stay in force") !=
                       std::string::npos;
        }));
        EXPECT_NE(second.process().err().find("Address already in use; give another port"),
                  std::string::npos)
                << second.process().err();
        EXPECT_EQ(status(second.socket()).threshold_permyriad(), 5000U);
}

TEST(Tcp, MayMoveToAnotherHostAtTheSamePort) {
        Daemon daemon(kMachine);
        daemon.start({"--tcp", "0"});  // any free port, to know one
        const auto port = std::to_string(port_of(daemon));
        daemon.process().signal(SIGTERM);
        ASSERT_EQ(daemon.process().wait(), 0);
        daemon.configure("[governor]\ntcp = 127.0.0.1:" + port + "\n");
        daemon.start();
        daemon.configure("[governor]\ntcp = 0.0.0.0:" + port + "\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] {
                return daemon.process().err().find("listening on 0.0.0.0:" + port) !=
                       std::string::npos;
        })) << daemon.process().err();
        daemon.configure("[governor]\ntcp = 192.0.2.1:" + port + "\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] {
                return daemon.process().err().find("old settings stay in force") !=
                       std::string::npos;
        }));
        EXPECT_TRUE(can_connect(static_cast<std::uint16_t>(std::stoul(port)))) << "as before";
}

TEST(Tcp, APortThatIsTakenStopsAStart) {
        Daemon first(kMachine);
        first.start({"--tcp", "0"});
        TemporaryDirectory directory;
        const auto refused =
                run({{GOVERNORD, "--root", kMachine, "--socket", directory.path("socket"), "--tcp",
                      std::to_string(port_of(first))},
                     {},
                     {}});
        EXPECT_EQ(refused.status, 1);
        EXPECT_NE(refused.err.find("Address already in use"), std::string::npos) << refused.err;
}

TEST(Tcp, APortOfTheFileThatIsTakenLeavesProgramsAlone) {
        Daemon first(kMachine);
        first.start({"--tcp", "0"});
        Daemon second(kMachine, "[governor]\ntcp = " + std::to_string(port_of(first)) + "\n");
        second.start();
        EXPECT_EQ(status(second.socket()).mode(), "observe");
        EXPECT_NE(status(second.socket()).configuration_error().find("Address already in use"),
                  std::string::npos);
}

TEST(Tcp, TheCommandLineWinsOverTheFileAlsoAtAReload) {
        Daemon daemon(kMachine, "[governor]\ntcp = off\n");
        daemon.start({"--tcp", "localhost:0"});
        const auto port = port_of(daemon);
        daemon.configure("[governor]\ntcp = off\nthreshold = 95%\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(
                eventually([&] { return status(daemon.socket()).threshold_permyriad() == 9500; }));
        EXPECT_TRUE(can_connect(port));
}

TEST(Tcp, RefusesWhatIsNoAddress) {
        for (const auto* address : {"example.org:80", "65536", "host", ""}) {
                const auto refused = run({{GOVERNORD, "--tcp", address}, {}, {}});
                EXPECT_EQ(refused.status, 2) << address;
                EXPECT_NE(refused.err.find("--tcp"), std::string::npos) << refused.err;
        }
}

}  // namespace
