// SPDX-License-Identifier: MIT
// What the file of a command says, and what one that lies can do.
#include "ctl/run/executable.hpp"

#include "support/temporary_directory.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <random>

namespace ctl::run {
namespace {

TEST(Executable, ThatIsNoneIsNotLinked) {
        const test_support::TemporaryDirectory directory;
        EXPECT_FALSE(is_linked(directory.write("script", "#!/bin/sh\n# libthreadcount.so.1\n")));
        EXPECT_FALSE(is_linked(directory.write("empty", "")));
        EXPECT_FALSE(is_linked("/nonexistent"));
        EXPECT_FALSE(is_linked("/proc"));
        EXPECT_FALSE(is_linked("sh"));
}

TEST(Executable, IsFoundAsExecvpFindsIt) {
        const test_support::TemporaryDirectory directory;
        EXPECT_EQ(reason_not_to_execute("sh"), 0);
        EXPECT_EQ(reason_not_to_execute("/bin/sh"), 0);
        EXPECT_EQ(reason_not_to_execute("no-command-is-called-so"), ENOENT);
        EXPECT_EQ(reason_not_to_execute("/nonexistent"), ENOENT);
        EXPECT_EQ(reason_not_to_execute(directory.write("plain", "")), EACCES);
        EXPECT_EQ(reason_not_to_execute("/proc"), EACCES);
}

TEST(Executable, WithAnyByteWrongIsReadWithinItsBounds) {
        const test_support::TemporaryDirectory directory;
        const auto whole = test_support::read_file("/proc/self/exe").substr(0, 200'000);
        std::mt19937 random(1);
        for (int i = 0; i < 300; i++) {
                auto wrong = whole;
                for (int n = 0; n < 20; n++)
                        wrong.at(random() % (i % 2 == 0 ? 1024 : wrong.size())) =
                                static_cast<char>(random());
                (void)is_linked(directory.write("wrong", wrong.substr(0, random() % wrong.size())));
        }
}

}  // namespace
}  // namespace ctl::run
