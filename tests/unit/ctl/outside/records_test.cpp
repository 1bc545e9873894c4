// SPDX-License-Identifier: MIT
// Records of what was changed: their text, and the directory that they lie in.
#include "outside/records.hpp"

#include "outside/choose.hpp"
#include "outside/own_record.hpp"
#include "support/as_user.hpp"
#include "support/temporary_directory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::outside {
namespace {

using governor::policy::CpuMask;
using test_support::AsUser;
using test_support::TemporaryDirectory;

constexpr ProcessId kRunId{1234, 567890};

Record sample() {
        return {boot_id(),
                kRunId,
                {{8499, 0}, {8500, 5}},
                {"/a.slice/governorctl-run-1-2-0.scope"},
                Narrowed{CpuMask::range(0, 4), 3, 77, {{5, 6}, {7, 8}}, {9}},
                Fenced{CpuMask::range(0, 4), 77, {CpuMask::range(1, 2)}, {{5, 6}, {7, 8}}}};
}

TEST(ARecord, IsReadAsItWasWritten) { EXPECT_EQ(parse_record(to_text(sample())), sample()); }

TEST(ARecord, OfTheMostThatIsChangedIsReadAgain) {
        Record record{std::string(36, 'b'), {4'194'304, UINT64_MAX}, {}, {}, {}, {}};
        for (std::size_t i = 0; i < kMostAutogroups; i++)
                record.autogroups.push_back({UINT64_MAX - i, 18});
        const std::string unit = "/governorctl-run-4194304-18446744073709551615-7.scope";
        record.scopes.assign(kMostScopes, "/" + std::string(511 - unit.size(), 's') + unit);
        record.narrowed = Narrowed{CpuMask::range(0, 8192), 8191, UINT64_MAX, {}, {}};
        record.narrowed->processes.assign(kMostNarrowed, {4'194'304, UINT64_MAX});
        record.narrowed->groups.assign(kMostAutogroups, UINT64_MAX);
        EXPECT_EQ(parse_record(to_text(record)), record);
}

TEST(ARecord, OfTheLargestFenceIsReadAgain) {
        Record record{std::string(36, 'b'), {4'194'304, UINT64_MAX}, {}, {}, {}, {}};
        record.fenced = Fenced{CpuMask::range(0, 8192), UINT64_MAX, {}, {}};
        record.fenced->masks.assign(kMostMasks, CpuMask::range(1, 8190));
        record.fenced->processes.assign(kMostNarrowed, {4'194'304, UINT64_MAX});
        EXPECT_EQ(parse_record(to_text(record)), record);
}

TEST(ARecord, OfAFenceThatWasNeverSetIsNone) {
        const std::string front = "governorctl 1\nboot b\nrun 1 2\n";
        for (const auto* line :
             {"fenced 7\n", "fenced 7 \n", "fenced -1 0-1\n", "mask 1\n", "member 1 2\n",
              "fenced 7 0-1\nfenced 7 0-1\n", "fenced 7 0-1\nmask \n"})
                EXPECT_FALSE(parse_record(front + line + "end\n")) << line;
        auto many = front + "fenced 7 0-1\nmask 1\nmember 1 2\n";
        EXPECT_TRUE(parse_record(many + "end\n"));
        for (std::size_t i = 0; i < kMostMasks; i++)
                many += "mask 1\n";
        EXPECT_FALSE(parse_record(many + "end\n"));
}

TEST(ARecord, ThatIsCutAnywhereIsNone) {
        const auto text = to_text(sample());
        for (std::size_t length = 0; length < text.size(); length++)
                EXPECT_FALSE(parse_record(text.substr(0, length))) << length;
}

TEST(ARecord, ThatSaysWhatWasNeverDoneIsNone) {
        const std::string front = "governorctl 1\nboot b\nrun 1 2\n";
        ASSERT_TRUE(parse_record(front + "end\n"));
        for (const auto* line :
             {"autogroup 1 19\n", "autogroup 1 -1\n", "autogroup 1\n", "else 1\n",
              "autogroup -1 0\n", "run 1\n", "end\n", "\n", "scope /a/b.scope\n",
              "scope governorctl-run-1.scope\n", "scope /a/../governorctl-run-1.scope\n",
              "scope /a/governorctl-run-1.scope/b\n"})
                EXPECT_FALSE(parse_record(front + line + "end\n")) << line;
        for (const auto* line : {"narrowed 1 7 1\n", "narrowed 2 7 0-1\n", "narrowed 1 7 0-\n",
                                 "process 1 2\n", "in 1\n", "narrowed 1 7 0-1\nnarrowed 1 7 0-1\n"})
                EXPECT_FALSE(parse_record(front + line + "end\n")) << line;
        EXPECT_TRUE(parse_record(front + "narrowed 1 7 0-1\nprocess 1 2\nin 1\nend\n"));
        EXPECT_FALSE(parse_record("governorctl 2\nboot b\nrun 1 2\nend\n"));
        std::string many = front;
        for (std::size_t i = 0; i <= kMostAutogroups; i++)
                many += "autogroup 1 0\n";
        EXPECT_FALSE(parse_record(many + "end\n"));
}

class TheRecords : public testing::Test {
protected:
        [[nodiscard]] std::string place() const { return directory_.path("records"); }
        [[nodiscard]] Records open() const {
                auto records = Records::open(place());
                if (!records)
                        throw std::runtime_error(records.error());
                return std::move(*records);
        }

        TemporaryDirectory directory_;
};

TEST_F(TheRecords, AreTheirOwnersOnly) {
        const auto records = open();
        ASSERT_EQ(records.write(sample()), 0);
        struct stat about {};
        ASSERT_EQ(::stat(place().c_str(), &about), 0);
        EXPECT_EQ(about.st_mode & 07777U, 0700U);
}

TEST_F(TheRecords, AreReplacedListedReadAndRemoved) {
        const auto records = open();
        EXPECT_TRUE(records.list().empty());
        ASSERT_EQ(records.write({boot_id(), kRunId, {}, {}, {}, {}}), 0);
        ASSERT_EQ(records.write(sample()), 0);
        EXPECT_EQ(records.list(), std::vector{kRunId});
        EXPECT_EQ(records.read(kRunId), sample());
        EXPECT_FALSE(records.read({1234, 567891}));
        records.remove(kRunId);
        EXPECT_TRUE(records.list().empty());
        EXPECT_FALSE(records.read(kRunId));
}

TEST_F(TheRecords, AreAllListedHoweverManyThereAre) {
        const auto records = open();
        auto record = sample();
        for (record.run.pid = 1; record.run.pid <= 300; record.run.pid++)
                ASSERT_EQ(records.write(record), 0);
        EXPECT_EQ(records.list().size(), 300U);
}

TEST_F(TheRecords, OfAnotherBootAreNotBelieved) {
        const auto records = open();
        auto record = sample();
        record.boot = "another";
        ASSERT_EQ(records.write(record), 0);
        EXPECT_EQ(records.list(), std::vector{kRunId});
        EXPECT_FALSE(records.read(kRunId));
}

TEST_F(TheRecords, ThatWereLeftHalfWrittenAreFoundAndRemoved) {
        const auto records = open();
        ASSERT_EQ(records.write(sample()), 0);
        const auto whole = std::filesystem::directory_iterator(place())->path();
        std::filesystem::rename(whole, whole.parent_path() / ("." + whole.filename().string()));
        EXPECT_EQ(records.list(), std::vector{kRunId});
        EXPECT_FALSE(records.read(kRunId));
        records.remove(kRunId);
        EXPECT_TRUE(records.list().empty());
}

TEST_F(TheRecords, OfAnotherPidNamespaceAreLeftAlone) {
        const auto records = open();
        directory_.write("records/run-1-1234-567890", to_text(sample()));
        EXPECT_TRUE(records.list().empty());
}

TEST_F(TheRecords, AreNotReadThroughALink) {
        const auto records = open();
        ASSERT_EQ(records.write(sample()), 0);
        const auto name = std::filesystem::directory_iterator(place())->path();
        std::filesystem::rename(name, directory_.path("elsewhere"));
        std::filesystem::create_symlink(directory_.path("elsewhere"), name);
        EXPECT_FALSE(records.read(kRunId));
}

TEST_F(TheRecords, AreNotKeptWhereOthersMayWrite) {
        std::filesystem::create_directory(place());
        std::filesystem::permissions(place(), std::filesystem::perms{0770});
        const auto records = Records::open(place());
        ASSERT_FALSE(records);
        EXPECT_EQ(records.error(), place() + " is open to others; close it with chmod 700");
}

TEST_F(TheRecords, AreNotKeptInADirectoryOfAnotherUser) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be two users";
        std::filesystem::create_directory(place());
        std::filesystem::permissions(place(), std::filesystem::perms{0700});
        ASSERT_EQ(::chown(place().c_str(), 4243, 4243), 0);
        const auto records = Records::open(place());
        ASSERT_FALSE(records);
        EXPECT_EQ(records.error(), place() + " belongs to user 4243; ask that user or the "
                                             "administrator to remove it");
}

TEST_F(TheRecords, AreNotKeptBehindALink) {
        std::filesystem::create_directory_symlink(directory_.path(), place());
        EXPECT_FALSE(Records::open(place()));
}

TEST_F(TheRecords, AreMadeWithTheFoldersAboveThem) {
        const auto place = directory_.path("home/.local/state/governorctl");
        EXPECT_FALSE(Records::find(place));
        EXPECT_FALSE(std::filesystem::exists(directory_.path("home"))) << "to look makes nothing";
        ASSERT_TRUE(Records::open(place));
        EXPECT_EQ(std::filesystem::status(directory_.path("home")).permissions(),
                  std::filesystem::perms{0700});
        EXPECT_TRUE(Records::find(place));
}

TEST_F(TheRecords, OfAnotherHostThatSharesTheFolderAreLeftAlone) {
        const auto records = open();
        ASSERT_EQ(records.write(sample()), 0);
        const auto name = std::filesystem::directory_iterator(place())->path();
        auto other = name.filename().string();
        other.replace(other.find(boot_id()), boot_id().size(),
                      "00000000-0000-0000-0000-000000000000");
        std::filesystem::rename(name, name.parent_path() / other);
        EXPECT_TRUE(records.list().empty());
}

TEST_F(TheRecords, LieOnlyBelowAFolderOfTheUserThatOthersMayNotWriteTo) {
        const auto below = [](const std::string& folder, unsigned not_open = 0022) {
                return place_below(folder, "records", not_open);
        };
        const auto folder = directory_.path().string();
        EXPECT_EQ(below(folder), folder + "/records");
        std::filesystem::permissions(folder, std::filesystem::perms{0755});
        EXPECT_EQ(below(folder, 0077), "");
        std::filesystem::permissions(folder, std::filesystem::perms{0770});
        EXPECT_EQ(below(folder), "");
        EXPECT_EQ(below(""), "");
        EXPECT_EQ(below("."), "") << "another one for each process";
        EXPECT_EQ(below(directory_.path("nowhere")), "");
        directory_.write("file", "");
        EXPECT_EQ(below(directory_.path("file")), "");
        if (!AsUser::is_possible())
                return;
        std::filesystem::permissions(folder, std::filesystem::perms{0700});
        ASSERT_EQ(::chown(folder.c_str(), 4243, 4243), 0);
        EXPECT_EQ(below(folder), "");
}

TEST_F(TheRecords, AreMadeAnewWhereTheirFolderHasGone) {
        OwnRecord own(place(), "/bin/false");
        ASSERT_EQ(own.write(sample()), "");
        std::filesystem::remove_all(place());  // as at the end of a session
        ASSERT_EQ(own.write(sample()), "");
        EXPECT_EQ(open().list(), std::vector{kRunId});
        own.remove();
        EXPECT_TRUE(open().list().empty());
}

TEST_F(TheRecords, HaveALockThatLeavesNothing) {
        const auto records = open();
        const int lock = records.lock();
        ASSERT_GE(lock, 0);
        records.unlock(lock);
        EXPECT_TRUE(std::filesystem::is_empty(place()));
        const int next = records.lock();
        EXPECT_GE(next, 0);
        EXPECT_FALSE(records.is_lock(lock));
        records.unlock(lock);
        EXPECT_TRUE(records.is_lock(next)) << "it is not that one's any more";
        ::close(lock);
        ::close(next);
}

TEST_F(TheRecords, HaveOneLock) {
        const auto records = open();
        const int lock = records.lock();
        ASSERT_GE(lock, 0);
        EXPECT_EQ(records.lock(), -EWOULDBLOCK);
        EXPECT_TRUE(records.is_lock(lock));
        ::close(lock);
        const int again = records.lock();
        EXPECT_GE(again, 0);
        ::close(again);
        const int other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        EXPECT_FALSE(records.is_lock(other));
        ::close(other);
}

}  // namespace
}  // namespace ctl::outside
