// SPDX-License-Identifier: MIT
// Users and accounts as the governor tells them apart, in control groups that the test makes up.
#include "server/sharing/governor.hpp"

#include "support/ended_peer.hpp"
#include "support/fake_machine.hpp"

#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace governor::server {
namespace {

using policy::Account;
using test_support::EndedPeer;

constexpr std::uint32_t kAsker = 1000;
constexpr std::uint32_t kSessionUser = 1001;
constexpr std::uint32_t kServiceUser = 33;

class GovernorTest : public testing::Test {
protected:
        GovernorTest() {
                machine_.mount_v2();
                for (auto& ends : connections_)
                        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
                governor_.configure({}, {}, {});
        }
        ~GovernorTest() override {
                for (const auto& ends : connections_)
                        for (const int end : ends)
                                ::close(end);
        }

        static std::uint32_t self() { return static_cast<std::uint32_t>(::getpid()); }
        /// A process in a session of that user.
        void process(std::uint32_t pid, std::uint32_t owner) {
                const auto number = std::to_string(pid);
                machine_.process({pid});
                machine_.thread(pid, pid, "0-3");
                machine_.membership(pid, "0::/user.slice/user-" + std::to_string(owner) +
                                                 ".slice/session-1.scope\n");
        }
        [[nodiscard]] Peer peer(std::size_t connection, std::uint32_t uid,
                                std::uint32_t pid) const {
                return {connections_[connection][0], {uid}, pid};
        }

        test_support::FakeMachine machine_;
        int connections_[2][2] = {{-1, -1}, {-1, -1}};
        EventLoop loop_;
        Governor governor_{loop_, machine_.root()};
};

TEST_F(GovernorTest, ChargesAQuestionToTheOwnerOfTheControlGroupOfTheProcess) {
        process(self(), kSessionUser);
        const auto share = governor_.fair_share(peer(0, kAsker, self()));
        ASSERT_TRUE(share);
        EXPECT_EQ(share->account, Account{kSessionUser});
}

// The number may be another user's process by now.
TEST_F(GovernorTest, ChargesAQuestionToItsUserAloneWhereTheProcessThatConnectedHasEnded) {
        process(self(), kSessionUser);
        const EndedPeer ended;
        const auto share = governor_.fair_share({ended.connection(), {kAsker}, self()});
        ASSERT_TRUE(share);
        EXPECT_EQ(share->account, Account{kAsker});
}

TEST_F(GovernorTest, DoesNotTellByAnEndedProcessWhetherItsNumberHoldsALease) {
        process(self(), kSessionUser);
        ASSERT_TRUE(governor_.join(peer(0, kSessionUser, self()), {}));
        EXPECT_FALSE(governor_.fair_share(peer(0, kSessionUser, self()))) << "it has a lease";
        const EndedPeer ended;
        EXPECT_TRUE(governor_.fair_share({ended.connection(), {kAsker}, self()}));
}

TEST_F(GovernorTest, GivesUsersOfOneAccountMemoryOfTheirOwn) {
        process(self(), kSessionUser);
        process(self() + 1, kSessionUser);
        const auto own = governor_.join(peer(0, kSessionUser, self()), {});
        const auto other = governor_.join(peer(1, kServiceUser, self() + 1), {});
        ASSERT_TRUE(own);
        ASSERT_TRUE(other);
        governor_.programs().for_each([](const registry::Program& program) {
                EXPECT_EQ(program.identity().account, Account{kSessionUser});
        });
        EXPECT_NE(own->place.arena, other->place.arena);
}

}  // namespace
}  // namespace governor::server
