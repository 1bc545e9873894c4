// SPDX-License-Identifier: MIT
// HOST:PORT as people write it.
#include "config/tcp_address.hpp"

#include <gtest/gtest.h>

namespace governor::config {
namespace {

TEST(TcpAddress, WithoutAHostIsTheLoopback) {
        EXPECT_EQ(parse_tcp_address("7777"), (TcpAddress{"127.0.0.1", 7777}));
        EXPECT_EQ(parse_tcp_address("localhost:7777"), (TcpAddress{"127.0.0.1", 7777}));
}

TEST(TcpAddress, MayBeNumericOfEitherFamily) {
        EXPECT_EQ(parse_tcp_address("0.0.0.0:1"), (TcpAddress{"0.0.0.0", 1}));
        EXPECT_EQ(parse_tcp_address("192.0.2.7:65535"), (TcpAddress{"192.0.2.7", 65535}));
        EXPECT_EQ(parse_tcp_address("[::1]:0"), (TcpAddress{"::1", 0}));
        EXPECT_EQ(parse_tcp_address("[2001:db8::1]:80"), (TcpAddress{"2001:db8::1", 80}));
}

TEST(TcpAddress, IsWrittenAsItIsRead) {
        for (const auto* text : {"127.0.0.1:7777", "[::1]:7777", "0.0.0.0:0"})
                EXPECT_EQ(format_tcp_address(*parse_tcp_address(text)), text);
}

TEST(TcpAddress, IsNeverANameThatWouldHaveToBeLookedUp) {
        EXPECT_FALSE(parse_tcp_address("example.org:80"));
        EXPECT_FALSE(parse_tcp_address("LOCALHOST:80"));
        EXPECT_FALSE(parse_tcp_address("[localhost]:80"));
}

TEST(TcpAddress, RefusesWhatIsNoAddress) {
        for (const auto* text : {"",
                                 ":",
                                 ":80",
                                 "-1",
                                 "65536",
                                 "000080",
                                 "80x",
                                 "0x50",
                                 " 80",
                                 "80 ",
                                 "+80",
                                 "127.0.0.1",
                                 "127.0.0.1:",
                                 "127.0.0.1:65536",
                                 "127.1:80",
                                 "::1:80",
                                 "[::1]",
                                 "[::1]80",
                                 "[]:80",
                                 "[127.0.0.1]:80",
                                 "[::1:80",
                                 "::1]:80",
                                 "127.0.0.1:80:90",
                                 "off"})
                EXPECT_FALSE(parse_tcp_address(text)) << text;
}

}  // namespace
}  // namespace governor::config
