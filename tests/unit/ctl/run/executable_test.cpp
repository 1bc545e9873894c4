// SPDX-License-Identifier: MIT
// The facts in the file of a command, and the harm that a false file can do.
#include "ctl/run/executable.hpp"

#include "ctl/run/elf_file.hpp"
#include "support/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::run {
namespace {

TEST(Executable, ThatIsNoneIsNotLinked) {
        const test_support::TemporaryDirectory directory;
        const auto script = directory.write("script", "#!/bin/sh\n# libthreadcount.so.1\n");
        for (const auto& path : {script, directory.write("empty", ""), std::string("/nonexistent"),
                                 std::string("/proc")}) {
                const auto image = image_of(path);
                EXPECT_EQ(image.kind, Image::Kind::Other) << path;
                EXPECT_FALSE(image.follows_by_itself());
        }
}

TEST(Executable, SaysWhatItIsLinkedWithItself) {
        const test_support::TemporaryDirectory directory;
        const ElfFile file{"/lib64/ld-linux-x86-64.so.2", {"libgomp.so.1", "libc.so.6"}};
        const auto image = image_of(directory.write("program", file.bytes()));
        EXPECT_EQ(image.kind, Image::Kind::Dynamic);
        EXPECT_EQ(image.linker, file.linker);
        EXPECT_EQ(image.needed, file.needed);
        EXPECT_TRUE(image.needs("libgomp.so"));
        EXPECT_FALSE(image.needs("gomp"));
        EXPECT_FALSE(image.follows_by_itself());
        const ElfFile linked{"/lib/ld.so", {"libthreadcount.so.1"}};
        EXPECT_TRUE(image_of(directory.write("linked", linked.bytes())).follows_by_itself());
}

TEST(Executable, WithoutADynamicLinkerIsStatic) {
        const test_support::TemporaryDirectory directory;
        const auto image = image_of(directory.write("static", ElfFile{"", {}}.bytes()));
        EXPECT_EQ(image.kind, Image::Kind::Static);
        EXPECT_TRUE(image.needed.empty());
}

TEST(Executable, OfAnotherWordSizeIsForeign) {
        const test_support::TemporaryDirectory directory;
        auto bytes = ElfFile{}.bytes();
        bytes[EI_CLASS] = ELFCLASS32;
        EXPECT_EQ(image_of(directory.write("foreign", bytes)).kind, Image::Kind::Foreign);
}

TEST(Executable, OfThisHostIsRead) {
        const auto image = image_of("/proc/self/exe");
        EXPECT_EQ(image.kind, Image::Kind::Dynamic);
        EXPECT_TRUE(image.needs("libc.so"));
        EXPECT_EQ(image_of("sh").kind, Image::Kind::Dynamic);
}

TEST(Executable, IsFoundAsExecvpFindsIt) {
        const test_support::TemporaryDirectory directory;
        EXPECT_EQ(reason_not_to_execute("sh"), 0);
        EXPECT_EQ(reason_not_to_execute("/bin/sh"), 0);
        EXPECT_EQ(reason_not_to_execute("no-command-is-called-so"), ENOENT);
        EXPECT_EQ(reason_not_to_execute("/nonexistent"), ENOENT);
        EXPECT_EQ(reason_not_to_execute(directory.write("plain", "")), EACCES);
        EXPECT_EQ(reason_not_to_execute("/proc"), EACCES);
        EXPECT_EQ(reason_not_to_execute(""), ENOENT);
}

/// The PATH of this process, until this goes.
class Path {
public:
        explicit Path(const std::string& value) { ::setenv("PATH", value.c_str(), 1); }
        ~Path() { ::setenv("PATH", before_.c_str(), 1); }
        Path(const Path&) = delete;
        Path& operator=(const Path&) = delete;

private:
        std::string before_ = std::getenv("PATH");
};

TEST(Executable, IsFoundBehindFoldersAndOtherFilesOfItsName) {
        const test_support::TemporaryDirectory directory;
        const auto all = [&](std::initializer_list<const char*> folders) {
                std::string value;
                for (const auto* folder : folders)
                        value += (value.empty() ? "" : ":") + directory.path(folder);
                return value;
        };
        std::filesystem::create_directories(directory.path("folder/tool"));
        directory.write("plain/tool", "");
        const auto tool = directory.write("found/tool", ElfFile{"/lib/ld.so", {}}.bytes());
        std::filesystem::permissions(tool, std::filesystem::perms(0755));
        {
                const Path path(all({"folder", "plain", "none", "found"}));
                EXPECT_EQ(reason_not_to_execute("tool"), 0);
                EXPECT_EQ(image_of("tool").linker, "/lib/ld.so");
        }
        for (const auto* folder : {"folder", "plain"}) {
                const Path path(all({folder, "none"}));
                EXPECT_EQ(reason_not_to_execute("tool"), EACCES) << folder;
        }
        const Path path(all({"none"}));
        EXPECT_EQ(reason_not_to_execute("tool"), ENOENT);
}

TEST(Executable, OfAnotherGroupPreloadsNothingThoughItGainsNoPrivilege) {
        const test_support::TemporaryDirectory directory;
        const auto file = directory.write("tool", "");
        const auto set = [&](gid_t group, mode_t mode) {
                return ::chown(file.c_str(), ::geteuid(), group) == 0 &&
                       ::chmod(file.c_str(), mode) == 0;
        };
        ASSERT_TRUE(set(::getgid(), 02755));
        EXPECT_FALSE(preloads_nothing(file));
        if (!set(::getgid() + 4245, 02755))
                GTEST_SKIP() << "needs root, to be of two groups";
        EXPECT_TRUE(preloads_nothing(file));
        EXPECT_FALSE(gains_privilege(file));
        EXPECT_TRUE(set(::getgid() + 4245, 02745));
        EXPECT_FALSE(preloads_nothing(file)) << "nothing is set for one that its group cannot run";
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
                (void)image_of(directory.write("wrong", wrong.substr(0, random() % wrong.size())));
        }
}

}  // namespace
}  // namespace ctl::run
