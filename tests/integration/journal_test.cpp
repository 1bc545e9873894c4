// SPDX-License-Identifier: MIT
// What the daemon logs of programs and of orders: lines on stderr here.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace {

using namespace test_support;

class Journal : public testing::Test {
protected:
        explicit Journal(const std::string& level = "info")
                : daemon_("", "[governor]\nlog_level = " + level + "\n") {
                daemon_.start();
        }
        [[nodiscard]] std::size_t lines_with(const std::string& pattern) {
                const std::regex wanted(pattern);
                std::istringstream log(daemon_.process().err());
                std::size_t count = 0;
                for (std::string line; std::getline(log, line);)
                        count += std::regex_search(line, wanted) ? 1 : 0;
                return count;
        }
        static std::string own_pid() { return std::to_string(::getpid()); }
        /// "mine[4711] of user 0"
        static std::string own_name() {
                return "mine\\[" + own_pid() + "\\] of user " + std::to_string(::geteuid());
        }
        void hello(LeaseClient& client) {
                governor::v1::Hello hello;
                hello.set_label("mine");
                ASSERT_NE(client.hello(hello), nullptr);
        }

        Daemon daemon_;
};

class DebugJournal : public Journal {
protected:
        DebugJournal() : Journal("debug") {}
};

TEST_F(Journal, SaysWhoHasOrderedWhatWhereItChangesSomething) {
        LeaseClient client(daemon_.socket());
        hello(client);
        for (int i = 0; i < 3; i++)
                ASSERT_EQ(ctl(daemon_, {"set", own_pid(), "--max", "1"}).status, 0);
        ASSERT_EQ(ctl(daemon_, {"pause", own_pid()}).status, 0);
        ASSERT_EQ(ctl(daemon_, {"resume", own_pid()}).status, 0);
        const std::string who = ::geteuid() == 0 ? "root" : "user " + std::to_string(::geteuid());
        const auto begin = "governord: info: " + own_name() + ": " + who;
        EXPECT_EQ(lines_with(begin + " set max 1$"), 1U) << daemon_.process().err();
        EXPECT_EQ(lines_with(begin + " paused it$"), 1U);
        EXPECT_EQ(lines_with(begin + " resumed it$"), 1U);
}

TEST_F(Journal, SaysThatGoverningIsPausedAndResumed) {
        for (const auto* verb : {"pause", "pause", "resume", "resume"})
                ASSERT_EQ(ctl(daemon_, {verb, "--all"}).status, 0);
        EXPECT_EQ(lines_with(" paused governing: programs are left alone$"), 1U);
        EXPECT_EQ(lines_with(" ended the pause of governing$"), 1U);
}

TEST_F(Journal, IsSilentOfProgramsThatComeAndGo) {
        const auto come_and_go = [&] {
                LeaseClient client(daemon_.socket());
                hello(client);
                return client.bye()->has_done();
        };
        ASSERT_TRUE(come_and_go());  // after its first answer it has said all about its start
        const auto before = lines_with("");
        for (int i = 0; i < 100; i++)
                ASSERT_TRUE(come_and_go());
        EXPECT_EQ(lines_with(""), before) << daemon_.process().err();
}

TEST_F(Journal, OfUsersOrdersIsNoFlood) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs root";
        constexpr uid_t kUser = 65534;
        ForkedProgram program([&] {
                if (::setuid(kUser) < 0)
                        ::_exit(1);
                LeaseClient client(daemon_.socket());
                hello(client);
                for (std::uint32_t max = 1; max <= 500; max++) {
                        governor::v1::Request request;
                        request.mutable_set()->set_pid(static_cast<std::uint32_t>(::getpid()));
                        request.mutable_set()->set_max(max);
                        if (!client.wire().call(request)->has_client())
                                ::_exit(1);
                }
        });
        ASSERT_TRUE(program.finishes());
        EXPECT_EQ(lines_with(" of user 65534: user 65534 set max "), 20U);
}

TEST_F(DebugJournal, TellsOfLeasesAndGrants) {
        {
                LeaseClient client(daemon_.socket());
                hello(client);
                EXPECT_TRUE(eventually([&] {
                        return lines_with("governord: debug: " + own_name() +
                                          " was granted [0-9]+, had 0; .* -> [0-9]+$") == 1;
                })) << daemon_.process().err();
        }
        EXPECT_TRUE(eventually(
                [&] { return lines_with(own_name() + " holds no lease any more$") == 1; }));
        EXPECT_EQ(lines_with(own_name() + " holds a lease$"), 1U);
}

TEST_F(DebugJournal, CannotBeForgedByALabel) {
        LeaseClient client(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_label("x\ngovernord: error: forged");
        ASSERT_NE(client.hello(hello), nullptr);
        EXPECT_TRUE(eventually([&] { return lines_with("x.governord: error: ") > 0; }));
        EXPECT_EQ(lines_with("^governord: error"), 0U);
}

}  // namespace
