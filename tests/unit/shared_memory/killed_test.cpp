// SPDX-License-Identifier: MIT
// A governor that dies at work leaves a whole grant behind.
#include "arena.hpp"
#include "server/sharing/arena.hpp"
#include "shared_memory/patterns.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace shared_memory_test {
namespace {

using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

/// Publishes until it is killed.
[[noreturn]] void publish_for_ever(Daemon& daemon, const Patterns& patterns) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (std::uint32_t i = 0;; i++)
                daemon.publish(0, patterns.of(i));
}

TEST(KilledGovernorTest, LeavesAWholeGrant) {
        constexpr std::uint32_t kCpus = 4096;
        const Patterns patterns(1, kCpus);
        Daemon daemon(1, kCpus);
        daemon.publish(0, patterns.of(0));
        Program program;
        ASSERT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 0), 0);
        std::minstd_rand random(5);
        std::uint32_t before = 1;
        for (int i = 0; i < 400; i++) {
                const auto writer = ::fork();
                ASSERT_GE(writer, 0);
                if (writer == 0)
                        publish_for_ever(daemon, patterns);
                while (governor_word_epoch(program.load()) == before)
                        std::this_thread::yield();  // it is at work
                std::this_thread::sleep_for(std::chrono::microseconds{random() % 1'000});
                ASSERT_EQ(::kill(writer, SIGKILL), 0);
                ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
                std::vector<std::uint64_t> set(kCpus / 64);
                std::uint64_t word = 0;
                governor_grant_reason reason{};
                ASSERT_EQ(program.read_set(set.data(), set.size(), &word, &reason), 64);
                ASSERT_TRUE(patterns.contain(word, reason, set));
                ASSERT_GT(governor_word_epoch(word), before);
                before = governor_word_epoch(word);
        }
}

}  // namespace
}  // namespace shared_memory_test
