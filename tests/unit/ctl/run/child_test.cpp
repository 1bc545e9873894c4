// SPDX-License-Identifier: MIT
// A command that cannot be waited for.
#include "ctl/run/child.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::run {
namespace {

TEST(Child, WithoutADescriptorForSignalsHasNoRoom) {
        const auto pid = ::fork();
        if (pid == 0) {
                rlimit limit{};
                ::getrlimit(RLIMIT_NOFILE, &limit);
                const rlimit none{0, limit.rlim_max};
                ::setrlimit(RLIMIT_NOFILE, &none);
                Signals signals;
                ::setrlimit(RLIMIT_NOFILE, &limit);
                const auto child = start({"/bin/true"}, signals, nullptr, false);
                ::_exit(!child && !child.error().is_of_exec ? 0 : 1);
        }
        int status = -1;
        ::waitpid(pid, &status, 0);
        EXPECT_EQ(status, 0);
}

TEST(Child, HasAnEnvironmentThatItsParentHasNot) {
        Signals signals;
        const auto child = start({"/bin/sh", "-c", "test \"$GOVERNOR_TEST_DOOR\" = open"}, signals,
                                 nullptr, false, {{"GOVERNOR_TEST_DOOR", std::nullopt, "open"}});
        ASSERT_TRUE(child.has_value());
        int status = -1;
        ::waitpid(*child, &status, 0);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(of_process("GOVERNOR_TEST_DOOR"), nullptr);
}

}  // namespace
}  // namespace ctl::run
