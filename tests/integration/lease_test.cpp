// SPDX-License-Identifier: MIT
// Programs that hold leases of a daemon on the real machine: what they are granted, how a lease
// ends. Nothing here depends on how many CPUs there are, or on what else runs on them.
#include "lease_fixture.hpp"
#include "support/as_user.hpp"
#include "support/tcp_port.hpp"

#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace {

using namespace test_support;
using governor::v1::Error;

ino_t inode(int fd) {
        struct stat status {};
        EXPECT_EQ(::fstat(fd, &status), 0);
        return status.st_ino;
}

TEST_F(LeaseTest, BeginsWithAGrant) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr) << client.last().error().message();
        EXPECT_TRUE(eventually([&] { return client.memory().threads() >= 1; }));
        EXPECT_FALSE(client.memory().is_released());
        EXPECT_TRUE(has_everything(own_pid()));
        EXPECT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
}

TEST_F(LeaseTest, OfTwoProgramsIsOverCpusOfTheirOwnWhereThereAreEnough) {
        const auto first = holder();
        ASSERT_TRUE(has_everything(first->pid()));
        const auto second = holder();
        EXPECT_TRUE(eventually([&] {
                const auto one = lease(first->pid());
                const auto other = lease(second->pid());
                if (!one || !other || one->granted() < 1 || other->granted() < 1)
                        return false;
                auto cpus = cpus_of(one->cpus());
                const auto others = cpus_of(other->cpus());
                const auto sum = cpus.size() + others.size();
                cpus.insert(others.begin(), others.end());
                return everything() == 1 ||
                       (one->granted() + other->granted() <= everything() && cpus.size() == sum &&
                        !one->shared() && !other->shared());
        }));
}

/// A set-user-ID program does so if its starter keeps a connection.
TEST_F(LeaseTest, OfAProcessThatRunsAsAnotherUserByNowIsNotTheFirstUsers) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be several users";
        std::unique_ptr<LeaseClient> before;
        {
                const AsUser starter(3100);
                before = std::make_unique<LeaseClient>(daemon_.socket());
        }
        ASSERT_NE(before->hello(), nullptr) << before->last().error().message();
        EXPECT_EQ(lease(own_pid())->uid(), 3100U);
        LeaseClient now(daemon_.socket());
        ASSERT_NE(now.hello(), nullptr) << now.last().error().message();
        EXPECT_TRUE(becomes(1));
        EXPECT_EQ(lease(own_pid())->uid(), 0U);
        EXPECT_TRUE(before->memory().is_released());
        EXPECT_NE(inode(before->memory().reports_fd()), inode(now.memory().reports_fd()));

        governor::v1::Request order;
        order.mutable_set()->set_pid(own_pid());
        order.mutable_set()->set_max(1);
        EXPECT_EQ(before->wire().call(order)->error().code(), Error::NO_LEASE);
        EXPECT_EQ(before->update(1)->error().code(), Error::NO_LEASE);
        EXPECT_EQ(before->bye()->error().code(), Error::NO_LEASE);
        EXPECT_EQ(before->hello(), nullptr);
        EXPECT_EQ(before->last().error().code(), Error::NOT_KNOWN);
        EXPECT_FALSE(now.memory().is_released());
        EXPECT_EQ(lease(own_pid())->max(), 0U);
}

TEST_F(LeaseTest, OfAProgramThatIsKilledGoesToTheOther) {
        const auto first = holder();
        const auto second = holder();
        first->kill();
        EXPECT_TRUE(becomes(1));
        EXPECT_TRUE(has_everything(second->pid()));
}

TEST_F(LeaseTest, EndsWithItsConnection) {
        {
                LeaseClient client(daemon_.socket());
                ASSERT_NE(client.hello(), nullptr);
                EXPECT_EQ(count(), 1U);
        }
        EXPECT_TRUE(becomes(0));
}

TEST_F(LeaseTest, EndsWithByeAndTheConnectionStays) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        EXPECT_TRUE(client.bye()->has_done());
        EXPECT_EQ(count(), 0U);
        EXPECT_TRUE(client.memory().is_released());
        EXPECT_EQ(client.bye()->error().code(), Error::NO_LEASE);
        EXPECT_EQ(client.update(1)->error().code(), Error::NO_LEASE);
        EXPECT_NE(client.hello(), nullptr);
        EXPECT_EQ(count(), 1U);
}

TEST_F(LeaseTest, EndsWithItsProcessAlthoughAChildKeepsTheSocket) {
        int ready[2];
        ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
        ForkedProgram program([&] {
                LeaseClient client(daemon_.socket());
                if (client.hello() == nullptr)
                        ::_exit(1);
                const pid_t child = ::fork();
                if (child == 0) {
                        ::sleep(300);
                        ::_exit(0);
                }
                (void)!::write(ready[1], &child, sizeof(child));
                for (;;)
                        ::pause();
        });
        pid_t child = -1;
        ASSERT_EQ(::read(ready[0], &child, sizeof(child)), ssize_t{sizeof(child)});
        ASSERT_TRUE(becomes(1));
        program.kill();
        EXPECT_TRUE(becomes(0));
        EXPECT_EQ(::kill(child, SIGKILL), 0) << "the child went first";
        ::close(ready[0]);
        ::close(ready[1]);
}

TEST_F(LeaseTest, IsOneForAProcessHoweverOftenItConnects) {
        auto first = std::make_unique<LeaseClient>(daemon_.socket());
        auto second = std::make_unique<LeaseClient>(daemon_.socket());
        ASSERT_NE(first->hello(), nullptr);
        ASSERT_NE(second->hello(), nullptr);
        EXPECT_EQ(count(), 1U);
        EXPECT_EQ(first->memory().slot(), second->memory().slot());
        EXPECT_EQ(inode(first->memory().grants_fd()), inode(second->memory().grants_fd()));
        first.reset();
        EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).connections() == 2; }));
        EXPECT_EQ(count(), 1U);
        EXPECT_FALSE(second->memory().is_released());
        second.reset();
        EXPECT_TRUE(becomes(0));
}

std::size_t open_descriptors() {
        const std::filesystem::directory_iterator descriptors("/proc/self/fd");
        return static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors)));
}

TEST_F(LeaseTest, IsOneForAProcessHoweverOftenItLoadsTheLibrary) {
        ::setenv("THREADCOUNT_SOCKET", daemon_.socket().c_str(), 1);
        std::size_t first = 0;
        for (int time = 0; time < 3; time++) {
                void* library = ::dlopen(THREADCOUNT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
                ASSERT_NE(library, nullptr) << ::dlerror();
                const auto open = reinterpret_cast<decltype(&threadcount_open_default)>(
                        ::dlsym(library, "threadcount_open_default"));
                ASSERT_NE(open, nullptr);
                EXPECT_EQ(open(nullptr, nullptr), 0);
                EXPECT_TRUE(becomes(1));
                EXPECT_EQ(::dlclose(library), 0);
                first = time == 0 ? open_descriptors() : first;
        }
        ::unsetenv("THREADCOUNT_SOCKET");
        EXPECT_EQ(open_descriptors(), first);
}

TEST_F(LeaseTest, IsTheSameForASecondHello) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        const auto slot = client.memory().slot();
        ASSERT_NE(client.hello(), nullptr);
        EXPECT_EQ(client.memory().slot(), slot);
        EXPECT_EQ(count(), 1U);
        EXPECT_TRUE(client.bye()->has_done());
        EXPECT_EQ(count(), 0U);
}

TEST_F(LeaseTest, ShrinksToANewMaximumAtOnce) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        ASSERT_TRUE(has_everything(own_pid()));
        EXPECT_TRUE(client.update(1)->has_done());
        EXPECT_TRUE(eventually([&] { return client.memory().threads() == 1; }));
        EXPECT_EQ(lease(own_pid())->max(), 1U);
}

TEST_F(LeaseTest, OfAProgramThatOnlyStartsStaysSoAfterAnUpdate) {
        LeaseClient client(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_start_only(true);
        hello.mutable_wishes()->set_max(1);
        ASSERT_NE(client.hello(hello), nullptr);
        ASSERT_TRUE(eventually([&] { return client.memory().threads() == 1; }));
        EXPECT_TRUE(client.update(0)->has_done());
        EXPECT_EQ(lease(own_pid())->max(), 1U) << "its first grant";
}

TEST_F(LeaseTest, IsReleasedWhenTheDaemonStops) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        ASSERT_TRUE(eventually([&] { return client.memory().threads() >= 1; }));
        const auto threads = client.memory().threads();
        daemon_.process().signal(SIGTERM);
        ASSERT_EQ(daemon_.process().wait(), 0);
        EXPECT_TRUE(client.memory().is_released());
        EXPECT_EQ(client.memory().threads(), threads) << "its last grant";
}

TEST_F(LeaseTest, EndsWhenThePolicyKnowsNone) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        daemon_.configure("[governor]\npolicy = threshold\n");
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(becomes(0));
        EXPECT_TRUE(client.memory().is_released());
        EXPECT_EQ(client.hello(), nullptr);
        EXPECT_EQ(client.last().error().code(), Error::NOT_GOVERNING);
}

TEST_F(LeaseTest, OfAnIgnoredProgramIsItsOwnMaximum) {
        const auto ignoring = kFair + "[program others]\nlabel = free\nignore = yes\n";
        LeaseClient client(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_label("free");
        ASSERT_NE(client.hello(hello), nullptr);
        ASSERT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
        daemon_.configure(ignoring);
        daemon_.process().signal(SIGHUP);
        const auto is_free = [&] { return client.memory().threads() == GOVERNOR_WORD_THREADS_MAX; };
        EXPECT_TRUE(eventually(is_free)) << "ignored from now on";
        ASSERT_TRUE(client.bye()->has_done());
        ASSERT_NE(client.hello(hello), nullptr);
        EXPECT_TRUE(eventually(is_free)) << "ignored from its beginning";
        daemon_.configure(kFair);
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
}

TEST_F(LeaseTest, FollowsARuleOfItsExecutableThatCameAfterIt) {
        const auto self = std::filesystem::read_symlink("/proc/self/exe").filename().string();
        const auto ignoring = kFair + "[program it]\nexecutable = " + self + "\nignore = yes\n";
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        ASSERT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
        daemon_.configure(ignoring);
        daemon_.process().signal(SIGHUP);
        const auto is_free = [&] { return client.memory().threads() == GOVERNOR_WORD_THREADS_MAX; };
        EXPECT_TRUE(eventually(is_free)) << "nobody had asked what it runs when it came";
        ASSERT_TRUE(client.bye()->has_done());
        ASSERT_NE(client.hello(), nullptr);
        EXPECT_TRUE(eventually(is_free)) << "asked at its beginning";
}

TEST_F(LeaseTest, IsTheOwnMaximumWhileTheDaemonOnlyObserves) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        ASSERT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
        daemon_.configure(kFair + "mode = observe\n");
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(
                eventually([&] { return client.memory().threads() == GOVERNOR_WORD_THREADS_MAX; }));
        EXPECT_LE(lease(own_pid())->granted(), everything()) << "as it would be";
        daemon_.configure(kFair);
        daemon_.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return client.memory().threads() == everything(); }));
}

TEST_F(LeaseTest, IsNotGivenOutOverTheNetwork) {
        const auto port = std::make_unique<TcpPort>()->number();
        daemon_.configure(kFair + "tcp = " + std::to_string(port) + "\n");
        daemon_.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return can_connect(port); }));
        WireClient far(port);
        governor::v1::Request request;
        request.mutable_hello();
        const auto reply = far.call(request);
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->error().code(), Error::NOT_PERMITTED);
        EXPECT_EQ(count(), 0U);
}

TEST_F(LeaseTest, OfAWrongHelloIsNone) {
        LeaseClient client(daemon_.socket());
        governor::v1::Hello hello;
        hello.mutable_wishes()->set_weight(10'001);
        EXPECT_EQ(client.hello(hello), nullptr);
        EXPECT_EQ(client.last().error().code(), Error::OUT_OF_RANGE);
        EXPECT_EQ(client.last().error().accepted(), "0 .. 10000");
        EXPECT_EQ(count(), 0U);
}

TEST_F(LeaseTest, HasGrantsThatNobodyButTheDaemonWrites) {
        LeaseClient client(daemon_.socket());
        ASSERT_NE(client.hello(), nullptr);
        const auto& memory = client.memory();
        const int fd = memory.grants_fd();
        const auto size = memory.header().size;
        const auto path = "/proc/self/fd/" + std::to_string(fd);
        const auto refuses_to_map = [&](int descriptor) {
                void* start =
                        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
                return start == MAP_FAILED && errno == EPERM;
        };
        EXPECT_TRUE(refuses_to_map(fd));
        void* read_only = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
        ASSERT_NE(read_only, MAP_FAILED);
        EXPECT_LT(::mprotect(read_only, size, PROT_READ | PROT_WRITE), 0);
        ::munmap(read_only, size);
        EXPECT_LT(::pwrite(fd, "x", 1, 0), 0);
        EXPECT_LT(::ftruncate(fd, 0), 0);
        EXPECT_LT(::ftruncate(fd, static_cast<off_t>(2 * size)), 0);
        EXPECT_LT(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
        if (const int again = ::open(path.c_str(), O_RDWR | O_CLOEXEC); again >= 0) {
                EXPECT_TRUE(refuses_to_map(again));
                EXPECT_LT(::pwrite(again, "x", 1, 0), 0);
                ::close(again);
        }
        EXPECT_LT(::ftruncate(memory.reports_fd(), 0), 0);
}

TEST_F(LeaseTest, LiesInTheReportsHurtNobodyElse) {
        daemon_.configure(kFair + "period = 50ms\n");
        daemon_.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).period_ms() == 50; }));
        const auto honest = holder();
        LeaseClient liar(daemon_.socket());
        ASSERT_NE(liar.hello(), nullptr);
        auto* words = reinterpret_cast<std::uint64_t*>(liar.memory().reports());
        const auto n = liar.memory().header().report_size / sizeof(*words);
        std::mt19937_64 random(20261121);
        const auto decisions = status(daemon_.socket()).decisions();
        const bool went_on = eventually([&] {
                for (std::size_t i = 0; i < n; i++)
                        __atomic_store_n(&words[i], random(), __ATOMIC_RELAXED);
                return status(daemon_.socket()).decisions() > decisions + 100;
        });
        EXPECT_TRUE(went_on);
        // Nor does the memory going away.
        EXPECT_EQ(::fallocate(liar.memory().reports_fd(),
                              FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                              static_cast<off_t>(liar.memory().header().report_size)),
                  0);
        const auto client = lease(honest->pid());
        ASSERT_TRUE(client);
        EXPECT_GE(client->granted(), 1U);
        EXPECT_LE(client->granted(), everything());
        EXPECT_TRUE(eventually([&] {
                return leases(daemon_.socket()).size() == 2 &&
                       status(daemon_.socket()).decisions() > decisions + 110;
        }));
}

TEST_F(LeaseTest, ThatComeAndGoTakeNoNewMemory) {
        LeaseClient client(daemon_.socket());
        std::vector<std::unique_ptr<LeaseClient>> kept;  // with their mappings
        std::set<ino_t> arenas;
        for (int i = 0; i < 3'000; i++) {
                auto* memory = client.hello();
                ASSERT_NE(memory, nullptr) << i << ": " << client.last().error().message();
                EXPECT_LT(memory->slot(), 2U);
                arenas.insert(inode(memory->grants_fd()));
                if (i % 100 == 0) {
                        kept.push_back(std::make_unique<LeaseClient>(daemon_.socket()));
                        ASSERT_NE(kept.back()->hello(), nullptr);
                        ASSERT_TRUE(kept.back()->bye()->has_done());
                }
                ASSERT_TRUE(client.bye()->has_done());
        }
        EXPECT_EQ(arenas.size(), 1U);
        EXPECT_EQ(count(), 0U);
}

}  // namespace
