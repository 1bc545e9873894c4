// SPDX-License-Identifier: MIT
// The allowed CPUs and the user of /proc/PID/status.
#include "probe/pid_status.hpp"

#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using policy::CpuMask;

TEST(PidStatus, TellsTheAllowedCpus) {
        EXPECT_EQ(
                parse_allowed_cpus("Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nM:\t0\n"),
                CpuMask::range(0, 4));
        EXPECT_EQ(parse_allowed_cpus("Cpus_allowed_list:\t1,64,4095\n"),
                  CpuMask(policy::CpuSet{1, 64, 4095}));
        EXPECT_EQ(parse_allowed_cpus("Cpus_allowed_list:\t\n"), CpuMask());
}

TEST(PidStatus, IsNotFooledByTheNameOfTheProgram) {
        EXPECT_EQ(parse_allowed_cpus("Name:\tCpus_allowed_list:\nCpus_allowed_list:\t2\n"),
                  CpuMask(policy::CpuSet{2}));
}

TEST(PidStatus, RefusesWhatIsCutOrNoList) {
        for (const auto* text : {"", "\n", "Name:\tx\n", "Cpus_allowed_list:\t0-3", "Cpus_allowed_",
                                 "Cpus_allowed_list:\tx\n", "Cpus_allowed_list: 0\n"})
                EXPECT_FALSE(parse_allowed_cpus(text)) << text;
}

TEST(PidStatus, TellsTheRealUser) {
        EXPECT_EQ(parse_real_uid("Name:\tUid:\t0\nUid:\t1000\t0\t0\t0\nGid:\t1\n"), 1000U);
        for (const auto* text :
             {"", "Uid:\t1000\t0\t0\t0", "Uid:\t\n", "Uid:\tx\t0\n", "Gid:\t1\n"})
                EXPECT_FALSE(parse_real_uid(text)) << text;
}

}  // namespace
}  // namespace governor::probe
