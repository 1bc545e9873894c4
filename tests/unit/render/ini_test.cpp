// SPDX-License-Identifier: MIT
// Lines that governord reads.
#include "render/ini.hpp"

#include <gtest/gtest.h>

namespace ctl::render {
namespace {

TEST(Assignment, IsSpacedUnlessTheLineWouldBeTooLong) {
        EXPECT_EQ(assignment("cpus", "0-3"), "cpus = 0-3\n");
        const std::string longest(191, 'x');
        EXPECT_EQ(assignment("cpus", longest), "cpus = " + longest + "\n");
        EXPECT_EQ(assignment("cpus", longest + "xx"), "cpus=" + longest + "xx\n");
}

}  // namespace
}  // namespace ctl::render
