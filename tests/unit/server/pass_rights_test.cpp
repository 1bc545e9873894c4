// SPDX-License-Identifier: MIT
// The connections that refuse descriptors, on kernels that know the option and on others.
#include "server/kernel/pass_rights.hpp"

#include "server/kernel/unique_fd.hpp"

#include <gtest/gtest.h>

namespace governor::server {
namespace {

TEST(RefusesDescriptors, OnlyAConnectionThatWasToldSo) {
        int ends[2] = {-1, -1};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        const UniqueFd one(ends[0]);
        const UniqueFd other(ends[1]);
        EXPECT_FALSE(refuses_descriptors(one.get()));
        constexpr int kNo = 0;
        if (::setsockopt(one.get(), SOL_SOCKET, kPassRights, &kNo, sizeof(kNo)) < 0)
                GTEST_SKIP() << "this kernel cannot refuse descriptors";
        EXPECT_TRUE(refuses_descriptors(one.get()));
        EXPECT_FALSE(refuses_descriptors(other.get()));
}

TEST(RefusesDescriptors, NobodyCanTellOfATcpSocketThatItDoes) {
        const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_FALSE(refuses_descriptors(socket.get()));
}

}  // namespace
}  // namespace governor::server
