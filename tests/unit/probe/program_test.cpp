// SPDX-License-Identifier: MIT
// Names and executables, and whose can be seen.
#include "probe/program.hpp"

#include "support/as_user.hpp"
#include "support/fake_machine.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace governor::probe {
namespace {

using test_support::AsUser;

std::uint32_t own_pid() { return static_cast<std::uint32_t>(::getpid()); }

TEST(Program, IsWhatTheKernelSaysOfThisProcess) {
        EXPECT_EQ(read_executable("", own_pid()), std::filesystem::read_symlink("/proc/self/exe"));
        EXPECT_EQ(read_program_name("", own_pid()), "probe_test");
}

TEST(Program, HasNoNameWhenItIsGone) {
        EXPECT_EQ(read_program_name("", UINT32_MAX), "");
        EXPECT_EQ(read_executable("", UINT32_MAX), "");
}

TEST(Program, OfAMadeUpMachineHasTheNameInItsFile) {
        test_support::FakeMachine machine;
        machine.write("proc/7/comm", "solve\n");
        EXPECT_EQ(read_program_name(machine.root(), 7), "solve");
        EXPECT_EQ(read_executable(machine.root(), 7), "");
}

TEST(Program, ThatBelongsToSomebodyElseHidesWhatItRunsFromWhoHasNoPrivileges) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root";
        const bool root_sees = sees_others_executables();
        const AsUser nobody(65534);
        EXPECT_FALSE(sees_others_executables());
        EXPECT_EQ(read_executable("", 1), "") << "that of root";
        EXPECT_FALSE(root_sees && read_program_name("", 1).empty());
}

}  // namespace
}  // namespace governor::probe
