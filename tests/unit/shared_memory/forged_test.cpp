// SPDX-License-Identifier: MIT
// The library refuses memory that is no pair of arenas, whoever sends it.
#include "arena.hpp"
#include "server/sharing/arena.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace shared_memory_test {
namespace {

using governor::server::make_shared_memory;
using governor::server::seal;
using governor::server::UniqueFd;
using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

constexpr int kReportSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr int kGrantSeals = kReportSeals | F_SEAL_FUTURE_WRITE;
constexpr std::uint64_t kSize = 64 * 1024;

/// 64 slots for 64 CPUs, in memory of kSize each.
governor_grant_header sound() {
        governor_grant_header header{};
        const Daemon daemon(64, 64);
        EXPECT_GT(::pread(daemon.grants_fd(), &header, sizeof(header), 0), 0);
        header.size = kSize;
        header.report_size = kSize;
        return header;
}

UniqueFd memory(const governor_grant_header& header, int seals) {
        auto fd = make_shared_memory("forged", kSize);
        EXPECT_GT(::pwrite(fd.get(), &header, sizeof(header), 0), 0);
        if (seals != 0)
                seal(fd, seals);
        return fd;
}

int attach(int grant_seals, int report_seals) {
        Program program;
        return program.attach(memory(sound(), grant_seals).get(), memory({}, report_seals).get(),
                              0);
}

TEST(ForgedTest, MemoryWithoutTheSealsIsRefused) {
        EXPECT_EQ(attach(kGrantSeals, kReportSeals), 0);
        EXPECT_EQ(attach(kGrantSeals | F_SEAL_SEAL, kReportSeals | F_SEAL_SEAL), 0);
        for (const int missing : {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE})
                EXPECT_EQ(attach(kGrantSeals & ~missing, kReportSeals), -EPROTO);
        for (const int missing : {F_SEAL_SHRINK, F_SEAL_GROW})
                EXPECT_EQ(attach(kGrantSeals, kReportSeals & ~missing), -EPROTO);
}

TEST(ForgedTest, ReportsThatCannotBeWrittenAreRefused) {
        EXPECT_EQ(attach(kGrantSeals, kReportSeals | F_SEAL_FUTURE_WRITE), -EPROTO);
        EXPECT_EQ(attach(kGrantSeals, kReportSeals | F_SEAL_WRITE), -EPROTO);
}

TEST(ForgedTest, OtherFilesAreRefusedAndWhatIsAttachedStays) {
        Daemon daemon(1, 64);
        daemon.publish(0, {});
        Program program;
        ASSERT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 0), 0);
        const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
        const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
        for (const int fd : {-1, file.get(), null.get()}) {
                EXPECT_EQ(program.attach(fd, daemon.reports_fd(), 0), -EPROTO);
                EXPECT_EQ(program.attach(daemon.grants_fd(), fd, 0), -EPROTO);
        }
        EXPECT_EQ(program.attach(daemon.reports_fd(), daemon.grants_fd(), 0), -EPROTO);
        EXPECT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 1), -EPROTO);
        EXPECT_EQ(program.load(), governor_word(1, 1, 0));
        program.report(1, 1, true);
        EXPECT_TRUE(daemon.report(0).in_region);
}

TEST(ForgedTest, PoolsAreNotReportedWhereAnOlderGovernorHasNoRoomForThem) {
        auto header = sound();
        header.report_slot_size = GOVERNOR_REPORT_SLOT_SIZE_MIN;
        const auto reports = memory({}, kReportSeals);
        const std::vector<std::byte> nothing(kSize);
        ASSERT_EQ(::pwrite(reports.get(), nothing.data(), kSize, 0), ssize_t{kSize});
        Program program;
        ASSERT_EQ(program.attach(memory(header, kGrantSeals).get(), reports.get(), 1), 0);
        program.report_pool({1, 2, 3, 4, 5, 6});
        std::vector<std::byte> left(kSize);
        ASSERT_EQ(::pread(reports.get(), left.data(), kSize, 0), ssize_t{kSize});
        EXPECT_EQ(left, nothing);
        program.report(1, 1, true);
        ASSERT_EQ(::pread(reports.get(), left.data(), kSize, 0), ssize_t{kSize});
        EXPECT_NE(left, nothing) << "the rest is";
}

TEST(ForgedTest, WhatCannotBeMappedLeavesNothingAttached) {
        Daemon daemon(1, 64);
        daemon.publish(0, {});
        Program program;
        ASSERT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 0), 0);
        const auto* word = program.word();
        const UniqueFd reports(
                ::open(("/proc/self/fd/" + std::to_string(daemon.reports_fd())).c_str(),
                       O_RDONLY | O_CLOEXEC));
        EXPECT_EQ(program.attach(daemon.grants_fd(), reports.get(), 0), -EACCES);
        EXPECT_EQ(program.load(), 0U);
        EXPECT_EQ(word->load(), 0U);  // an address that was valid stays so
}

/// Reads and reports all that can be: an address outside would end the test.
void use(Program& program) {
        std::vector<std::uint64_t> set(GOVERNOR_ARENA_SET_WORDS_MAX);
        std::uint64_t word = 0;
        governor_grant_reason reason{};
        EXPECT_GE(program.read_set(set.data(), set.size(), &word, &reason), 1);
        (void)program.load();
        (void)program.heartbeat();
        program.report(1, 2, true);
        program.count_region();
}

TEST(ForgedTest, AForgedHeaderIsRefusedOrReadWithinItsMemory) {
        std::mt19937_64 random(7);
        const auto good = sound();
        constexpr std::uint64_t kExtremes[] = {0,   1,          8,           48,    64,   128,
                                               512, 0x7fffffff, 0x80000000U, ~0ULL, kSize};
        const auto reports = memory({}, kReportSeals);
        Program program;
        int accepted = 0;
        for (int i = 0; i < 3'000; i++) {
                auto header = good;
                auto* bytes = reinterpret_cast<char*>(&header);
                const auto value = i % 2 == 0 ? kExtremes[random() % std::size(kExtremes)]
                                              : random() % kSize / 8 * 8;
                std::memcpy(bytes + random() % 15 * 4, &value, sizeof(std::uint32_t));
                if (i % 3 == 0)
                        bytes[random() % 64] = static_cast<char>(random());
                const auto grants = memory(header, kGrantSeals);
                const auto slot = static_cast<std::uint32_t>(random() % 64);
                const int result = program.attach(grants.get(), reports.get(), slot);
                ASSERT_TRUE(result == 0 || result == -EPROTO) << result;
                if (result < 0)
                        continue;
                accepted++;
                use(program);
        }
        EXPECT_GT(accepted, 50);
        EXPECT_LT(accepted, 2'500);
}

TEST(ForgedTest, NothingInASlotLeadsOutside) {
        std::mt19937_64 random(8);
        const auto header = sound();
        const auto reports = memory({}, kReportSeals);
        Program program;
        for (int i = 0; i < 200; i++) {
                auto grants = make_shared_memory("forged", kSize);
                std::vector<std::uint64_t> bytes(kSize / 8);
                for (auto& word : bytes)
                        word = random();
                std::memcpy(bytes.data(), &header, sizeof(header));
                ASSERT_GT(::pwrite(grants.get(), bytes.data(), kSize, 0), 0);
                seal(grants, kGrantSeals);
                ASSERT_EQ(program.attach(grants.get(), reports.get(), 63), 0);
                use(program);
        }
}

}  // namespace
}  // namespace shared_memory_test
