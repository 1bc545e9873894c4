// SPDX-License-Identifier: MIT
// Trees of real processes: this test holds the tree, and what it forks belongs to it.
#include "lease_fixture.hpp"
#include "support/as_user.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace {

using namespace test_support;
using governor::v1::Advice;

class TreeTest : public LeaseTest {
protected:
        [[nodiscard]] static governor::v1::Hello tree() {
                governor::v1::Hello hello;
                hello.set_tree(true);
                return hello;
        }
        /// Client.id of the tree that the process is in.
        [[nodiscard]] std::uint64_t tree_of(std::uint32_t pid) const {
                const auto client = lease(pid);
                EXPECT_TRUE(client);
                return client ? client->tree() : 0;
        }
        [[nodiscard]] Advice advice() const {
                WireClient wire(daemon_.socket());
                governor::v1::Request request;
                request.mutable_query()->set_max(100);
                const auto reply = wire.call(request);
                EXPECT_TRUE(reply && reply->has_advice());
                return reply ? reply->advice() : Advice();
        }
        /// A lease whose process is so many generations below this one, for ever.
        [[nodiscard]] std::unique_ptr<ForkedProgram> descendant(int generations) const {
                return std::make_unique<ForkedProgram>([socket = daemon_.socket(), generations] {
                        for (int i = 1; i < generations; i++)
                                if (::fork() != 0)
                                        ::pause();
                                else
                                        (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
                        hold_a_lease(socket);
                });
        }
        [[nodiscard]] std::uint64_t tree_of_the_youngest() const {
                return leases(daemon_.socket()).back().tree();
        }
};

TEST_F(TreeTest, HasTheHolderAndWhatDescendsFromItAsMembers) {
        const auto before = holder();
        EXPECT_EQ(tree_of(before->pid()), 0U) << "nobody had said that there is a tree";
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const auto id = lease(own_pid())->id();
        EXPECT_EQ(tree_of(own_pid()), id);
        const auto child = holder();
        EXPECT_EQ(tree_of(child->pid()), id);
        const auto grandchild = descendant(2);
        ASSERT_TRUE(becomes(4));
        EXPECT_EQ(tree_of_the_youngest(), id);
}

// Programs come back before the holder of their tree like this after a restart of the governor.
TEST_F(TreeTest, IsFoundByMembersThatCameBeforeTheHolder) {
        const auto early = holder();
        const ForkedProgram inner([socket = daemon_.socket()] {
                LeaseClient client(socket);
                if (client.hello(tree()) != nullptr)
                        hold_a_lease(socket);
        });
        ASSERT_TRUE(becomes(2));
        EXPECT_NE(tree_of(inner.pid()), 0U);
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const auto id = lease(own_pid())->id();
        EXPECT_TRUE(eventually(
                [&] { return tree_of(early->pid()) == id && tree_of(inner.pid()) == id; }));
}

TEST_F(TreeTest, InsideOfATreeIsPartOfIt) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const ForkedProgram inner([socket = daemon_.socket()] {
                LeaseClient client(socket);
                if (client.hello(tree()) != nullptr)
                        hold_a_lease(socket);
        });
        ASSERT_TRUE(becomes(2));
        EXPECT_EQ(tree_of(inner.pid()), lease(own_pid())->id());
}

TEST_F(TreeTest, EndsWithItsHoldersLease) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const auto child = holder();
        ASSERT_NE(tree_of(child->pid()), 0U);
        ASSERT_TRUE(self.bye());
        EXPECT_EQ(tree_of(child->pid()), 0U);
}

TEST_F(TreeTest, HasMembersOfItsOwnUserOnly) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be several users";
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const ForkedProgram other([socket = daemon_.socket()] { hold_a_lease(socket); }, 3100);
        ASSERT_TRUE(becomes(2));
        EXPECT_EQ(tree_of(other.pid()), 0U);
}

/// However many processes somebody starts below each other, a hello looks at a bounded number.
TEST_F(TreeTest, ReachesSixtyFourGenerationsDown) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const auto near = descendant(64);
        ASSERT_TRUE(becomes(2));
        EXPECT_EQ(tree_of_the_youngest(), lease(own_pid())->id());
        const auto far = descendant(65);
        ASSERT_TRUE(becomes(3));
        EXPECT_EQ(tree_of_the_youngest(), 0U);
}

TEST_F(TreeTest, SharesAsOneProgram) {
        LeaseClient self(daemon_.socket());
        auto hello = tree();
        hello.mutable_wishes()->set_max(1);
        ASSERT_NE(self.hello(hello), nullptr);
        const auto child = holder();
        EXPECT_TRUE(eventually([&] {
                return lease(child->pid())->reason().starts_with("maximum of its tree: 1 thread");
        })) << lease(child->pid())->reason();
        EXPECT_EQ(explanation_of(daemon_.socket(), child->pid()).step(0),
                  "it is in a tree of 2 programs, which shares as one program of its user");
}

/// The argument is a process's number as ps and pidof give it.
TEST_F(TreeTest, IsMeantByEachProcessInIt) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const ForkedProgram member([] { ::pause(); });
        const auto inside = std::to_string(member.pid());
        const auto explained = ctl(daemon_, {"explain", inside});
        EXPECT_EQ(explained.status, 0) << explained.err;
        EXPECT_NE(explained.out.find("\n  process " + inside + " is in the tree of " +
                                     std::to_string(own_pid()) + " ("),
                  std::string::npos)
                << explained.out;
        EXPECT_EQ(ctl(daemon_, {"set", inside, "--max", "1"}).status, 0);
        EXPECT_EQ(lease(own_pid())->max(), 1U);
        const auto paused = ctl(daemon_, {"pause", inside});
        EXPECT_TRUE(paused.out.starts_with("process " + std::to_string(own_pid()) + " ("))
                << paused.out << paused.err;
        EXPECT_TRUE(lease(own_pid())->paused());
        EXPECT_EQ(ctl(daemon_, {"resume", inside}).status, 0);
        EXPECT_FALSE(lease(own_pid())->paused());
        const auto parent = std::to_string(::getppid());
        EXPECT_EQ(ctl(daemon_, {"explain", parent}).status, 1) << "it is above the tree";
}

TEST_F(TreeTest, IsNotMeantByItsProcessesForOtherUsers) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be several users";
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        const ForkedProgram member([] { ::pause(); });
        const AsUser stranger(3101);
        EXPECT_EQ(explanation_of(daemon_.socket(), member.pid()).step_size(), 0);
}

TEST_F(TreeTest, TellsItsShareAndItsProcesses) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        EXPECT_EQ(lease(own_pid())->share(), everything());
        const auto count = [&] { return lease(own_pid())->processes(); };
        ASSERT_TRUE(eventually([&] { return count() > 0; })) << "the daemon is one";
        const auto before = count();
        const ForkedProgram idle([] { ::pause(); });
        const ForkedProgram busy([] {
                for (;;)
                        ;
        });
        EXPECT_TRUE(eventually([&] { return count() == before + 2; }));
        EXPECT_TRUE(eventually([&] { return lease(own_pid())->burning_millicpu() > 0; }));
        const auto member = holder();
        EXPECT_TRUE(eventually([&] { return count() == before + 2; })) << "it holds a lease";
}

TEST_F(TreeTest, IsAdvisedItsShare) {
        EXPECT_NE(advice().reason(), Advice::TREE_SHARE);
        LeaseClient self(daemon_.socket());
        auto hello = tree();
        hello.mutable_wishes()->set_max(1);
        ASSERT_NE(self.hello(hello), nullptr);
        ForkedProgram child([this] {
                const auto said = advice();
                if (said.reason() != Advice::TREE_SHARE || said.threads() != 1)
                        ::_exit(1);
        });
        EXPECT_TRUE(child.finishes());
        EXPECT_EQ(advice().reason(), Advice::TREE_SHARE);
        EXPECT_EQ(advice().threads(), 1U);
}

TEST_F(TreeTest, SaysWhatActsOnIt) {
        LeaseClient self(daemon_.socket());
        auto hello = tree();
        hello.mutable_wishes()->set_max(3);
        ASSERT_NE(self.hello(hello), nullptr);
        governor::v1::Request request;
        request.mutable_update()->set_acts("nice 19\n" + std::string(300, 'x'));
        ASSERT_TRUE(self.wire().call(request)->has_done());
        EXPECT_EQ(lease(own_pid())->acts(), "nice 19?" + std::string(192, 'x'));
        EXPECT_EQ(lease(own_pid())->max(), 3U) << "wishes are as they were";
        request.mutable_update()->clear_acts();
        request.mutable_update()->mutable_wishes()->set_max(2);
        ASSERT_TRUE(self.wire().call(request)->has_done());
        EXPECT_EQ(lease(own_pid())->acts().size(), 200U) << "as it was";
        EXPECT_EQ(lease(own_pid())->max(), 2U);
}

TEST_F(TreeTest, WaitsForItsTurnAsAWholeWhileItYields) {
        auto hello = tree();
        hello.set_yields(true);
        hello.mutable_wishes()->set_scheduling_class(governor::v1::BATCH);
        const ForkedProgram first([&, socket = daemon_.socket()] {
                LeaseClient client(socket);
                if (client.hello(hello) != nullptr)
                        for (;;)
                                ;
        });
        ASSERT_TRUE(becomes(1));
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(hello), nullptr);
        const auto member = holder();
        const auto is_parked = [&](std::uint32_t pid) { return lease(pid)->parked(); };
        EXPECT_TRUE(eventually([&] { return is_parked(own_pid()) && is_parked(member->pid()); }));
        EXPECT_FALSE(is_parked(first.pid()));
        EXPECT_EQ(
                explanation_of(daemon_.socket(), own_pid()).step(0),
                "it and all that it started (2 programs with a lease) share as one program of its "
                "user, and yield while they wait for their turn");
        governor::v1::Request request;
        request.mutable_update()->set_yields(false);
        ASSERT_TRUE(self.wire().call(request)->has_done());
        EXPECT_TRUE(eventually([&] { return !is_parked(own_pid()) && !is_parked(member->pid()); }));
        EXPECT_FALSE(is_parked(first.pid()));
}

TEST_F(TreeTest, ChangesNothingWhereAWishIsOutOfRange) {
        LeaseClient self(daemon_.socket());
        ASSERT_NE(self.hello(tree()), nullptr);
        governor::v1::Request request;
        request.mutable_update()->set_acts("nice 19");
        request.mutable_update()->mutable_wishes()->set_weight(10'001);
        EXPECT_TRUE(self.wire().call(request)->has_error());
        EXPECT_EQ(lease(own_pid())->acts(), "");
}

}  // namespace
