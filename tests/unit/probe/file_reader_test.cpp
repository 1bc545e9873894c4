// SPDX-License-Identifier: MIT
// Files that come in one piece, in several, and not at all.
#include "probe/file_reader.hpp"

#include "support/temporary_directory.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace governor::probe {
namespace {

using test_support::TemporaryDirectory;
using Read = int (FileReader::*)(const std::string&, std::string_view&);

constexpr std::array<Read, 2> kBoth{&FileReader::read, &FileReader::read_short};

TEST(FileReader, ReadsWholeFilesOfAnySizeEitherWay) {
        TemporaryDirectory directory;
        FileReader files;
        for (const std::size_t size :
             {0U, 1U, 16U * 1024 - 1, 16U * 1024, 16U * 1024 + 1, 100'000U, 32U * 1024, 5U}) {
                std::string content(size, 'x');
                if (size > 0)
                        content.back() = '!';
                const auto path = directory.write("file", content);
                for (const auto read : kBoth) {
                        std::string_view text = "before";
                        ASSERT_EQ((files.*read)(path, text), 0);
                        EXPECT_TRUE(text == content) << size;
                }
        }
}

TEST(FileReader, SaysWhyThereIsNothing) {
        TemporaryDirectory directory;
        FileReader files;
        for (const auto read : kBoth) {
                std::string_view text = "before";
                EXPECT_EQ((files.*read)(directory.path("none"), text), -ENOENT);
                EXPECT_EQ((files.*read)(directory.path().string(), text), -EISDIR);
                EXPECT_EQ(text, "before");
        }
}

/// The kernel's table of mounts, of which one read() gives a page: more of it than that is read.
TEST(FileReader, ReadsOnWhereTheKernelWritesInPieces) {
        TemporaryDirectory directory;
        const auto path = directory.path("fifo");
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        const int writer = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        ASSERT_GE(writer, 0);
        FileReader files;
        std::string_view text = "before";
        ASSERT_EQ(::write(writer, "one", 3), 3);
        EXPECT_EQ(files.read_short(path, text), 0) << "one piece is all of it";
        EXPECT_EQ(text, "one");
        ASSERT_EQ(::write(writer, "two", 3), 3);
        EXPECT_EQ(files.read(path, text), -EAGAIN) << "there is no end yet";
        ::close(writer);
}

}  // namespace
}  // namespace governor::probe
