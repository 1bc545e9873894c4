// SPDX-License-Identifier: MIT
// Files that grow, go, fail and come back.
#include "probe/kept_file.hpp"

#include "support/temporary_directory.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace governor::probe {
namespace {

using test_support::TemporaryDirectory;

std::string text_of(KeptFile& file) {
        std::string_view text;
        const int result = file.read(text);
        return result == 0 ? std::string(text) : "error " + std::to_string(result);
}

class KeptFileTest : public ::testing::Test {
protected:
        TemporaryDirectory directory_;
};

TEST_F(KeptFileTest, ReadsFromTheStartEveryTime) {
        KeptFile file(directory_.write("stat", "one\n"));
        EXPECT_EQ(text_of(file), "one\n");
        EXPECT_EQ(text_of(file), "one\n");
        directory_.write("stat", "another");
        EXPECT_EQ(text_of(file), "another");
        directory_.write("stat", "");
        EXPECT_EQ(text_of(file), "");
}

TEST_F(KeptFileTest, FollowsAFileThatOutgrowsItsBuffer) {
        KeptFile file(directory_.write("stat", "small"));
        EXPECT_EQ(text_of(file), "small");
        for (const std::size_t size :
             {64U * 1024 - 1, 64U * 1024, 64U * 1024 + 1, 1024U * 1024 + 7}) {
                std::string content(size, 'x');
                content.back() = '!';
                directory_.write("stat", content);
                EXPECT_TRUE(text_of(file) == content) << size;
        }
        directory_.write("stat", "small again");
        EXPECT_EQ(text_of(file), "small again");
}

TEST_F(KeptFileTest, OpensTheFileAnewAfterItWasTooLarge) {
        const auto path = directory_.write("stat", "");
        std::filesystem::resize_file(path, 17U << 20);
        KeptFile file(path);
        std::string_view text;
        EXPECT_EQ(file.read(text), -EFBIG);
        directory_.replace("stat", "small");
        EXPECT_EQ(text_of(file), "small");
}

TEST_F(KeptFileTest, SaysThatAFileIsMissingAndFindsItWhenItIsThere) {
        KeptFile file(directory_.path("stat"));
        std::string_view text = "untouched";
        EXPECT_EQ(file.read(text), -ENOENT);
        EXPECT_EQ(text, "untouched");
        directory_.write("stat", "here");
        EXPECT_EQ(text_of(file), "here");
}

TEST_F(KeptFileTest, DoesNotReadADirectory) {
        KeptFile file(directory_.path());
        std::string_view text;
        EXPECT_EQ(file.read(text), -EISDIR);
}

TEST_F(KeptFileTest, KeepsTheFileItHasOpenedUntilItIsClosed) {
        KeptFile file(directory_.write("stat", "old"));
        EXPECT_EQ(text_of(file), "old");
        std::filesystem::rename(directory_.write("new", "new"), directory_.path("stat"));
        EXPECT_EQ(text_of(file), "old");
        file.close();
        EXPECT_EQ(text_of(file), "new");
}

TEST_F(KeptFileTest, OpensTheFileAnewAfterAReadThatFailed) {
        const pid_t child = fork();
        if (child == 0) {
                pause();
                _exit(0);
        }
        ASSERT_GT(child, 0);
        const auto link = directory_.path("stat");
        std::filesystem::create_symlink("/proc/" + std::to_string(child) + "/stat", link);
        KeptFile file(link);
        EXPECT_TRUE(text_of(file).starts_with(std::to_string(child) + " ("));
        kill(child, SIGKILL);
        ASSERT_EQ(waitpid(child, nullptr, 0), child);

        std::string_view text;
        EXPECT_EQ(file.read(text), -ESRCH);  // through the old descriptor
        EXPECT_EQ(file.read(text), -ENOENT);
        std::filesystem::remove(link);
        directory_.write("stat", "back");
        EXPECT_EQ(text_of(file), "back");
}

TEST_F(KeptFileTest, RefusesAFileWithoutAnEnd) {
        KeptFile file("/dev/zero");
        std::string_view text;
        EXPECT_EQ(file.read(text), -EFBIG);
}

TEST_F(KeptFileTest, HoldsOneDescriptorHoweverOftenItReads) {
        const auto path = directory_.write("stat", "text");
        const auto count = [] {
                return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
        };
        const auto before = count();
        {
                KeptFile file(path);
                for (int i = 0; i < 100; i++)
                        EXPECT_EQ(text_of(file), "text");
                EXPECT_EQ(count(), before + 1);
        }
        EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace governor::probe
