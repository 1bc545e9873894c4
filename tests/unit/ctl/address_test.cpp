// SPDX-License-Identifier: MIT
// The texts that governorctl takes for the address of a governor.
#include "ctl/address.hpp"

#include "support/tcp_texts.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace ctl {
namespace {

template <class Sockaddr>
Sockaddr as(const Address& address) {
        Sockaddr result;
        EXPECT_EQ(address.length, sizeof(result));
        std::memcpy(&result, &address.storage, sizeof(result));
        return result;
}

TEST(Address, IsThePathOfAUnixSocket) {
        const auto address = parse_address("/run/governord/governord.sock");
        ASSERT_TRUE(address);
        EXPECT_EQ(as<sockaddr_un>(*address).sun_family, AF_UNIX);
        EXPECT_STREQ(as<sockaddr_un>(*address).sun_path, "/run/governord/governord.sock");
        EXPECT_TRUE(parse_address("./tcp:1"));
}

TEST(Address, IsAPathThatFits) {
        EXPECT_TRUE(parse_address(std::string(107, 'p')));
        const auto refused = parse_address(std::string(108, 'p'));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), "socket path of 108 bytes; accepted: 1 .. 107");
        EXPECT_FALSE(parse_address(""));
}

TEST(Address, IsANumericTcpAddress) {
        const auto v4 = parse_address("tcp:192.0.2.1:65535");
        ASSERT_TRUE(v4);
        EXPECT_EQ(as<sockaddr_in>(*v4).sin_addr.s_addr, htonl(0xc0000201));
        EXPECT_EQ(as<sockaddr_in>(*v4).sin_port, htons(65535));
        const auto v6 = parse_address("tcp:[2001:db8::1]:1");
        ASSERT_TRUE(v6);
        EXPECT_EQ(as<sockaddr_in6>(*v6).sin6_addr.s6_addr[15], 1);
        EXPECT_EQ(as<sockaddr_in6>(*v6).sin6_port, htons(1));
}

TEST(Address, OfLocalhostIsTheLoopbackOfIpv4) {
        const auto address = parse_address("tcp:localhost:7777");
        ASSERT_TRUE(address);
        EXPECT_EQ(as<sockaddr_in>(*address).sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

TEST(Address, OfTcpIsWhatTheLibraryTakesToo) {
        for (const std::string rest : test_support::kTcpAccepted)
                EXPECT_TRUE(parse_address("tcp:" + rest)) << rest;
}

TEST(Address, OfTcpIsRefusedWithItsValueAndTheAcceptedForm) {
        for (const std::string rest : test_support::kTcpRefused) {
                const auto address = parse_address("tcp:" + rest);
                ASSERT_FALSE(address) << rest;
                EXPECT_TRUE(address.error().starts_with(
                        "tcp:" + rest + " is not accepted; accepted: the path of a socket, or "))
                        << address.error();
        }
}

TEST(WhereNoGovernorIs, TheUserIsToldHowToStartOne) {
        const std::string own =
                ", or start your own by `governord --socket PATH &` and name it with --socket";
        EXPECT_EQ(how_to_find_a_governor(kHostSocket, true),
                  "see `systemctl status governord.socket`" + own);
        EXPECT_EQ(how_to_find_a_governor(kHostSocket, false),
                  "start one by `governord &` as root" + own);
        EXPECT_EQ(how_to_find_a_governor("/tmp/s", true),
                  "start one there by `governord --socket`, or name another with --socket");
        EXPECT_EQ(how_to_find_a_governor("tcp:[::1]:7", true),
                  "start governord with --tcp there, or name another with --socket");
}

}  // namespace
}  // namespace ctl
