// SPDX-License-Identifier: MIT
// A client believes the listeners of some users only. Each client is a fork, which may be another
// user or live in namespaces of its own; it ends with the number of what went wrong.
#include "support/as_user.hpp"
#include "support/temporary_directory.hpp"
#include "transport.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace threadcount {
namespace {

using test_support::AsUser;
using test_support::TemporaryDirectory;

constexpr uid_t kSomebody = 3100;
constexpr uid_t kOther = 3200;
constexpr int kNotPossible = 77;

/// The user that calls listen() owns it, whoever made the file.
class Listener {
public:
        Listener(const std::string& path, uid_t owner)
                : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
                const Addresses addresses(path.c_str(), nullptr);
                const auto& address = *addresses.begin();
                if (bind(fd_, &address.any, address.length) < 0 || chmod(path.c_str(), 0666) < 0)
                        abort();
                const AsUser user(owner);
                if (listen(fd_, 8) < 0)
                        abort();
        }
        ~Listener() { close(fd_); }
        Listener(const Listener&) = delete;
        Listener& operator=(const Listener&) = delete;

        /// True if none of the connected programs has sent anything.
        [[nodiscard]] bool has_received_nothing() const {
                char byte = 0;
                for (int fd = 0; (fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;
                     close(fd))
                        if (recv(fd, &byte, 1, MSG_DONTWAIT) > 0)
                                return false;
                return true;
        }
        void accept_without_waiting() const { fcntl(fd_, F_SETFL, O_NONBLOCK); }

private:
        int fd_;
};

int in_a_child(const std::function<int()>& body) {
        const pid_t child = fork();
        if (child == 0)
                _exit(body());
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0, or the errno of the attempt.
int connect_to(const std::string& path) {
        Transport transport;
        return -transport.connect(Addresses(path.c_str(), nullptr), 0);
}

int connect_as(uid_t user, const std::string& path) {
        return in_a_child([&] { return setresuid(user, user, user) < 0 ? 99 : connect_to(path); });
}

/// A mount namespace whose /run is empty, and root's only. False: not permitted here.
bool has_a_run_of_its_own() {
        return unshare(CLONE_NEWNS) == 0 &&
               mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("none", "/run", "tmpfs", 0, "mode=755") == 0;
}

bool write_to(const char* path, const std::string& text) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        const bool is_written =
                write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
        close(fd);
        return is_written;
}

/// A container of `user`, its root and the only user with a number there.
bool is_in_a_container_of(uid_t user) {
        return setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 &&
               setresuid(user, user, user) == 0 && unshare(CLONE_NEWUSER) == 0 &&
               prctl(PR_SET_DUMPABLE, 1) == 0 &&  // else its files in /proc are root's
               write_to("/proc/self/setgroups", "deny") &&
               write_to("/proc/self/uid_map", "0 " + std::to_string(user) + " 1") &&
               write_to("/proc/self/gid_map", "0 " + std::to_string(user) + " 1") &&
               has_a_run_of_its_own();
}

class ListenerTest : public testing::Test {
protected:
        void SetUp() override {
                if (!AsUser::is_possible())
                        GTEST_SKIP() << "needs root, to be others";
        }
        /// Runs `body` where /run is its own.
        void with_a_run_of_its_own(const std::function<int()>& body) {
                const int result =
                        in_a_child([&] { return has_a_run_of_its_own() ? body() : kNotPossible; });
                if (result == kNotPossible)
                        GTEST_SKIP() << "needs the right to mount";
                EXPECT_EQ(result, 0);
        }

        TemporaryDirectory directory_;
        std::string path_ = directory_.path("socket");
};

TEST_F(ListenerTest, OfRootIsBelievedByEverybody) {
        const Listener listener(path_, 0);
        EXPECT_EQ(connect_as(0, path_), 0);
        EXPECT_EQ(connect_as(kSomebody, path_), 0);
}

TEST_F(ListenerTest, OfTheOwnUserIsBelieved) {
        const Listener listener(path_, kSomebody);
        EXPECT_EQ(connect_as(kSomebody, path_), 0);
}

TEST_F(ListenerTest, OfAnotherUserIsNotBelievedAndToldNothing) {
        const Listener listener(path_, kSomebody);
        listener.accept_without_waiting();
        EXPECT_EQ(connect_as(0, path_), EPERM) << "least of all by root";
        EXPECT_EQ(connect_as(kOther, path_), EPERM);
        EXPECT_TRUE(listener.has_received_nothing());
}

TEST_F(ListenerTest, OfAnotherUserIsNamed) {
        const Listener listener(path_, kSomebody);
        const Addresses addresses(path_.c_str(), nullptr);
        Transport transport;
        EXPECT_EQ(transport.connect(addresses, 0), -EPERM);
        EXPECT_EQ(transport.peer(), addresses.begin());
        EXPECT_EQ(transport.stranger(), kSomebody);
        EXPECT_FALSE(transport.connected());
        EXPECT_EQ(transport.connect(Addresses("/nonexistent/socket", nullptr), 0), -ENOENT);
        EXPECT_EQ(transport.stranger(), Transport::kNobody);
}

TEST_F(ListenerTest, OfAnotherUserCountsAsNobodySoThatTheNextAddressIsTried) {
        with_a_run_of_its_own([&] {
                if (mkdir("/run/governord", 0755) < 0 || mkdir("/run/own", 0755) < 0 ||
                    mkdir("/run/own/governord", 0755) < 0)
                        return 1;
                const Listener strangers("/run/governord/governord.sock", kSomebody);
                const Addresses addresses(nullptr, "/run/own");
                Transport transport;
                if (transport.connect(addresses, 0) != -EPERM ||
                    transport.peer() != addresses.begin() || transport.stranger() != kSomebody)
                        return 2;  // it tells more than that nobody is at the other one
                const Listener own("/run/own/governord/governord.sock", 0);
                if (transport.connect(addresses, 0) != 0 ||
                    transport.peer() != addresses.begin() + 1)
                        return 3;
                return transport.stranger() == Transport::kNobody ? 0 : 4;
        });
}

TEST_F(ListenerTest, OfTheOwnerOfTheSystemsDirectoryIsBelieved) {
        with_a_run_of_its_own([] {
                const std::string path = "/run/governord/socket";
                if (mkdir("/run/governord", 0755) < 0 || chown("/run/governord", kOther, 0) < 0)
                        return 1;
                const Listener listener(path, kOther);
                if (connect_as(0, path) != 0 || connect_as(kSomebody, path) != 0)
                        return 2;
                return chown("/run/governord", 0, 0) == 0 && connect_as(kSomebody, path) == EPERM
                               ? 0
                               : 3;
        });
}

TEST_F(ListenerTest, OfTheOwnerOfADirectoryThatOthersMayHaveMadeOrFilledIsNotBelieved) {
        with_a_run_of_its_own([] {
                const std::string path = "/run/governord/socket";
                if (mkdir("/run/governord", 0755) < 0 || chown("/run/governord", kOther, 0) < 0)
                        return 1;
                const Listener listener(path, kOther);
                const auto is_refused_with = [&](const char* directory, mode_t mode) {
                        const bool is_refused =
                                chmod(directory, mode) == 0 && connect_to(path) == EPERM;
                        return chmod(directory, 0755) == 0 && is_refused;
                };
                if (!is_refused_with("/run", 01777) || !is_refused_with("/run", 0775) ||
                    !is_refused_with("/run/governord", 0775))
                        return 2;
                if (chown("/run", kOther, 0) < 0 || connect_to(path) != EPERM)
                        return 3;
                if (chown("/run", 0, 0) < 0 || connect_to(path) != 0)
                        return 4;
                if (rename("/run/governord", "/run/real") < 0 ||
                    symlink("real", "/run/governord") < 0)
                        return 5;
                return connect_to(path) == EPERM ? 0 : 6;
        });
}

TEST_F(ListenerTest, OfThatOwnerIsNotBelievedAtAnotherPlace) {
        with_a_run_of_its_own([] {
                if (mkdir("/run/governord", 0755) < 0 || mkdir("/run/governord/a", 0755) < 0 ||
                    chown("/run/governord", kOther, 0) < 0)
                        return 1;
                const Listener beside("/run/beside", kOther);
                const Listener below("/run/governord/a/b", kOther);
                if (connect_to("/run/beside") != EPERM)
                        return 2;
                if (connect_to("/run/governord/../beside") != EPERM)
                        return 3;
                return connect_to("/run/governord/a/b") == EPERM ? 0 : 4;
        });
}

TEST_F(ListenerTest, OfTheHostIsBelievedInAContainerIfItsDirectoryIsTheSystems) {
        const Listener hosts(path_, 0);
        const auto elsewhere = directory_.path("elsewhere");
        const Listener anybodys(elsewhere, kOther);
        const int result = in_a_child([&] {
                if (!is_in_a_container_of(kSomebody))
                        return kNotPossible;
                if (mkdir("/run/governord", 0755) < 0 ||
                    mount(directory_.path().c_str(), "/run/governord", nullptr, MS_BIND, nullptr) <
                            0)
                        return 1;
                if (connect_to("/run/governord/socket") != 0)
                        return 2;
                // Root of the host, and all others, have the same number here.
                if (connect_to(path_) != EPERM || connect_to(elsewhere) != EPERM)
                        return 3;
                return 0;
        });
        if (result == kNotPossible)
                GTEST_SKIP() << "needs user namespaces";
        EXPECT_EQ(result, 0);
}

TEST_F(ListenerTest, OfAContainersOwnRootIsBelievedThere) {
        const int result = in_a_child([&] {
                if (!is_in_a_container_of(kSomebody))
                        return kNotPossible;
                const std::string path = "/run/socket";
                const Listener listener(path, 0);
                return connect_to(path);
        });
        if (result == kNotPossible)
                GTEST_SKIP() << "needs user namespaces";
        EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace threadcount
