// SPDX-License-Identifier: MIT
// However many processes a user has, the daemon looks at them for a part of its time.
#include "lease_fixture.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace {

using namespace test_support;
using namespace std::chrono_literals;

/// Wakes twenty times a second. It shares the test's memory, errno included, and must not touch it.
int wake_again_and_again(void*) {
        static constexpr timespec kPause{0, 50'000'000};
        ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
                ::syscall(SYS_nanosleep, &kPause, nullptr);
}

/// Processes that share this one's memory: thousands of them are cheap.
class Crowd {
public:
        explicit Crowd(std::size_t size) : memory_size_(size * kStack) {
                memory_ = ::mmap(nullptr, memory_size_, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                for (std::size_t i = 0; i < size; i++) {
                        auto* end = static_cast<char*>(memory_) + (i + 1) * kStack;
                        const auto pid =
                                ::clone(wake_again_and_again, end, CLONE_VM | SIGCHLD, nullptr);
                        if (pid > 0)
                                pids_.push_back(pid);
                }
        }
        ~Crowd() {
                for (const auto pid : pids_)
                        ::kill(pid, SIGKILL);
                for (const auto pid : pids_)
                        ::waitpid(pid, nullptr, 0);
                ::munmap(memory_, memory_size_);
        }
        Crowd(const Crowd&) = delete;
        Crowd& operator=(const Crowd&) = delete;

        [[nodiscard]] std::size_t size() const { return pids_.size(); }

private:
        static constexpr std::size_t kStack = 16 * 1024;

        std::size_t memory_size_;
        void* memory_;
        std::vector<pid_t> pids_;
};

class ManyProcesses : public LeaseTest {
protected:
        /// CPU time of the daemon.
        [[nodiscard]] std::chrono::nanoseconds used() {
                clockid_t clock{};
                timespec time{};
                EXPECT_EQ(::clock_getcpuclockid(daemon_.process().pid(), &clock), 0);
                EXPECT_EQ(::clock_gettime(clock, &time), 0);
                return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
        }
        /// The CPU time that the daemon takes for a sample, on average over so many.
        [[nodiscard]] std::chrono::duration<double, std::milli>
        time_of_a_sample(std::uint64_t count) {
                const auto samples = [&] { return status(daemon_.socket()).samples(); };
                const auto first = samples();
                const auto before = used();
                EXPECT_TRUE(eventually([&] { return samples() >= first + count; }));
                return std::chrono::duration<double, std::milli>(used() - before) /
                       static_cast<double>(samples() - first);
        }
};

TEST_F(ManyProcesses, TakeAPartOfTheDaemonsTime) {
        constexpr std::size_t kMany = 4000;
        daemon_.configure(kFair + "period = 50ms\n");
        daemon_.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).period_ms() == 50; }));
        LeaseClient client(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_tree(true);
        ASSERT_NE(client.hello(hello), nullptr);
        const Crowd crowd(kMany);
        if (crowd.size() < kMany)
                GTEST_SKIP() << "the kernel allows " << crowd.size() << " processes only";
        EXPECT_TRUE(eventually([&] {
                const auto found = lease(own_pid());
                return found && found->processes() >= kMany;
        })) << "a look ends all the same";
        EXPECT_LT(time_of_a_sample(40), 15ms) << "a look takes 5 ms at most";
}

}  // namespace
