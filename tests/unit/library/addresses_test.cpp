// SPDX-License-Identifier: MIT
// The addresses at which the library looks for a governor.
#include "address.hpp"

#include "support/tcp_texts.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace threadcount {
namespace {

std::vector<std::string> paths(const Addresses& addresses) {
        std::vector<std::string> out;
        for (const auto& address : addresses) {
                EXPECT_EQ(address.local.sun_family, AF_UNIX);
                EXPECT_EQ(address.length, sizeof(sockaddr_un));
                out.emplace_back(address.local.sun_path);
        }
        return out;
}

using Paths = std::vector<std::string>;

TEST(GovernorAddress, IsTheSystemsThenTheUsers) {
        const Addresses addresses(nullptr, "/run/user/1000");
        EXPECT_EQ(addresses.error(), 0);
        EXPECT_EQ(paths(addresses), (Paths{"/run/governord/governord.sock",
                                           "/run/user/1000/governord/governord.sock"}));
}

TEST(GovernorAddress, IsOnlyTheSystemsWithoutAnAbsoluteRuntimeDirectory) {
        for (const auto* directory : {static_cast<const char*>(nullptr), "", "relative/run"})
                EXPECT_EQ(paths(Addresses(nullptr, directory)),
                          (Paths{"/run/governord/governord.sock"}));
        EXPECT_EQ(paths(Addresses(nullptr, ("/" + std::string(200, 'x')).c_str())).size(), 1U);
}

TEST(GovernorAddress, IsOnlyTheOneThatIsSet) {
        const Addresses addresses("/somewhere/else.sock", "/run/user/1000");
        EXPECT_EQ(addresses.error(), 0);
        EXPECT_EQ(paths(addresses), (Paths{"/somewhere/else.sock"}));
}

TEST(GovernorAddress, FitsIntoASocketAddressOrIsRefused) {
        const std::string longest(sizeof(sockaddr_un::sun_path) - 1, 'p');
        EXPECT_EQ(paths(Addresses(longest.c_str(), nullptr)), (Paths{longest}));
        const Addresses too_long((longest + "p").c_str(), nullptr);
        EXPECT_EQ(too_long.error(), -ENAMETOOLONG);
        EXPECT_EQ(too_long.begin(), too_long.end());
}

TEST(GovernorAddress, IsNotEmpty) {
        const Addresses addresses("", "/run/user/1000");
        EXPECT_EQ(addresses.error(), -EINVAL);
        EXPECT_EQ(addresses.begin(), addresses.end());
}

TEST(GovernorAddress, IsOneTcpPort) {
        const Addresses addresses("tcp:192.0.2.1:7777", "/run/user/1000");
        EXPECT_EQ(addresses.error(), 0);
        EXPECT_STREQ(addresses.refused(), "");
        ASSERT_EQ(addresses.end() - addresses.begin(), 1);
        const auto& address = *addresses.begin();
        EXPECT_EQ(address.v4.sin_family, AF_INET);
        EXPECT_EQ(ntohs(address.v4.sin_port), 7777);
        EXPECT_EQ(ntohl(address.v4.sin_addr.s_addr), 0xc0000201U);
        EXPECT_EQ(address.length, sizeof(sockaddr_in));
}

TEST(GovernorAddress, OfIpv6StandsInBrackets) {
        const Addresses addresses("tcp:[2001:db8::1]:1", nullptr);
        ASSERT_EQ(addresses.end() - addresses.begin(), 1);
        const auto& address = *addresses.begin();
        EXPECT_EQ(address.v6.sin6_family, AF_INET6);
        EXPECT_EQ(ntohs(address.v6.sin6_port), 1);
        EXPECT_EQ(address.v6.sin6_addr.s6_addr[1], 1);
        EXPECT_EQ(address.v6.sin6_addr.s6_addr[15], 1);
        EXPECT_EQ(address.v6.sin6_scope_id, 0U);
        EXPECT_EQ(address.length, sizeof(sockaddr_in6));
}

TEST(GovernorAddress, IsNotResolvedFromANameExceptLocalhost) {
        const Addresses local("tcp:localhost:65535", nullptr);
        ASSERT_EQ(local.end() - local.begin(), 1);
        EXPECT_EQ(local.begin()->v4.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
        EXPECT_EQ(Addresses("tcp:ip6-localhost:7777", nullptr).error(), -EINVAL);
        EXPECT_EQ(Addresses("tcp:LOCALHOST:7777", nullptr).error(), -EINVAL);
        EXPECT_EQ(Addresses("tcp:governor.example.org:7777", nullptr).error(), -EINVAL);
}

TEST(GovernorAddress, OfTcpIsWhatGovernorctlTakesToo) {
        for (const std::string rest : test_support::kTcpAccepted)
                EXPECT_EQ(Addresses(("tcp:" + rest).c_str(), nullptr).error(), 0) << rest;
}

TEST(GovernorAddress, OfTcpIsRefusedUnlessItIsWhole) {
        for (const std::string rest : test_support::kTcpRefused) {
                const auto text = "tcp:" + rest;
                const Addresses addresses(text.c_str(), "/run/user/1000");
                EXPECT_EQ(addresses.error(), -EINVAL) << text;
                EXPECT_EQ(addresses.begin(), addresses.end()) << text;
                EXPECT_EQ(addresses.refused(), text.substr(0, 47));
        }
}

TEST(GovernorAddress, ReadsBackAsItIsDescribed) {
        const std::string longest(sizeof(sockaddr_un::sun_path) - 1, 'p');
        for (const std::string text :
             {"/run/governord.sock", "tcp:127.0.0.1:1", "tcp:255.255.255.255:65535", "tcp:[::]:80",
              "tcp:[2001:db8:1111:2222:3333:4444:5555:6666]:65535", longest.c_str()}) {
                const Addresses addresses(text.c_str(), nullptr);
                ASSERT_EQ(addresses.error(), 0) << text;
                char described[kAddressText];
                describe(*addresses.begin(), described);
                EXPECT_EQ(described, text);
        }
        char described[kAddressText];
        describe(*Addresses("tcp:localhost:80", nullptr).begin(), described);
        EXPECT_STREQ(described, "tcp:127.0.0.1:80");
}

}  // namespace
}  // namespace threadcount
