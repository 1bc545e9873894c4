// SPDX-License-Identifier: MIT
// The connections and processes with which a lease ends.
#include "server/sharing/leases.hpp"

#include "support/ended_peer.hpp"

#include <chrono>
#include <csignal>
#include <ctime>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace governor::server {
namespace {

/// A child that sleeps until it is killed.
class Sleeper {
public:
        Sleeper() : pid_(::fork()) {
                while (pid_ == 0)
                        ::pause();
        }
        ~Sleeper() { end(); }
        Sleeper(const Sleeper&) = delete;
        Sleeper& operator=(const Sleeper&) = delete;

        [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
        [[nodiscard]] Process process() const {
                return {pid(), UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)))};
        }
        void end() {
                if (pid_ <= 0)
                        return;
                ::kill(pid_, SIGKILL);
                ::waitpid(pid_, nullptr, 0);
                pid_ = -1;
        }

private:
        pid_t pid_;
};

class LeasesTest : public testing::Test {
protected:
        /// With the first connection.
        Lease& add(std::uint64_t id, const Sleeper& program, int connection) {
                return leases_.add({ProgramId{id}, {1000U}, program.pid()}, program.process(),
                                   connection);
        }
        /// Once per test: an event loop that was left is over.
        void run_until_one_ends() {
                const auto give_up =
                        loop_.on_time(std::chrono::steady_clock::now() + std::chrono::seconds{20},
                                      [this] { loop_.exit(1); });
                leave_at_end_ = true;
                EXPECT_EQ(loop_.run(), 0) << "nothing ended";
        }

        EventLoop loop_;
        bool leave_at_end_ = false;
        std::vector<std::uint64_t> ended_;
        Leases leases_{loop_, [this](const Lease& lease) {
                               ended_.push_back(static_cast<std::uint64_t>(lease.id));
                               EXPECT_NE(leases_.find(lease.id), nullptr) << "still there";
                               if (leave_at_end_)
                                       loop_.exit(0);
                       }};
};

TEST_F(LeasesTest, KnowWhichConnectionsWait) {
        const Sleeper program;
        auto& lease = add(7, program, 70);
        leases_.share(lease, 71);
        leases_.share(lease, 72);
        leases_.let_wait(71);
        leases_.let_wait(72);
        leases_.let_wait(72);
        leases_.leave(72);
        std::vector<int> waiting;
        leases_.for_each_waiting(lease, [&](int connection) { waiting.push_back(connection); });
        EXPECT_EQ(waiting, std::vector<int>{71});
}

TEST_F(LeasesTest, AreFoundByConnectionProcessAndClient) {
        const Sleeper program;
        auto& lease = add(7, program, 70);
        EXPECT_EQ(leases_.of_connection(70), &lease);
        EXPECT_EQ(leases_.of_process(program.pid()), &lease);
        EXPECT_EQ(leases_.find(ProgramId{7}), &lease);
        EXPECT_EQ(leases_.of_connection(71), nullptr);
        EXPECT_EQ(leases_.of_process(program.pid() + 1), nullptr);
        EXPECT_EQ(leases_.find(ProgramId{8}), nullptr);
        EXPECT_EQ(leases_.size(), 1U);
}

TEST_F(LeasesTest, EndWithTheLastConnection) {
        const Sleeper program;
        auto& lease = add(7, program, 70);
        leases_.share(lease, 71);
        leases_.share(lease, 71);  // a second hello
        leases_.leave(70);
        EXPECT_TRUE(ended_.empty());
        EXPECT_EQ(leases_.of_connection(70), nullptr);
        EXPECT_EQ(leases_.of_connection(71), &lease);
        leases_.leave(70);  // not its any more
        EXPECT_TRUE(ended_.empty());
        leases_.leave(71);
        EXPECT_EQ(ended_, std::vector<std::uint64_t>{7});
        EXPECT_EQ(leases_.size(), 0U);
        EXPECT_EQ(leases_.of_process(program.pid()), nullptr);
}

TEST_F(LeasesTest, EndWithTheirProcessWhoeverKeepsTheConnection) {
        Sleeper program;
        const Sleeper other;
        add(7, program, 70);
        add(8, other, 80);
        program.end();
        run_until_one_ends();
        EXPECT_EQ(ended_, std::vector<std::uint64_t>{7});
        EXPECT_EQ(leases_.of_connection(70), nullptr);
        EXPECT_NE(leases_.of_connection(80), nullptr);
        leases_.leave(70);  // the connection goes later
        EXPECT_EQ(ended_.size(), 1U);
}

TEST_F(LeasesTest, AreNotTheNextProcesssOfTheSameNumber) {
        Sleeper program;
        add(7, program, 70);
        const auto pid = program.pid();
        program.end();
        // The loop has not run yet: nobody has told that it has ended.
        EXPECT_EQ(leases_.of_process(pid), nullptr);
        EXPECT_EQ(ended_, std::vector<std::uint64_t>{7});
        const Sleeper next;
        leases_.add({ProgramId{8}, {1000U}, pid}, next.process(), 70);
        ASSERT_NE(leases_.of_process(pid), nullptr);
        EXPECT_EQ(leases_.of_process(pid)->id, ProgramId{8});
        EXPECT_EQ(leases_.of_connection(70)->id, ProgramId{8});
}

/// A signal every 50 us for as long as this lives, with a handler, so that system calls that it
/// comes into fail with EINTR.
class Interruptions {
public:
        Interruptions() {
                struct sigaction action {};
                action.sa_handler = [](int) { seen = seen + 1; };
                seen = 0;
                ::sigaction(SIGALRM, &action, &before_);
                set_interval(50);
        }
        ~Interruptions() {
                set_interval(0);
                ::sigaction(SIGALRM, &before_, nullptr);
        }
        Interruptions(const Interruptions&) = delete;
        Interruptions& operator=(const Interruptions&) = delete;

        static inline volatile std::sig_atomic_t seen = 0;

private:
        static void set_interval(suseconds_t us) {
                const itimerval timer{{0, us}, {0, us}};
                ::setitimer(ITIMER_REAL, &timer, nullptr);
        }

        struct sigaction before_ {};
};

TEST_F(LeasesTest, DoNotEndWhereASignalInterruptsTheLookAtTheirProcess) {
        const Sleeper program;
        add(7, program, 70);
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{2};
        const Interruptions interruptions;
        while (Interruptions::seen < 2000 && std::chrono::steady_clock::now() < give_up)
                ASSERT_NE(leases_.of_process(program.pid()), nullptr)
                        << "after " << Interruptions::seen << " signals";
}

TEST_F(LeasesTest, MayBeEndedUnderTheirConnections) {
        const Sleeper program;
        auto& lease = add(7, program, 70);
        leases_.share(lease, 71);
        leases_.end(ProgramId{7});
        EXPECT_EQ(ended_, std::vector<std::uint64_t>{7});
        EXPECT_EQ(leases_.of_connection(70), nullptr);
        EXPECT_EQ(leases_.of_connection(71), nullptr);
        add(8, program, 72);
        leases_.leave(70);  // they go later
        leases_.leave(71);
        EXPECT_EQ(leases_.of_process(program.pid())->id, ProgramId{8});
}

TEST_F(LeasesTest, EndAllAtOnce) {
        const Sleeper one;
        const Sleeper other;
        add(7, one, 70);
        add(8, other, 80);
        leases_.end_all();
        EXPECT_EQ(ended_, (std::vector<std::uint64_t>{7, 8}));
        EXPECT_EQ(leases_.size(), 0U);
        leases_.end_all();
        EXPECT_EQ(ended_.size(), 2U);
}

TEST(OpenProcess, KnowsWhoConnected) {
        int ends[2] = {-1, -1};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        const UniqueFd ours(ends[0]);
        const UniqueFd theirs(ends[1]);
        const auto self = static_cast<std::uint32_t>(::getpid());
        const auto process = open_process({ours.get(), {1000U}, self});
        ASSERT_TRUE(process);
        EXPECT_EQ(process->pid, self);
        EXPECT_TRUE(process->fd);
        const auto nobody = open_process({ours.get(), {1000U}, 0});
        ASSERT_FALSE(nobody);
        EXPECT_EQ(nobody.error().value(), ESRCH);
}

std::chrono::nanoseconds since_boot() {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

TEST(OpenProcess, ByItsNumberIsWhoeverHadItWhenTheConnectionWasLetIn) {
        Sleeper program;
        const Peer peer{-1, {1000U}, program.pid(), since_boot()};
        const auto process = open_process_by_number(peer);
        ASSERT_TRUE(process);
        EXPECT_EQ(process->pid, program.pid());
        program.end();
        EXPECT_FALSE(open_process_by_number(peer));
        // The start of a process is counted in ticks.
        const auto tick =
                std::chrono::nanoseconds{std::chrono::seconds{1}} / ::sysconf(_SC_CLK_TCK);
        while (since_boot() < peer.arrived + 2 * tick)
                ::usleep(1000);
        const Sleeper next;
        const auto other = open_process_by_number({-1, {1000U}, next.pid(), peer.arrived});
        ASSERT_FALSE(other) << "as if it had the number of the first";
        EXPECT_EQ(other.error().value(), ESRCH);
        EXPECT_TRUE(open_process_by_number({-1, {1000U}, next.pid(), since_boot()}));
}

TEST(OpenProcess, IsNobodyWhereWhoConnectedHasEnded) {
        const test_support::EndedPeer ended;
        const auto gone = open_process(
                {ended.connection(), {1000U}, static_cast<std::uint32_t>(ended.pid())});
        ASSERT_FALSE(gone);
        EXPECT_EQ(gone.error().value(), ESRCH);
        // Nor is it whoever has the number now.
        const Sleeper other;
        EXPECT_FALSE(open_process({ended.connection(), {1000U}, other.pid()}));
}

}  // namespace
}  // namespace governor::server
