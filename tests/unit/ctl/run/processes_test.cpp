// SPDX-License-Identifier: MIT
// Walks through a tree that changes meanwhile.
#include "ctl/run/processes.hpp"

#include "support/process.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::run {
namespace {

/// Exit statuses of a process that looks on for a test.
enum Verdict { kIsRight = 0, kIsWrong = 1, kCannotBeTried = 77 };

/// Waits to be killed.
pid_t idle_child() {
        const pid_t pid = test_support::fork_child();
        if (pid == 0)
                for (;;)
                        ::pause();
        return pid;
}

void end(pid_t child) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
}

int verdict_of(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : kIsWrong;
}

/// Runs it as the first process of namespaces in which it may choose the numbers of processes.
int look_on_alone(int (*look_on)()) {
        const pid_t outer = test_support::fork_child();
        if (outer > 0)
                return verdict_of(outer);
        if (::unshare(CLONE_NEWPID | CLONE_NEWNS) < 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0)
                ::_exit(kCannotBeTried);
        const pid_t first = ::fork();
        if (first != 0)
                ::_exit(verdict_of(first));
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::_exit(::mount("proc", "/proc", "proc", 0, nullptr) == 0 ? look_on() : kCannotBeTried);
}

/// Where it visits the first of two children, the other one ends, and its number becomes that of a
/// process which `stranger` tells, after it was asked by `ask`.
int walk_while_a_number_changes_hands(int ask, int stranger) {
        const pid_t children[] = {idle_child(), idle_child()};
        pid_t other = 0;
        pid_t its_next = 0;
        bool is_seen = false;
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>&) {
                const auto pid = static_cast<pid_t>(process.pid);
                is_seen |= pid == other;
                if (other != 0)
                        return true;
                other = pid == children[0] ? children[1] : children[0];
                end(other);
                std::ofstream("/proc/sys/kernel/ns_last_pid") << other - 1;
                (void)!::write(ask, "", 1);
                (void)!::read(stranger, &its_next, sizeof(its_next));
                return true;
        });
        return its_next != other ? kCannotBeTried : is_seen ? kIsWrong : kIsRight;
}

int beside_a_stranger() {
        int ask[2];
        int stranger[2];
        if (::pipe(ask) < 0 || ::pipe(stranger) < 0)
                return kCannotBeTried;
        const pid_t tree = test_support::fork_child();
        if (tree == 0)
                ::_exit(walk_while_a_number_changes_hands(ask[1], stranger[0]));
        char byte = 0;
        if (::read(ask[0], &byte, 1) == 1) {
                const auto pid = idle_child();
                (void)!::write(stranger[1], &pid, sizeof(pid));
        }
        return verdict_of(tree);
}

TEST(Walk, DoesNotTakeAStrangerForTheProcessThatHadItsNumber) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs root, to choose the number of a process";
        const auto verdict = look_on_alone(beside_a_stranger);
        if (verdict == kCannotBeTried)
                GTEST_SKIP() << "the number of a process cannot be chosen here";
        EXPECT_EQ(verdict, kIsRight);
}

/// A child with two children ends where the first of these is visited.
int walk_while_a_parent_ends() {
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        const pid_t parent = ::fork();
        if (parent == 0) {
                // They outlive it.
                for (int i = 0; i < 2; i++)
                        if (::fork() == 0)
                                break;
                for (;;)
                        ::pause();
        }
        std::vector<pid_t> seen;
        for (std::size_t n = 0; n < 3; ::usleep(1000)) {
                n = 0;
                walk(::getpid(),
                     [&](const outside::ProcessId&, const std::vector<pid_t>&) { return ++n > 0; });
        }
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>&) {
                seen.push_back(static_cast<pid_t>(process.pid));
                if (seen.size() == 2)
                        end(parent);
                return true;
        });
        for (const auto pid : seen)
                if (pid != parent)
                        end(pid);
        return seen.size() == 3 ? kIsRight : kIsWrong;
}

TEST(Walk, FindsAChildWhoseParentEndsMeanwhile) {
        const pid_t tree = test_support::fork_child();
        if (tree == 0)
                ::_exit(walk_while_a_parent_ends());
        EXPECT_EQ(verdict_of(tree), kIsRight);
}

TEST(Walk, TellsWhichProcessHasTheNumber) {
        const pid_t child = idle_child();
        const auto held = outside::HeldProcess::open("", static_cast<std::uint32_t>(child));
        std::vector<outside::ProcessId> seen;
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>&) {
                seen.push_back(process);
                return true;
        });
        ASSERT_TRUE(held && held->id());
        EXPECT_EQ(seen, std::vector{*held->id()});
        end(child);
}

}  // namespace
}  // namespace ctl::run
