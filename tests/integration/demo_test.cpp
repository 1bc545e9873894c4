// SPDX-License-Identifier: MIT
// governorctl demo: what it leaves behind, whatever ends it. How fast anything is does not matter.
#include "support/daemon.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <threadcount/threadcount.h>

namespace {

using namespace test_support;
namespace fs = std::filesystem;

class DemoOfAGovernor : public testing::Test {
protected:
        void SetUp() override {
                if (threadcount_max(nullptr) < 2)
                        GTEST_SKIP() << "affinity or a quota leaves one CPU, and a demo needs two";
        }

        /// Its temporary files go below a folder of the test.
        [[nodiscard]] Command command(std::vector<std::string> options,
                                      std::vector<std::string> environment = {}) const {
                options.insert(options.begin(), {GOVERNORCTL, "demo"});
                environment.push_back("TMPDIR=" + std::string(directory_.path()));
                return {std::move(options), std::move(environment), {}};
        }
        [[nodiscard]] bool leaves_nothing() const {
                return fs::is_empty(directory_.path()) && processes() == 0;
        }
        /// Those of any demo whose temporary files are there: their environment says so.
        [[nodiscard]] int processes() const {
                const auto mine = "TMPDIR=" + std::string(directory_.path());
                int count = 0;
                for (const auto& entry : fs::directory_iterator("/proc")) {
                        if (!std::isdigit(entry.path().filename().string().front()))
                                continue;
                        const auto text = read_file(entry.path() / "environ");
                        count += text.find(mine) != text.npos ? 1 : 0;
                }
                return count;
        }
        /// In the first part, beside their parent.
        [[nodiscard]] bool programs_are_there() const { return processes() >= 3; }
        [[nodiscard]] bool governor_is_there() const {
                const auto folders = fs::directory_iterator(directory_.path());
                return std::ranges::any_of(folders, [](const fs::directory_entry& folder) {
                        return fs::exists(folder.path() / "socket");
                });
        }

        TemporaryDirectory directory_;
};

TEST_F(DemoOfAGovernor, ShowsAllAndLeavesNothing) {
        const auto shown = run(command({"--length", "1", "--anyway"}));
        EXPECT_EQ(shown.status, 0) << shown.err;
        for (const auto* part : {"1. Without", "2. With", "3. The same", "governorctl top", "PID",
                                 "DONE AFTER", "Verdict: ", "Next: "})
                EXPECT_NE(shown.out.find(part), std::string::npos) << part << shown.out;
        EXPECT_EQ(shown.out.find('\x1b'), std::string::npos) << "it is no terminal";
        EXPECT_TRUE(leaves_nothing());
}

TEST_F(DemoOfAGovernor, AsksNoOtherGovernorAndTakesItsOwnAway) {
        Daemon other(FIXTURES "/machines/8");
        other.start();
        Process demo(command({"--length", "1", "--anyway"},
                             {other.environment(), "THREADCOUNT=off", "THREADCOUNT_MAX=1"}));
        const auto part_2_is_over = [&] { return demo.out().find("3. The") != std::string::npos; };
        ASSERT_TRUE(eventually(part_2_is_over, std::chrono::seconds{40})) << demo.err();
        EXPECT_NE(demo.out().find(" programs on "), std::string::npos) << demo.out();
        demo.signal(SIGTERM);
        EXPECT_EQ(demo.wait(), 128 + SIGTERM);
        EXPECT_TRUE(leaves_nothing());
        EXPECT_NE(ctl(other, {"status", "--json"}).out.find("\"queries\":0"), std::string::npos);
        EXPECT_NE(ctl(other, {"status"}).out.find(" 0 questions answered"), std::string::npos);
}

TEST_F(DemoOfAGovernor, CleansUpAfterASignal) {
        Process one(command({"--length", "6", "--anyway"}));
        Process other(command({"--length", "6", "--anyway"}));
        // Each has two programs then: with all four it is five processes.
        ASSERT_TRUE(eventually([&] { return processes() >= 5 + 3; })) << one.err() << other.err();
        one.signal(SIGINT);
        other.signal(SIGHUP);
        EXPECT_EQ(one.wait(), 128 + SIGINT);
        EXPECT_EQ(other.wait(), 128 + SIGHUP);
        EXPECT_TRUE(leaves_nothing());
}

TEST_F(DemoOfAGovernor, LeavesNoGovernorWhenItIsKilled) {
        Process demo(command({"--length", "1", "--anyway"}));
        ASSERT_TRUE(eventually([&] { return governor_is_there(); })) << demo.err();
        demo.signal(SIGKILL);
        EXPECT_EQ(demo.wait(), 128 + SIGKILL);
        EXPECT_TRUE(eventually([&] { return processes() == 0; }));
}

TEST_F(DemoOfAGovernor, LeavesNoProgramWhenItIsKilled) {
        Process demo(command({"--length", "6", "--anyway"}));
        ASSERT_TRUE(eventually([&] { return programs_are_there(); })) << demo.err();
        demo.signal(SIGKILL);
        EXPECT_EQ(demo.wait(), 128 + SIGKILL);
        // Less than the programs have work for: they do not end by themselves.
        EXPECT_TRUE(eventually([&] { return processes() == 0; }, std::chrono::seconds{4}));
}

TEST_F(DemoOfAGovernor, CleansUpWhenNobodyReadsItAnyMore) {
        const TemporaryDirectory elsewhere;
        auto command = this->command({});
        command.arguments = {"/bin/sh", "-c",
                             "{ \"$0\" demo --length 1 --anyway; echo $? >\"$1\"; } | head -n 10",
                             GOVERNORCTL, elsewhere.path("status")};
        const auto shown = run(command);
        // As other programs before a pipe; 1 where the test was started without SIGPIPE.
        const auto status = read_file(elsewhere.path("status"));
        EXPECT_TRUE(status == std::to_string(128 + SIGPIPE) + "\n" || status == "1\n") << status;
        EXPECT_TRUE(leaves_nothing());
        // It has ended there: explain, and each later part, would complain again.
        const std::string complaint = "cannot write the result";
        EXPECT_NE(shown.err.find(complaint), std::string::npos) << shown.err;
        EXPECT_EQ(shown.err.find(complaint), shown.err.rfind(complaint)) << shown.err;
}

TEST_F(DemoOfAGovernor, IsRefusedOnABusyHost) {
        auto command = this->command({});
        command.arguments = {"/bin/sh", "-c",
                             "for i in $(seq $(nproc)); do"
                             "  timeout 60 sh -c 'while :; do :; done' & pids=\"$pids $!\";"
                             "done;"
                             "\"$0\" demo --length 1; status=$?; kill $pids; exit $status",
                             GOVERNORCTL};
        const auto refused = run(command);
        EXPECT_EQ(refused.status, 1) << refused.out;
        EXPECT_TRUE(refused.err.starts_with("governorctl: this host is busy: other programs use "))
                << refused.err;
        EXPECT_NE(refused.err.find("--anyway"), std::string::npos);
        EXPECT_EQ(refused.out, "");
        EXPECT_TRUE(eventually([&] { return leaves_nothing(); }));
}

TEST_F(DemoOfAGovernor, SaysWhatItCannotDo) {
        const auto one_cpu = [&] {
                auto command = this->command({});
                command.arguments = {"/bin/sh", "-c",
                                     "cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//');"
                                     "exec taskset -c $cpu \"$0\" demo --anyway",
                                     GOVERNORCTL};
                return run(command);
        }();
        EXPECT_EQ(one_cpu.status, 1);
        EXPECT_NE(one_cpu.err.find("needs two"), std::string::npos) << one_cpu.err;
        const auto with_socket = run({{GOVERNORCTL, "--socket", "/nowhere", "demo"}, {}, {}});
        EXPECT_EQ(with_socket.status, 2);
        EXPECT_NE(with_socket.err.find("--socket"), std::string::npos) << with_socket.err;
        EXPECT_EQ(run(command({"--length", "0.5"})).status, 2);
        EXPECT_EQ(run(command({"--length", "61"})).status, 2);
        EXPECT_EQ(run(command({"--length", "nan"})).status, 2);
}

TEST_F(DemoOfAGovernor, SaysThatThereIsNoGovernord) {
        const TemporaryDirectory elsewhere;
        const auto alone = fs::path(elsewhere.path()) / "governorctl";
        fs::copy_file(GOVERNORCTL, alone);
        if (fs::exists("/usr/sbin/governord") || fs::exists("/usr/local/sbin/governord"))
                GTEST_SKIP() << "one is installed";
        const auto refused = run({{alone, "demo", "--anyway"}, {"PATH=/nowhere"}, {}});
        EXPECT_EQ(refused.status, 3);
        EXPECT_NE(refused.err.find("there is no governord beside "), std::string::npos)
                << refused.err;
}

}  // namespace
