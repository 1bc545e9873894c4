// SPDX-License-Identifier: MIT
// governorctl does not take its own connection for a governor.
#include "ctl/connection.hpp"

#include "support/tcp_port.hpp"

#include <gtest/gtest.h>

namespace ctl {
namespace {

TEST(Connection, IsNotOneToItself) {
        // Neighbours of a port that bind() chooses are chosen by connect(), one after the other:
        // sooner or later it is the very port that it looks for.
        const auto port = test_support::TcpPort().number() ^ 1U;
        const auto address = "tcp:127.0.0.1:" + std::to_string(port);
        for (int i = 0; i < 20'000; i++) {
                const auto connection = Connection::open({address});
                ASSERT_FALSE(connection) << i;
                ASSERT_EQ(connection.error().code, kNotReachable);
                ASSERT_TRUE(connection.error().message.starts_with("no governor at " + address +
                                                                   ": Connection refused; "))
                        << connection.error().message;
        }
}

}  // namespace
}  // namespace ctl
