// SPDX-License-Identifier: MIT
// Looks at trees of real processes.
#include "probe/tree_look.hpp"

#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace governor::probe {
namespace {

class TreeLookTest : public ::testing::Test {
protected:
        ~TreeLookTest() override {
                for (const auto pid : children_) {
                        ::kill(pid, SIGKILL);
                        (void)::waitpid(pid, nullptr, 0);
                }
        }
        std::uint32_t start(const std::function<void()>& body) {
                const auto pid = child(body);
                children_.push_back(pid);
                return static_cast<std::uint32_t>(pid);
        }
        static pid_t child(const std::function<void()>& body) {
                const auto parent = ::getpid();
                const auto pid = ::fork();
                if (pid != 0)
                        return pid;
                (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (::getppid() == parent)  // else its end came before the call above
                        body();
                ::_exit(0);
        }
        static void spin() {
                for (volatile bool go_on = true; go_on;)
                        ;
        }

        std::vector<pid_t> children_;
        TreeReader reader_{""};
};

TEST_F(TreeLookTest, SeeWhatGrandchildrenBurn) {
        const auto top = start([] {
                child([] {
                        child([] { spin(); });
                        ::pause();
                });
                ::pause();
        });
        for (int i = 0; i < 500; i++) {
                ::usleep(20'000);
                const auto look = reader_.read(top);
                ASSERT_TRUE(look);
                if (look->ticks > 0 && look->is_runnable)
                        return;
        }
        FAIL() << "nothing burns";
}

TEST_F(TreeLookTest, SeeThatNobodyDoesAnything) {
        const auto top = start([] {
                child([] { ::pause(); });
                ::pause();
        });
        ::usleep(100'000);
        const auto before = reader_.read(top);
        ::usleep(100'000);
        const auto after = reader_.read(top);
        ASSERT_TRUE(before && after);
        EXPECT_EQ(after->ticks, before->ticks);
        EXPECT_FALSE(after->is_runnable);
}

TEST_F(TreeLookTest, DoNotLookAtManyProcesses) {
        const auto top = start([] {
                for (std::size_t i = 0; i < TreeReader::kMostProcesses; i++)
                        child([] { ::pause(); });
                ::pause();
        });
        for (int i = 0; i < 500 && reader_.read(top); i++)
                ::usleep(20'000);
        EXPECT_FALSE(reader_.read(top));
}

TEST_F(TreeLookTest, KnowNothingOfWhatHasGone) {
        const auto pid = ::fork();
        if (pid == 0)
                ::_exit(0);
        (void)::waitpid(pid, nullptr, 0);
        EXPECT_FALSE(reader_.read(static_cast<std::uint32_t>(pid)));
}

}  // namespace
}  // namespace governor::probe
