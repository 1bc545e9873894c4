// SPDX-License-Identifier: MIT
// The CPUs that a tree is held to.
#include "ctl/run/fence.hpp"

#include "ctl/run/steward.hpp"
#include "support/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <governor/v1/reasons.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::run {
namespace {

CpuMask mask(std::initializer_list<unsigned> cpus) {
        CpuMask mask;
        for (const auto cpu : cpus)
                mask.words[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
        return mask;
}

std::uint32_t width(std::uint32_t threads, std::uint32_t share, std::uint32_t limit) {
        Grant grant;
        grant.threads = threads;
        grant.why.share = share;
        grant.why.limit = limit;
        return width_of(grant);
}

TEST(FenceChoice, TakesGrantedCpusFirstAndThenOthersThatAreAllowed) {
        const auto allowed = mask({0, 1, 2, 3, 70});
        EXPECT_EQ(list_of(choose(mask({3}), allowed, 1)), "3");
        EXPECT_EQ(list_of(choose(mask({3}), allowed, 3)), "0,3,70");
        EXPECT_EQ(list_of(choose(mask({70, 2}), allowed, 2)), "2,70");
}

TEST(FenceChoice, IsNeverOutsideOfWhatIsAllowed) {
        EXPECT_EQ(list_of(choose(mask({9}), mask({0, 1}), 1)), "0");
        EXPECT_EQ(list_of(choose(mask({}), mask({4, 5}), 9)), "4-5");
}

TEST(FenceChoice, CutsAGrantThatIsLargerThanAskedFor) {
        EXPECT_EQ(list_of(choose(mask({0, 1, 2, 3}), mask({0, 1, 2, 3}), 2)), "0-1");
}

TEST(FenceChoice, OfManyThatAreGrantedOneEachDoesNotMeetOnOneCpu) {
        CpuMask allowed;
        allowed.words[0] = ~std::uint64_t{0};
        std::array<int, 64> fences{};
        for (unsigned i = 0; i < 32; i++) {
                const auto chosen = choose(mask({2 * i}), allowed, 2);
                for (std::size_t cpu = 0; cpu < 64; cpu++)
                        fences.at(cpu) += (chosen.words[0] >> cpu & 1U) != 0 ? 1 : 0;
        }
        EXPECT_EQ(*std::ranges::max_element(fences), 1);
        EXPECT_EQ(list_of(choose(mask({63}), allowed, 2)), "0,63") << "round";
}

TEST(FenceWidth, IsTheGrant) {
        EXPECT_EQ(width(5, 9, GOVERNOR_LIMIT_FAIR_SHARE), 5U);
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_PARKED), 1U);
}

TEST(FenceWidth, LeavesATreeThatSleepsItsShareSoThatItCanWakeUp) {
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_IDLE), 9U);
        EXPECT_EQ(width(1, 9, GOVERNOR_LIMIT_LIGHT), 9U);
        EXPECT_EQ(width(3, 9, GOVERNOR_LIMIT_DEMAND), 9U);
        EXPECT_EQ(width(9, 3, GOVERNOR_LIMIT_DEMAND), 9U);
}

TEST(FenceAtStart, IsNoneWhereTheShareIsAllThatIsAllowed) {
        EXPECT_EQ(Fence(mask({0, 1}), mask({0, 1}), 2).at_start(), nullptr);
        const Fence fence(mask({0, 1}), mask({1}), 1);
        ASSERT_NE(fence.at_start(), nullptr);
        EXPECT_EQ(list_of(*fence.at_start()), "1");
}

TEST(FenceInsideOfAnother, IsWithinWhatThatOneGivesNow) {
        const auto all = affinity_of(0).value_or(CpuMask{});
        if (all.count() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const auto one = choose(all, all, 1);
        ASSERT_TRUE(set_affinity(0, one));
        Fence fence(one, all, 2);
        EXPECT_FALSE(fence.reopened());
        EXPECT_FALSE(fence.is_up());
        ASSERT_TRUE(set_affinity(0, all));
        EXPECT_TRUE(fence.reopened());
        EXPECT_FALSE(fence.is_settled());
        EXPECT_TRUE(fence.want(all, 2));
        EXPECT_EQ(fence.wanted().count(), 2U);
        EXPECT_FALSE(fence.reopened());
}

TEST(FenceInsideOfAnother, KeepsHoldOfItsTreeHoweverOftenThatOneMoves) {
        const auto all = affinity_of(0).value_or(CpuMask{});
        if (all.count() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const auto first = choose(all, all, 1);
        auto rest = all;
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                rest.words[i] &= ~first.words[i];
        const auto second = choose(rest, rest, 1);
        ASSERT_TRUE(set_affinity(0, first));
        const pid_t child = test_support::fork_child();
        while (child == 0)
                ::pause();
        Fence fence(first, all, all.count());
        auto now = Fence::Clock::now();
        for (const auto& open : {second, first, all}) {
                EXPECT_TRUE(set_affinity(0, open));
                EXPECT_TRUE(fence.reopened());
                fence.want(all, all.count());
                fence.follow(now += std::chrono::minutes{1});
                EXPECT_EQ(affinity_of(child), open) << list_of(open);
        }
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
}

TEST(FenceInsideOfAnother, WidensWhatOthersHaveGivenAnOldMaskBack) {
        const auto all = affinity_of(0).value_or(CpuMask{});
        if (all.count() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const auto one = choose(all, all, 1);
        const pid_t child = test_support::fork_child();
        while (child == 0)
                ::pause();
        ASSERT_TRUE(set_affinity(0, one));
        Fence fence(one, one, 1);
        ASSERT_TRUE(set_affinity(0, all));
        EXPECT_TRUE(fence.reopened());
        fence.want(all, all.count());
        auto now = Fence::Clock::now();
        fence.follow(now);
        EXPECT_TRUE(fence.is_settled());
        ASSERT_TRUE(set_affinity(child, one));
        fence.look_again();
        fence.follow(now + std::chrono::minutes{1});
        EXPECT_EQ(affinity_of(child), all);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
}

/// 64 CPUs, of which this machine may have fewer.
CpuMask many() {
        CpuMask mask;
        mask.words[0] = ~std::uint64_t{0};
        return mask;
}

bool has(const std::vector<CpuMask>& masks, const CpuMask& mask) {
        return std::ranges::find(masks, mask) != masks.end();
}

TEST(FenceMasks, KeepWhatThreadsHaveHoweverOftenAnotherOneIsWantedMeanwhile) {
        Fence fence(many(), mask({0}), 1);
        EXPECT_TRUE(fence.want(mask({40}), 1));
        fence.follow(Fence::Clock::now());
        for (unsigned i = 0; i < 20; i++)
                EXPECT_TRUE(fence.want(mask({i + 1}), 1));
        EXPECT_TRUE(has(fence.masks(), mask({0}))) << "what the command began with";
        EXPECT_TRUE(has(fence.masks(), mask({40}))) << "what threads have";
        EXPECT_TRUE(has(fence.masks(), mask({20}))) << "what they are to have";
        EXPECT_EQ(fence.masks().size(), 3U);
}

TEST(FenceMasks, ForgetThoseThatWereSetLongAgo) {
        Fence fence(many(), mask({0}), 1);
        auto now = Fence::Clock::now();
        const auto move_to = [&](unsigned cpu) {
                fence.want(mask({cpu}), 1);
                fence.follow(now += std::chrono::minutes{1});
        };
        move_to(40);
        for (unsigned i = 0; i < 13; i++)
                move_to(i + 1);
        move_to(40);
        move_to(41);
        EXPECT_TRUE(has(fence.masks(), mask({40}))) << "set just before the last one";
        for (unsigned i = 0; i < 13; i++)
                move_to(i + 42);
        EXPECT_LE(fence.masks().size(), 16U);
        EXPECT_TRUE(has(fence.masks(), mask({0}))) << "what the command began with";
}

/// In a cpuset of one CPU; 0: that cannot be made here.
pid_t sleeper_in(const std::string& cpuset) {
        std::error_code error;
        if (!std::filesystem::create_directory(cpuset, error))
                return 0;
        std::ofstream(cpuset + "/cpuset.cpus") << "0";
        std::ofstream(cpuset + "/cpuset.mems") << "0";
        const pid_t pid = ::fork();
        if (pid == 0) {
                ::alarm(30);
                for (;;)
                        ::pause();
        }
        return std::ofstream(cpuset + "/tasks") << pid << std::flush ? pid : -pid;
}

TEST(FenceOverACpuset, IsSettledWhereTheKernelCutsWhatAThreadIsGiven) {
        const auto open = affinity_of(0).value_or(CpuMask{});
        if (open.count() < 2 || (open.words[0] & 1U) == 0)
                GTEST_SKIP() << "needs CPU 0 and another one";
        const auto cpuset = "/sys/fs/cgroup/cpuset/governor-test-" + std::to_string(::getpid());
        const auto pid = sleeper_in(cpuset);
        Fence fence(open, mask({0}), 1);
        fence.want(open, open.count());
        const auto now = Fence::Clock::now();
        for (int i = 0; i < 3; i++)
                fence.follow(now + std::chrono::minutes{i});
        const auto is_settled = fence.is_settled();
        if (pid != 0) {
                ::kill(std::abs(pid), SIGKILL);
                ::waitpid(std::abs(pid), nullptr, 0);
                for (int i = 0; i < 1000 && ::rmdir(cpuset.c_str()) < 0 && errno == EBUSY; i++)
                        ::usleep(1000);
        }
        if (pid <= 0)
                GTEST_SKIP() << "no cpuset can be made";
        EXPECT_TRUE(is_settled);
}

/// A shell with the fence. It starts a daemon, tells its number, waits for a line, and ends a
/// moment later.
void start_shell(const CpuMask& fence, int moment, int from, int to) {
        if (test_support::fork_child() != 0)
                return;
        set_affinity(0, fence);
        ::dup2(from, STDIN_FILENO);
        ::dup2(to, STDOUT_FILENO);
        const auto script = "sleep 60 & echo $!; read go; i=0; while [ $i -lt " +
                            std::to_string(moment) + " ]; do i=$((i + 1)); done";
        ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
        ::_exit(127);
}

/// These are looked at before the shell, which is an older child and was found with them.
void fork_idle_children(std::vector<pid_t>& to) {
        for (int i = 0; i < 30; i++) {
                to.push_back(test_support::fork_child());
                while (to.back() == 0)
                        ::pause();
        }
}

/// Returns how many of 40 daemons keep the fence.
int take_down_beside_daemons(const CpuMask& open) {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps
        int go[2];
        int told[2];
        if (::pipe(go) < 0 || ::pipe(told) < 0)
                return -1;
        int keep_it = 0;
        for (int i = 0; i < 40; i++) {
                Fence fence(open, open, 1);
                char text[32]{};
                start_shell(*fence.at_start(), 20 * i, go[0], told[1]);
                if (::read(told[0], text, sizeof(text) - 1) < 2)
                        return -1;
                std::vector<pid_t> others;
                fork_idle_children(others);
                (void)!::write(go[1], "\n", 1);
                fence.take_down();
                others.push_back(std::atoi(text));
                keep_it += affinity_of(others.back()) == open ? 0 : 1;
                for (const auto pid : others)
                        ::kill(pid, SIGKILL);
        }
        return keep_it;
}

TEST(FenceTakenDown, IsKeptByNoDaemonWhoseParentEndsMeanwhile) {
        const auto open = affinity_of(0).value_or(CpuMask{});
        if (open.count() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const pid_t tree = test_support::fork_child();
        if (tree == 0)
                ::_exit(take_down_beside_daemons(open));
        int status = 0;
        ::waitpid(tree, &status, 0);
        ASSERT_TRUE(WIFEXITED(status)) << status;
        EXPECT_EQ(WEXITSTATUS(status), 0) << "of 40";
}

/// Shells, each the parent of the next one. The last one tells its number.
void become_generations(int count, int told) {
        ::setpgid(0, 0);
        ::dup2(told, STDOUT_FILENO);
        constexpr auto kScript = "if [ $1 -gt 1 ]; then /bin/sh -c \"$0\" \"$0\" $(($1 - 1)); "
                                 "else echo $$; exec sleep 60; fi; :";
        ::execl("/bin/sh", "sh", "-c", kScript, kScript, std::to_string(count).c_str(), nullptr);
        ::_exit(127);
}

/// Returns 1 if the last one of `count` generations keeps the fence; 77: there are not so many.
int take_down_above_generations(const CpuMask& open, int count) {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps
        int told[2];
        char text[32]{};
        Fence fence(open, open, 1);
        if (::pipe(told) < 0)
                return 77;
        const pid_t first = test_support::fork_child();
        if (first == 0) {
                set_affinity(0, *fence.at_start());
                become_generations(count, told[1]);
        }
        ::close(told[1]);
        const pid_t last = ::read(told[0], text, sizeof(text) - 1) > 0 ? std::atoi(text) : 0;
        fence.take_down();
        const bool keeps_it = last != 0 && affinity_of(last) != open;
        ::kill(-first, SIGKILL);
        while (::waitpid(-1, nullptr, 0) > 0)
                continue;
        return last == 0 ? 77 : keeps_it ? 1 : 0;
}

TEST(FenceTakenDown, IsKeptByNoneOfMoreThanAThousandGenerations) {
        const auto open = affinity_of(0).value_or(CpuMask{});
        if (open.count() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const pid_t tree = test_support::fork_child();
        if (tree == 0)
                ::_exit(take_down_above_generations(open, 1'100));
        int status = 0;
        ::waitpid(tree, &status, 0);
        ASSERT_TRUE(WIFEXITED(status)) << status;
        if (WEXITSTATUS(status) == 77)
                GTEST_SKIP() << "there is no room for so many processes";
        EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ctl::run
