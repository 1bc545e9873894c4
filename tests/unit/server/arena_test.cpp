// SPDX-License-Identifier: MIT
// The words that the daemon writes into shared memory, and its reading of the words that clients
// write there.
#include "server/sharing/arena.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <vector>

namespace governor::server {
namespace {

using policy::CpuMask;
using policy::fair::Grant;
using policy::fair::Limit;

Grant grant_of(std::uint32_t threads) {
        Grant grant;
        grant.threads = threads;
        grant.cpus = CpuMask::range(0, threads);
        grant.reason = {Limit::Quota, 64, 9, 1, 2, 3, 4, 14, 5};
        return grant;
}

governor_grant_header header_of(const Arena& arena) {
        governor_grant_header header{};
        EXPECT_EQ(::pread(arena.grants_fd(), &header, sizeof(header), 0),
                  static_cast<ssize_t>(sizeof(header)));
        return header;
}

std::uint64_t word_of(const Arena& arena, std::uint32_t slot) {
        const auto header = header_of(arena);
        std::uint64_t word = 0;
        EXPECT_EQ(::pread(arena.grants_fd(), &word, sizeof(word),
                          static_cast<off_t>(header.slots_offset + slot * header.slot_size)),
                  static_cast<ssize_t>(sizeof(word)));
        return word;
}

/// Writes as a client may, to its own slot and to all others.
void write_report(const Arena& arena, std::uint32_t slot, const governor_report_slot& report) {
        ASSERT_EQ(::pwrite(arena.reports_fd(), &report, sizeof(report),
                           static_cast<off_t>(slot * sizeof(report))),
                  static_cast<ssize_t>(sizeof(report)));
}

off_t size_of(int fd) {
        struct stat status {};
        EXPECT_EQ(::fstat(fd, &status), 0);
        return status.st_size;
}

TEST(ArenaTest, HeaderTellsTheSizesOfBothMemories) {
        const Arena arena(64, 65);
        const auto header = header_of(arena);
        EXPECT_EQ(header.magic, GOVERNOR_ARENA_MAGIC);
        EXPECT_EQ(header.version, GOVERNOR_ARENA_VERSION);
        EXPECT_EQ(header.slot_count, 64U);
        EXPECT_EQ(header.set_words, 2U);
        EXPECT_EQ(header.slot_size % GOVERNOR_ARENA_LINE, 0U);
        EXPECT_EQ(header.size, static_cast<std::uint64_t>(size_of(arena.grants_fd())));
        EXPECT_EQ(header.report_size, static_cast<std::uint64_t>(size_of(arena.reports_fd())));
}

TEST(ArenaTest, RefusesNumbersOutOfRange) {
        EXPECT_THROW(Arena(0, 1), std::system_error);
        EXPECT_THROW(Arena(1, 0), std::system_error);
        EXPECT_THROW(Arena(1, policy::kCpuNumberLimit + 1), std::system_error);
        EXPECT_THROW(Arena(0xffffffff, 64), std::system_error);
        EXPECT_NO_THROW(Arena(1, policy::kCpuNumberLimit));
}

TEST(ArenaTest, EpochCountsTheGrantsOfEachSlot) {
        Arena arena(2, 64);
        EXPECT_EQ(word_of(arena, 1), 0U);
        EXPECT_EQ(arena.publish(1, grant_of(5)), 1U);
        EXPECT_EQ(word_of(arena, 1), governor_word(1, 5, 0));
        EXPECT_EQ(arena.publish(1, grant_of(3)), 2U);
        EXPECT_EQ(word_of(arena, 1), governor_word(2, 3, 0));
        EXPECT_EQ(word_of(arena, 0), 0U);
}

TEST(ArenaTest, FlagsFollowFromTheGrant) {
        Arena arena(1, 64);
        auto grant = grant_of(1);
        grant.crowded = true;
        arena.publish(0, grant);
        EXPECT_EQ(governor_word_flags(word_of(arena, 0)), GOVERNOR_GRANT_CROWDED);
        grant.crowded = false;
        grant.shared = true;
        arena.publish(0, grant);
        EXPECT_EQ(governor_word_flags(word_of(arena, 0)), GOVERNOR_GRANT_SHARED);
}

TEST(ArenaTest, ThreadsAreCappedAtWhatTheWordHolds) {
        Arena arena(1, 64);
        Grant grant;
        grant.threads = 0xffffffff;
        arena.publish(0, grant);
        EXPECT_EQ(word_of(arena, 0), governor_word(1, GOVERNOR_WORD_THREADS_MAX, 0));
        grant.threads = 0;
        arena.publish(0, grant);
        EXPECT_EQ(word_of(arena, 0), governor_word(2, 1, 0));
}

TEST(ArenaTest, ReleasingRepeatsTheLastGrant) {
        Arena arena(1, 64);
        auto grant = grant_of(7);
        grant.shared = true;
        arena.publish(0, grant);
        EXPECT_EQ(arena.release(0), 2U);
        EXPECT_EQ(word_of(arena, 0),
                  governor_word(2, 7, GOVERNOR_GRANT_RELEASED | GOVERNOR_GRANT_SHARED));
}

TEST(ArenaTest, TellsWhoIsParkedAlsoWhenItIsReleased) {
        Arena arena(1, 64);
        auto grant = grant_of(1);
        grant.parked = true;
        arena.publish(0, grant);
        EXPECT_EQ(word_of(arena, 0), governor_word(1, 1, GOVERNOR_GRANT_PARKED));
        arena.release(0);
        EXPECT_EQ(word_of(arena, 0),
                  governor_word(2, 1, GOVERNOR_GRANT_PARKED | GOVERNOR_GRANT_RELEASED));
}

TEST(ArenaTest, AnotherClientOfASlotFindsNothingOfTheFormer) {
        Arena arena(1, 64);
        arena.publish(0, grant_of(7));
        write_report(arena, 0, {1, 2, 3, 4, {}, {}, {}});
        EXPECT_EQ(arena.renew(0), 2U);
        EXPECT_EQ(word_of(arena, 0), governor_word(2, 0, 0));
        EXPECT_EQ(arena.report(0).regions, 2U) << "which the client clears";
}

TEST(ArenaTest, ReadsAReport) {
        const Arena arena(3, 64);
        write_report(arena, 2,
                     {governor_word(9, 12, GOVERNOR_REPORT_IN_REGION), 1'000, 3, 10, {}, {}, {}});
        const auto said = arena.report(2);
        EXPECT_EQ(said.epoch, 9U);
        EXPECT_EQ(said.team, 12U);
        EXPECT_TRUE(said.in_region);
        EXPECT_EQ(said.regions, 1'000U);
        EXPECT_EQ(said.progress_done, 3U);
        EXPECT_EQ(said.progress_total, 10U);
        EXPECT_FALSE(arena.report(1).in_region);
}

TEST(ArenaTest, ReadsManyReportsAsItReadsOne) {
        const Arena arena(512, 64);
        for (std::uint32_t slot = 0; slot < arena.slots(); slot += 3)
                write_report(arena, slot,
                             {governor_word(slot + 1, 2, slot % 2), slot, 3, 4, {}, {}, {}});
        for (const std::uint32_t count : {0U, 1U, 199U, 200U, 201U, 512U}) {
                const auto said = arena.reports(count);
                ASSERT_EQ(said.size(), count);
                for (std::uint32_t slot = 0; slot < count; slot++) {
                        const auto one = arena.report(slot);
                        EXPECT_EQ(said[slot].epoch, one.epoch) << slot;
                        EXPECT_EQ(said[slot].regions, one.regions) << slot;
                        EXPECT_EQ(said[slot].in_region, one.in_region) << slot;
                        EXPECT_EQ(said[slot].progress_total, one.progress_total) << slot;
                }
        }
}

TEST(ArenaTest, ReadsHowLongRegionsTookWhateverTheSizeOfTheirTeams) {
        const Arena arena(3, 64);
        governor_report_slot slot{};
        for (std::uint32_t i = 0; i < std::size(slot.region_time); i++)
                slot.region_time[i] = {i + 1, 100 * (i + 1)};
        for (const auto team : {0U, 1U, 3U, 16U, 1U << 20, GOVERNOR_WORD_THREADS_MAX}) {
                slot.word = governor_word(9, team, 0);
                write_report(arena, 2, slot);
                EXPECT_EQ(arena.report(2).ended, 136U) << team;
                EXPECT_EQ(arena.report(2).ended_ns, 13'600U) << team;
                EXPECT_EQ(arena.reports(3)[2], arena.report(2)) << team;
        }
}

TEST(ArenaTest, NoReportIsTooStrange) {
        const Arena arena(1, 64);
        constexpr auto kAll = ~std::uint64_t{0};
        write_report(arena, 0, {kAll, kAll, kAll, 5, {kAll, kAll, kAll, kAll}, {}, {}});
        const auto said = arena.report(0);
        EXPECT_EQ(said.epoch, 0xffffffffU);
        EXPECT_EQ(said.team, GOVERNOR_WORD_THREADS_MAX);
        EXPECT_TRUE(said.in_region);
        EXPECT_EQ(said.progress_done, 5U);
}

TEST(ArenaTest, ReadsHowLongRegionsTookOfTeamsThatThereWere) {
        const Arena arena(3, 64);
        EXPECT_TRUE(arena.region_times(2).empty());
        write_report(arena, 2,
                     {0,
                      0,
                      0,
                      0,
                      {},
                      {{1, 30},
                       {2, 41},
                       {0, 99},
                       {3, 2},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {4, 4}},
                      {}});
        const auto times = arena.region_times(2);
        ASSERT_EQ(times.size(), 4U);
        const std::uint64_t expected[][4] = {
                {1, 1, 1, 30}, {2, 3, 2, 20}, {8, 15, 3, 0}, {32'768, 0, 4, 1}};
        for (std::size_t i = 0; i < times.size(); i++) {
                EXPECT_EQ(times[i].team_from, expected[i][0]) << i;
                EXPECT_EQ(times[i].team_to, expected[i][1]) << i;
                EXPECT_EQ(times[i].count, expected[i][2]) << i;
                EXPECT_EQ(times[i].mean_ns, expected[i][3]) << i;
        }
        EXPECT_TRUE(arena.region_times(1).empty());
}

TEST(ArenaTest, NoRegionTimeIsTooStrange) {
        const Arena arena(1, 64);
        constexpr auto kAll = ~std::uint64_t{0};
        governor_report_slot said{};
        std::memset(&said, 0xff, sizeof(said));
        write_report(arena, 0, said);
        auto times = arena.region_times(0);
        ASSERT_EQ(times.size(), 16U);
        for (const auto& time : times) {
                EXPECT_EQ(time.count, kAll);
                EXPECT_EQ(time.mean_ns, 1U);
        }
        said.region_time[0] = {kAll, 0};
        said.region_time[1] = {1, kAll};
        said.region_time[2] = {0, kAll};
        write_report(arena, 0, said);
        times = arena.region_times(0);
        ASSERT_EQ(times.size(), 15U);
        EXPECT_EQ(times[0].mean_ns, 0U);
        EXPECT_EQ(times[1].mean_ns, kAll);
        EXPECT_EQ(times[2].team_from, 8U);
}

TEST(ArenaTest, ReadsWhatPoolsDidAndBelievesNoPartAboveItsWhole) {
        const Arena arena(2, 64);
        EXPECT_FALSE(arena.pool(1));
        governor_report_slot said{};
        said.pool = {4, 5, 100, 101, 7, 9, {}};
        write_report(arena, 1, said);
        auto pool = arena.pool(1);
        ASSERT_TRUE(pool);
        EXPECT_EQ(pool->lanes, 4U);
        EXPECT_EQ(pool->active, 4U);
        EXPECT_EQ(pool->executed, 100U);
        EXPECT_EQ(pool->stolen, 100U);
        EXPECT_EQ(pool->parked, 7U);
        EXPECT_EQ(pool->woken, 9U);
        EXPECT_FALSE(arena.pool(0));
        said.pool = {0, 0, 1, 0, 0, 0, {}};
        write_report(arena, 1, said);
        pool = arena.pool(1);
        ASSERT_TRUE(pool) << "it has ended, but there was one";
        EXPECT_EQ(pool->lanes, 0U);
        said.pool = {0, 3, 0, 4, 0, 0, {1, 2}};
        write_report(arena, 1, said);
        EXPECT_FALSE(arena.pool(1)) << "parts of nothing";
}

TEST(ArenaTest, NoPoolIsTooStrange) {
        const Arena arena(1, 64);
        constexpr auto kAll = ~std::uint64_t{0};
        governor_report_slot said{};
        std::memset(&said, 0xff, sizeof(said));
        write_report(arena, 0, said);
        const auto pool = arena.pool(0);
        ASSERT_TRUE(pool);
        EXPECT_EQ(pool->lanes, 65'536U);
        EXPECT_EQ(pool->active, 65'536U);
        for (const auto number : {pool->executed, pool->stolen, pool->parked, pool->woken})
                EXPECT_EQ(number, kAll);
}

TEST(ArenaTest, ReadingReportsTakesNoMemoryThatAClientGaveAway) {
        Arena arena(64, 64);
        ASSERT_EQ(::fallocate(arena.reports_fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                              size_of(arena.reports_fd())),
                  0);
        for (std::uint32_t slot = 0; slot < arena.slots(); slot++) {
                EXPECT_EQ(arena.report(slot).team, 0U);
                EXPECT_TRUE(arena.region_times(slot).empty());
                EXPECT_FALSE(arena.pool(slot));
        }
        struct stat status {};
        ASSERT_EQ(::fstat(arena.reports_fd(), &status), 0);
        EXPECT_EQ(status.st_blocks, 0);
}

TEST(ArenaTest, TheHeartCountsUp) {
        Arena arena(1, 64);
        EXPECT_EQ(header_of(arena).heartbeat, 1U) << "0 is no period: see the library's Masters";
        arena.beat();
        arena.beat();
        EXPECT_EQ(header_of(arena).heartbeat, 3U);
}

}  // namespace
}  // namespace governor::server
