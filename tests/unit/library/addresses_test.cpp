// SPDX-License-Identifier: MIT
// Where the library looks for a governor.
#include "transport.hpp"

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
                EXPECT_EQ(address.sun_family, AF_UNIX);
                out.emplace_back(address.sun_path);
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

TEST(GovernorAddress, IsNotYetOneOfAnotherHost) {
        const Addresses addresses("tcp:localhost:7777", nullptr);
        EXPECT_EQ(addresses.error(), -EOPNOTSUPP);
        EXPECT_EQ(addresses.begin(), addresses.end());
}

}  // namespace
}  // namespace threadcount
