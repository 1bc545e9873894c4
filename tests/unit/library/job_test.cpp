// SPDX-License-Identifier: MIT
// The name of a job whose launcher gives it none. environment_test has the other names of jobs.
#include "job.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace threadcount {
namespace {

/// The name that a process of its own gives its job; `depth` processes of the same session are
/// above it.
std::string name_in_session(int depth) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        const auto child = ::fork();
        if (child == 0) {
                ::setsid();
                int status = 0;
                for (int i = 0; i < depth; i++)
                        if (const auto below = ::fork(); below > 0) {
                                ::waitpid(below, &status, 0);
                                ::_exit(0);
                        }
                char job[kNameBytes];
                name_by_launcher(job);
                ::_exit(::write(ends[1], job, sizeof(job)) == sizeof(job) ? 0 : 1);
        }
        ::close(ends[1]);
        std::array<char, kNameBytes> job{};
        EXPECT_EQ(::read(ends[0], job.data(), job.size()), static_cast<ssize_t>(job.size()));
        ::close(ends[0]);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return job.data();
}

class JobByLauncher : public testing::Test {
protected:
        JobByLauncher() { ::prctl(PR_SET_NAME, "hydra_pmi_proxy"); }
};

TEST_F(JobByLauncher, IsNobodysWhoIsNoLauncher) {
        ::prctl(PR_SET_NAME, "bash");
        EXPECT_EQ(name_in_session(0), "");
        EXPECT_EQ(name_in_session(1), "");
}

TEST_F(JobByLauncher, IsThatOfWhoStartedTheSession) {
        const auto launcher = "launcher-" + std::to_string(::getpid());
        EXPECT_EQ(name_in_session(0), launcher);
        EXPECT_EQ(name_in_session(1), launcher);
        EXPECT_EQ(name_in_session(3), launcher);
}

TEST_F(JobByLauncher, IsAnotherOneForAnotherLauncher) {
        const auto own = name_in_session(0);
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe(ends.data()), 0);
        const auto launcher = ::fork();
        if (launcher == 0) {
                const auto name = name_in_session(0);
                ::_exit(::write(ends[1], name.c_str(), name.size() + 1) > 0 ? 0 : 1);
        }
        std::array<char, kNameBytes> name{};
        ASSERT_GT(::read(ends[0], name.data(), name.size()), 0);
        int status = 0;
        ASSERT_EQ(::waitpid(launcher, &status, 0), launcher);
        ::close(ends[0]);
        ::close(ends[1]);
        EXPECT_EQ(name.data(), "launcher-" + std::to_string(launcher));
        EXPECT_NE(name.data(), own);
}

}  // namespace
}  // namespace threadcount
