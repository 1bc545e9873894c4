// SPDX-License-Identifier: MIT
// Clients that send rubbish: their connection ends, it is counted and logged once, and nobody
// else notices.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/wire.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test_support;

class HostileClient : public testing::Test {
protected:
        HostileClient() : daemon_(FIXTURES "/machines/8") { daemon_.start(); }

        [[nodiscard]] std::uint64_t bad_messages() const {
                return status(daemon_.socket()).bad_messages();
        }

        Daemon daemon_;
};

TEST_F(HostileClient, IsDisconnectedAndOthersAreServed) {
        WireClient other(daemon_.socket());
        const std::string half = frame(query(0).SerializeAsString()).substr(0, 2);
        const std::string rubbish[] = {
                "GET / HTTP/1.1\r\n\r\n",  // a length, then no protobuf
                "\xff\xff\xff\xff\xff",    // no length
                "\x81\x80\x04",            // a length of 65537
                frame("\x08"),             // a field without its value
                frame(std::string(1000, '\xff')),
        };
        std::uint64_t expected = 0;
        for (const auto& bytes : rubbish) {
                WireClient client(daemon_.socket());
                ASSERT_TRUE(client.send_bytes(bytes));
                client.finish_sending();
                EXPECT_TRUE(client.is_ended());
                EXPECT_EQ(bad_messages(), ++expected);
                const auto reply = other.call(query(0));
                ASSERT_TRUE(reply.has_value());
                EXPECT_EQ(reply->advice().free(), 6U);
        }
        {
                WireClient client(daemon_.socket());
                ASSERT_TRUE(client.send_bytes(half));
        }
        EXPECT_TRUE(eventually([&] { return bad_messages() == expected + 1; }));
}

TEST_F(HostileClient, IsLoggedAtMostOncePerMinute) {
        for (int i = 0; i < 50; i++) {
                WireClient client(daemon_.socket());
                ASSERT_TRUE(client.send_bytes("\xff\xff\xff\xff"));
                EXPECT_TRUE(client.is_ended());
        }
        EXPECT_EQ(bad_messages(), 50U);
        const auto log = daemon_.process().err();
        const auto first = log.find("disconnected");
        EXPECT_NE(first, log.npos);
        EXPECT_EQ(log.find("disconnected", first + 1), log.npos) << log;
}

TEST_F(HostileClient, OfOneUserDoesNotHideOthersInTheLog) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be several users";
        for (const uid_t uid : {3100U, 3100U, 3101U, 3100U, 3101U}) {
                const AsUser user(uid);
                WireClient client(daemon_.socket());
                ASSERT_TRUE(client.send_bytes("\xff\xff\xff\xff"));
                EXPECT_TRUE(client.is_ended());
        }
        EXPECT_EQ(bad_messages(), 5U);
        const auto log = daemon_.process().err();
        for (const std::string user : {"user 3100", "user 3101"}) {
                const auto first = log.find("a client of " + user + " was disconnected");
                ASSERT_NE(first, log.npos) << log;
                EXPECT_EQ(log.find(user, first + 20), log.npos) << log;
        }
}

TEST_F(HostileClient, ThatEndsBetweenMessagesIsNotBad) {
        { WireClient client(daemon_.socket()); }
        {
                WireClient client(daemon_.socket());
                EXPECT_TRUE(client.call(query(1)).has_value());
        }
        EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).connections() == 1; }));
        EXPECT_EQ(bad_messages(), 0U);
}

TEST_F(HostileClient, ThatSpeaksAnotherVersionIsToldWhichOneIsSpoken) {
        WireClient client(daemon_.socket());
        auto request = query(0);
        request.set_protocol(77);
        auto reply = client.call(request);
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(reply->error().code(), governor::v1::Error::UNSUPPORTED_PROTOCOL);
        EXPECT_EQ(reply->error().accepted(), "1");
        reply = client.call(query(0));
        ASSERT_TRUE(reply.has_value()) << "the connection stays";
        EXPECT_TRUE(reply->has_advice());
        reply = client.call(query(70000));
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(reply->error().code(), governor::v1::Error::OUT_OF_RANGE);
        reply = client.call(governor::v1::Request());
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(reply->error().code(), governor::v1::Error::UNKNOWN_REQUEST);
}

TEST_F(HostileClient, ThatSendsByteByByteIsServed) {
        WireClient client(daemon_.socket());
        auto request = query(2);
        request.set_protocol(1);
        for (const char byte : frame(request.SerializeAsString()))
                ASSERT_TRUE(client.send_bytes(std::string(1, byte)));
        const auto reply = client.receive();
        ASSERT_TRUE(reply.has_value());
        EXPECT_EQ(reply->advice().threads(), 8U);
}

TEST_F(HostileClient, ThatNeverReadsDoesNotStopTheOthers) {
        WireClient deaf(daemon_.socket());
        auto request = query(2);
        request.set_protocol(1);
        std::string many;
        for (int i = 0; i < 2000; i++)
                many += frame(request.SerializeAsString());
        ASSERT_TRUE(deaf.send_bytes(many));
        WireClient other(daemon_.socket());
        for (int i = 0; i < 100; i++)
                ASSERT_TRUE(other.call(query(0)).has_value());
        for (int i = 0; i < 2000; i++)
                ASSERT_TRUE(deaf.receive().has_value()) << "its answers waited for it: " << i;
}

TEST_F(HostileClient, ManyConnectionsComeAndGo) {
        std::vector<std::unique_ptr<WireClient>> clients;
        for (int i = 0; i < 500; i++)
                clients.push_back(std::make_unique<WireClient>(daemon_.socket()));
        EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).connections() == 501; }));
        for (auto& client : clients)
                ASSERT_TRUE(client->call(query(0)).has_value());
        clients.clear();
        EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).connections() == 1; }));
}

}  // namespace
