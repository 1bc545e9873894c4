// SPDX-License-Identifier: MIT
// No user can take the daemon from the others.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/descriptor_limit.hpp"
#include "support/wire.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace test_support;
using std::chrono::steady_clock;

constexpr uid_t kGreedy = 12345;
constexpr uid_t kOther = 12346;

class Limits : public testing::Test {
protected:
        void SetUp() override {
                if (!AsUser::is_possible())
                        GTEST_SKIP() << "needs root, to be several users";
        }

        std::unique_ptr<WireClient> connect_as(uid_t uid) const {
                const AsUser user(uid);
                return std::make_unique<WireClient>(daemon_.socket());
        }

        Daemon daemon_{FIXTURES "/machines/8"};
};

TEST_F(Limits, OneUserTakesAtMostHalfOfTheConnections) {
        {
                const DescriptorLimit limit(328);  // 264 for connections, 64 kept for newcomers
                daemon_.start();
        }
        std::vector<std::unique_ptr<WireClient>> held;
        for (int i = 0; i < 110; i++) {
                auto client = connect_as(kGreedy);
                if (client->call(query(0)).has_value())
                        held.push_back(std::move(client));
        }
        EXPECT_LE(held.size(), 100U);
        EXPECT_GE(held.size(), 95U) << "a few of root's may not have gone yet";
        EXPECT_TRUE(connect_as(kOther)->call(query(0)).has_value());
        const auto now = status(daemon_.socket());
        EXPECT_EQ(now.refused_connections(), 110 - held.size());
        EXPECT_EQ(now.bad_messages(), 0U);
        EXPECT_NE(daemon_.process().err().find("as many as it leaves free"), std::string::npos)
                << daemon_.process().err();
        held.clear();
        EXPECT_TRUE(eventually([&] { return connect_as(kGreedy)->call(query(0)).has_value(); }));
}

TEST_F(Limits, AStormOfConnectionsLeavesNothingBehind) {
        daemon_.start();
        for (int i = 0; i < 20'000; i++)
                (void)connect_as(kGreedy);
        EXPECT_TRUE(connect_as(kOther)->call(query(0)).has_value());
        EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).connections() == 1; }));
}

/// 4000 units at once and 4000 per second; a question costs at least one.
TEST_F(Limits, AFloodOfQuestionsIsAnsweredAtTheRateOfTheLimit) {
        constexpr int kQuestions = 10'000;
        daemon_.start();
        auto greedy = connect_as(kGreedy);
        auto request = query(2);
        request.set_protocol(1);
        std::string batch;
        for (int i = 0; i < 100; i++)
                batch += frame(request.SerializeAsString());
        const auto start = steady_clock::now();
        std::thread sender([&] {
                for (int i = 0; i < kQuestions / 100; i++)
                        if (!greedy->send_bytes(batch))
                                return;
        });
        auto other = connect_as(kOther);
        auto modest = connect_as(kGreedy);
        for (int i = 0; i < kQuestions; i++) {
                ASSERT_TRUE(greedy->receive().has_value()) << "slowed down, not refused: " << i;
                if (i % 1000 == 0) {
                        EXPECT_TRUE(other->call(query(0)).has_value());
                        EXPECT_TRUE(modest->call(query(0)).has_value()) << "of the same user";
                }
        }
        sender.join();
        EXPECT_GE(steady_clock::now() - start, std::chrono::milliseconds{1250});
}

/// Each of them is in the middle of a message in its own way; one is merely quiet.
TEST_F(Limits, WhoStopsInTheMiddleIsDisconnectedAndWhoIsIdleIsNot) {
        daemon_.start();
        auto request = query(2);
        request.set_protocol(1);
        const auto whole = frame(request.SerializeAsString());
        auto idle = connect_as(kOther);
        ASSERT_TRUE(idle->call(query(0)).has_value());
        auto half = connect_as(kOther);
        ASSERT_TRUE(half->send_bytes(whole.substr(0, whole.size() - 1)));
        auto deaf = connect_as(kOther);
        governor::v1::Request big;
        big.set_protocol(1);
        big.mutable_config();
        std::string many;
        for (int i = 0; i < 3000; i++)  // more than the buffers of a socket hold
                many += frame(big.SerializeAsString());
        ASSERT_TRUE(deaf->send_bytes(many));
        auto late = connect_as(kOther);  // one reply, in the kernel's memory, that nobody fetches
        ASSERT_TRUE(late->send_bytes(whole));
        auto slow = connect_as(kOther);
        const auto start = steady_clock::now();
        bool slow_ended = false;
        ASSERT_TRUE(slow->send_bytes("\x7f"));  // the length of a message that never comes
        ASSERT_TRUE(eventually(
                [&] {
                        std::this_thread::sleep_for(std::chrono::milliseconds{200});
                        slow_ended = slow_ended || !slow->send_bytes("x");
                        return slow_ended && status(daemon_.socket()).bad_messages() == 4;
                },
                std::chrono::seconds{60}));
        EXPECT_GE(steady_clock::now() - start, std::chrono::seconds{10}) << "they had their time";
        EXPECT_TRUE(half->is_ended());
        EXPECT_TRUE(late->receive().has_value()) << "what was sent is not lost";
        EXPECT_TRUE(late->is_ended());
        EXPECT_TRUE(idle->call(query(0)).has_value());
        EXPECT_EQ(status(daemon_.socket()).connections(), 2U);
}

}  // namespace
