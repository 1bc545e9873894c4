// SPDX-License-Identifier: MIT
// The program reads what the daemon tells, and the daemon what the program tells.
#include "arena.hpp"
#include "server/sharing/arena.hpp"
#include "shared_memory/patterns.hpp"

#include <cerrno>
#include <governor/v1/reasons.h>
#include <gtest/gtest.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace shared_memory_test {
namespace {

using governor::policy::CpuMask;
using governor::policy::fair::Grant;
using governor::policy::fair::Limit;
using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

struct Read {
        int words = 0;
        std::uint64_t word = 0;
        governor_grant_reason reason{};
        std::vector<std::uint64_t> set;
};

Read read(const Program& program, std::size_t n) {
        Read result;
        result.set.assign(n, 0xdead);
        result.words = program.read_set(result.set.data(), n, &result.word, &result.reason);
        return result;
}

int attach(Program& program, const Daemon& daemon, std::uint32_t slot = 0) {
        return program.attach(daemon.grants_fd(), daemon.reports_fd(), slot);
}

class RoundTripTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RoundTripTest, AGrantIsReadAsItWasPublished) {
        const auto cpus = GetParam();
        Daemon daemon(8, cpus);
        Program program;
        ASSERT_EQ(attach(program, daemon, 7), 0);
        const std::size_t words = (cpus + 63) / 64;
        const Patterns patterns(1, cpus);
        for (std::uint32_t i = 0; i < 200; i++) {
                const auto epoch = daemon.publish(7, patterns.of(i));
                const auto got = read(program, words);
                ASSERT_EQ(got.words, static_cast<int>(words));
                EXPECT_EQ(got.word, governor_word(epoch, i % kPatterns + 1, 0));
                EXPECT_EQ(program.load(), got.word);
                EXPECT_EQ(program.word()->load(), got.word);
                EXPECT_TRUE(patterns.contain(got.word, got.reason, got.set));
        }
}

INSTANTIATE_TEST_SUITE_P(Cpus, RoundTripTest, testing::Values(1, 64, 65, 1024, 4096));

TEST(SharedMemoryTest, TheReasonArrivesWithItsNumbers) {
        Daemon daemon(1, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon), 0);
        Grant grant;
        grant.reason = {Limit::Rigid, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        daemon.publish(0, grant);
        const auto reason = read(program, 1).reason;
        EXPECT_EQ(reason.limit, static_cast<std::uint32_t>(GOVERNOR_LIMIT_RIGID));
        const std::uint32_t numbers[] = {reason.cpus,  reason.foreign,  reason.reserved,
                                         reason.rigid, reason.programs, reason.accounts,
                                         reason.share, reason.bound,    reason.own_foreign};
        for (std::uint32_t i = 0; i < 9; i++)
                EXPECT_EQ(numbers[i], i + 1);
}

TEST(SharedMemoryTest, ReadersHaveRoomForMoreOrFewerCpus) {
        Daemon daemon(1, 256);
        Program program;
        ASSERT_EQ(attach(program, daemon), 0);
        Grant grant;
        grant.cpus = CpuMask::range(0, 256);
        daemon.publish(0, grant);
        const auto more = read(program, 6);
        EXPECT_EQ(more.words, 4);
        constexpr auto kAll = ~std::uint64_t{0};
        EXPECT_EQ(more.set, (std::vector<std::uint64_t>{kAll, kAll, kAll, kAll, 0, 0}));
        EXPECT_EQ(read(program, 1).words, 4);
        EXPECT_EQ(read(program, 0).words, 4);
}

TEST(SharedMemoryTest, CpusThatTheArenaHasNoRoomForAreLeftOut) {
        Daemon daemon(2, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon), 0);
        Grant grant;
        grant.cpus = CpuMask::range(63, 1'000);
        daemon.publish(0, grant);
        EXPECT_EQ(read(program, 2).set, (std::vector<std::uint64_t>{1ULL << 63, 0}));
}

TEST(SharedMemoryTest, AReleasedGrantStaysReadable) {
        Daemon daemon(1, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon), 0);
        const Patterns patterns(1, 64);
        daemon.publish(0, patterns.of(9));
        daemon.release(0);
        const auto got = read(program, 1);
        EXPECT_EQ(governor_word_flags(got.word), GOVERNOR_GRANT_RELEASED);
        EXPECT_TRUE(patterns.contain(got.word, got.reason, got.set));
        daemon.renew(0);
        EXPECT_EQ(read(program, 1).set[0], 0U);
        EXPECT_EQ(governor_word_threads(program.load()), 0U);
}

TEST(SharedMemoryTest, AFreshSlotIsClearedOfWhatAnotherProgramSaid) {
        Daemon daemon(4, 64);
        Program former;
        ASSERT_EQ(attach(former, daemon, 2), 0);
        former.count_region();
        former.report(17, 3, true);
        Program program;
        ASSERT_EQ(attach(program, daemon, 2), 0);
        EXPECT_EQ(daemon.report(2).regions, 1U) << "another handle of a process shares it";
        ASSERT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 2, Program::Slot::Fresh),
                  0);
        EXPECT_EQ(daemon.report(2).regions, 0U);
        EXPECT_EQ(daemon.report(2).epoch, 0U);
        EXPECT_FALSE(daemon.report(2).in_region);
}

TEST(SharedMemoryTest, TheDaemonReadsWhatIsReported) {
        Daemon daemon(4, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon, 2), 0);
        program.count_region();
        program.count_region();
        program.report(17, 0xffffffff, true);
        auto said = daemon.report(2);
        EXPECT_EQ(said.epoch, 17U);
        EXPECT_EQ(said.team, GOVERNOR_WORD_THREADS_MAX);
        EXPECT_TRUE(said.in_region);
        EXPECT_EQ(said.regions, 2U);
        program.report(17, 4, false);
        said = daemon.report(2);
        EXPECT_EQ(said.team, 4U);
        EXPECT_FALSE(said.in_region);
        EXPECT_EQ(daemon.report(1).regions, 0U);
}

TEST(SharedMemoryTest, TheEndOfARegionKeepsItsEpoch) {
        const Daemon daemon(1, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon), 0);
        program.count_region();
        program.report(17, 4, true);
        program.report_again(3, false);
        const auto said = daemon.report(0);
        EXPECT_EQ(said.epoch, 17U);
        EXPECT_EQ(said.team, 3U);
        EXPECT_FALSE(said.in_region);
        EXPECT_EQ(said.regions, 1U);
}

/// The time that a team of that size alone has taken is shown for these sizes.
TEST(SharedMemoryTest, RegionTimesAreAddedUpByTheSizeOfTheTeam) {
        struct Case {
                std::uint32_t team, from, to;
        };
        for (const auto& [team, from, to] :
             {Case{1, 1, 1}, Case{2, 2, 3}, Case{3, 2, 3}, Case{4, 4, 7},
              Case{16'384, 16'384, 32'767}, Case{32'767, 16'384, 32'767}, Case{32'768, 32'768, 0},
              Case{65'536, 32'768, 0}, Case{0xffffffff, 32'768, 0}}) {
                const Daemon daemon(3, 64);
                Program program;
                ASSERT_EQ(attach(program, daemon, 1), 0);
                program.add_region_time(team, 100);
                program.add_region_time(team, 301);
                const auto times = daemon.region_times(1);
                ASSERT_EQ(times.size(), 1U) << team;
                EXPECT_EQ(times[0].team_from, from) << team;
                EXPECT_EQ(times[0].team_to, to) << team;
                EXPECT_EQ(times[0].count, 2U);
                EXPECT_EQ(times[0].mean_ns, 200U);
                EXPECT_TRUE(daemon.region_times(0).empty());
                EXPECT_TRUE(daemon.region_times(2).empty());
                program.report(1, 7, false);
                EXPECT_EQ(daemon.report(1).ended, 2U) << team;
                EXPECT_EQ(daemon.report(1).ended_ns, 401U) << team;
                EXPECT_EQ(daemon.report(1).regions, 0U) << "nothing else is written";
                EXPECT_EQ(daemon.report(1).progress_total, 0U);
        }
}

TEST(SharedMemoryTest, TheDaemonReadsWhatPoolsReport) {
        const Daemon daemon(3, 64);
        Program program;
        ASSERT_EQ(attach(program, daemon, 1), 0);
        EXPECT_FALSE(daemon.pool(1));
        program.report_pool({8, 3, 1'200, 7, 12, 9});
        const auto pool = daemon.pool(1);
        ASSERT_TRUE(pool);
        EXPECT_EQ(pool->lanes, 8U);
        EXPECT_EQ(pool->active, 3U);
        EXPECT_EQ(pool->executed, 1'200U);
        EXPECT_EQ(pool->stolen, 7U);
        EXPECT_EQ(pool->parked, 12U);
        EXPECT_EQ(pool->woken, 9U);
        EXPECT_FALSE(daemon.pool(0));
        EXPECT_FALSE(daemon.pool(2));
        EXPECT_EQ(daemon.report(1).regions, 0U) << "nothing else is written";
        EXPECT_TRUE(daemon.region_times(1).empty());
        EXPECT_EQ(daemon.report(2).epoch, 0U);
}

TEST(SharedMemoryTest, TheProgramHearsTheHeart) {
        Daemon daemon(1, 64);
        Program program;
        EXPECT_EQ(program.heartbeat(), 0U);
        ASSERT_EQ(attach(program, daemon), 0);
        EXPECT_EQ(program.heartbeat(), 1U);
        daemon.beat();
        EXPECT_EQ(program.heartbeat(), 2U);
}

void expect_detached(Program& program) {
        EXPECT_EQ(program.load(), 0U);
        EXPECT_EQ(program.word()->load(), 0U);
        EXPECT_EQ(program.heartbeat(), 0U);
        EXPECT_EQ(read(program, 1).words, -ENOTCONN);
        program.report(1, 1, true);
        program.count_region();
        program.add_region_time(1, 1);
        program.report_again(1, false);
        program.report_pool({1, 1, 1, 1, 1, 1});
}

TEST(SharedMemoryTest, NothingIsGrantedWhileNothingIsAttached) {
        Daemon daemon(1, 64);
        Program program;
        expect_detached(program);
        ASSERT_EQ(attach(program, daemon), 0);
        daemon.publish(0, {});
        daemon.beat();
        program.detach();
        expect_detached(program);
        EXPECT_FALSE(daemon.report(0).in_region);
        ASSERT_EQ(attach(program, daemon), 0);
        EXPECT_EQ(program.load(), governor_word(1, 1, 0));
}

TEST(SharedMemoryTest, TheDescriptorsAreNotNeededAfterwards) {
        auto daemon = std::make_optional<Daemon>(1, 64);
        Program program;
        ASSERT_EQ(attach(program, *daemon), 0);
        daemon->publish(0, {});
        daemon.reset();
        EXPECT_EQ(program.load(), governor_word(1, 1, 0));
        EXPECT_EQ(read(program, 1).words, 1);
        program.report(1, 1, true);
}

TEST(SharedMemoryTest, AForkedChildCanLeaveItAlone) {
        Daemon daemon(1, 64);
        auto program = std::make_optional<Program>();
        ASSERT_EQ(attach(*program, daemon), 0);
        const auto child = ::fork();
        if (child == 0) {
                const bool readable = program->load() == 0 && read(*program, 1).words == 1;
                program.reset();
                ::_exit(readable ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        daemon.publish(0, {});
        EXPECT_EQ(program->load(), governor_word(1, 1, 0));
        program->report(1, 1, true);
        EXPECT_TRUE(daemon.report(0).in_region);
}

}  // namespace
}  // namespace shared_memory_test
