// SPDX-License-Identifier: MIT
// Places that a socket cannot be bound to, and what is said of them.
#include "server/connections/listener.hpp"
#include "support/as_user.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace governor::server {
namespace {

using test_support::AsUser;
using test_support::TemporaryDirectory;

class ListeningOnAPath : public testing::Test {
protected:
        ListeningOnAPath() { ::chmod(directory_.path().c_str(), 0777); }
        [[nodiscard]] std::string refusal() const {
                const auto listener = listen_unix(path_);
                return listener ? "" : listener.error();
        }

        TemporaryDirectory directory_;
        std::string path_ = directory_.path("socket");
};

TEST_F(ListeningOnAPath, NamesTheUserThatHasUsedItBefore) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root";
        const auto lock = directory_.write("socket.lock", "");
        ASSERT_EQ(::chmod(lock.c_str(), 0600), 0);
        ASSERT_EQ(::chown(lock.c_str(), 3100, 3100), 0);
        const AsUser user(3101);
        EXPECT_EQ(refusal(), "socket " + path_ +
                                     ": a governor of user 3100 runs or ran there; give another "
                                     "--socket, or remove " +
                                     lock +
                                     " once user 3100 runs none; cannot open that file: "
                                     "Permission denied");
}

TEST_F(ListeningOnAPath, SaysWhereItMayNotWrite) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root";
        ::chmod(directory_.path().c_str(), 0755);
        const AsUser user(3101);
        EXPECT_EQ(refusal(), "socket " + path_ +
                                     ": give another --socket; cannot make the lock file beside "
                                     "it: Permission denied");
}

}  // namespace
}  // namespace governor::server
