// SPDX-License-Identifier: MIT
// A program that keeps its count has it whatever is granted, and waits for its turn all the same.
#include "support/process.hpp"
#include "turn_fixture.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <sys/wait.h>
#include <thread>

namespace shared_memory_test {
namespace {

class KeepTest : public TurnTest {
protected:
        KeepTest() { ::setenv("THREADCOUNT", "keep", 1); }
        ~KeepTest() override { ::unsetenv("THREADCOUNT_MAX"); }

        /// One CPU of eight is its own.
        void open_with_one() {
                governor_->publish(1, false);
                open();
        }
        /// The same, for a handle that the test opens.
        [[nodiscard]] threadcount_options options_with_one() {
                governor_->publish(1, false);
                governor_->start();
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = socket_.c_str();
                options.max_threads = kMax;
                return options;
        }
        void expect_report(std::uint32_t team, bool in_region) const {
                const auto said = governor_->report();
                EXPECT_EQ(said.team, team);
                EXPECT_EQ(said.in_region, in_region);
        }
};

std::uint32_t enter_with_three(threadcount_handle* handle) {
        threadcount_region_enter(handle, 3);
        return 3;
}

TEST_F(KeepTest, AProgramSaysThatItKeepsItsCountAndCanWait) {
        open_with_one();
        EXPECT_TRUE(governor_->was_told(6));
        EXPECT_TRUE(governor_->was_told(10));
        EXPECT_EQ(threadcount_takes_turns(handle_), 1);
}

TEST_F(KeepTest, OthersDoNot) {
        ::unsetenv("THREADCOUNT");
        open_with_four();
        EXPECT_FALSE(governor_->was_told(10));
        EXPECT_EQ(threadcount_takes_turns(handle_), 0);
}

TEST_F(KeepTest, AProgramThatFollowsSaysItOnceThreeTeamsOfItsOwnAreLargerThanItsGrant) {
        ::unsetenv("THREADCOUNT");
        open_with_four();
        threadcount_region_enter(handle_, 4);
        threadcount_region_end(handle_, 4);
        for (const std::uint32_t team : {5U, 5U, 4U, 5U, 5U, 5U}) {
                EXPECT_EQ(governor_->updated_max(), 0U);
                threadcount_region_enter(handle_, team);
                threadcount_region_end(handle_, team);
        }
        EXPECT_EQ(governor_->updated_max(), kMax);
        EXPECT_TRUE(governor_->updated_keeps());
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_, enter_with_three);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 3U);
        EXPECT_EQ(threadcount_threads(handle_), 2U) << "where it asks it follows";
}

TEST_F(KeepTest, OptionsSayItForAProgramWhoseUserSaysNothing) {
        ::unsetenv("THREADCOUNT");
        auto options = options_with_one();
        options.keeps = 1;
        ASSERT_EQ(threadcount_open(&options, &handle_), 0);
        EXPECT_TRUE(governor_->was_told(10));
        EXPECT_EQ(threadcount_threads(handle_), kMax);
        handle_ = threadcount_close(handle_);
        ::setenv("THREADCOUNT", "off", 1);
        ASSERT_EQ(threadcount_open(&options, &handle_), 0);
        EXPECT_EQ(threadcount_takes_turns(handle_), 0) << "the user wins";
}

TEST_F(KeepTest, AProgramThatCanMakeItsThreadsSleepIsToldOfACrowd) {
        auto options = options_with_one();
        options.sleeps = 1;
        ASSERT_EQ(threadcount_open(&options, &handle_), 0);
        EXPECT_TRUE(governor_->was_told(11));
        EXPECT_EQ(threadcount_region_enter(handle_, kMax), 0);
        threadcount_region_end(handle_, kMax);
        governor_->publish(1, false, true);
        EXPECT_EQ(threadcount_region_enter(handle_, kMax), 1);
        threadcount_region_end(handle_, kMax);
        threadcount_spins(handle_);
        EXPECT_EQ(governor_->updated_max(), kMax) << "it says so at once";
        EXPECT_TRUE(governor_->updated_keeps());
        EXPECT_FALSE(governor_->updated_sleeps());
        threadcount_spins(nullptr);
}

TEST_F(KeepTest, ItsShortRegionsAreCountedAsEightAtATime) {
        open_with_one();
        for (int i = 0; i < 17; i++) {
                (void)threadcount_region_begin(handle_);
                threadcount_region_end(handle_, kMax);
        }
        EXPECT_EQ(governor_->report().ended, 17U)
                << "the first one, and two of eight that stand for eight";
        EXPECT_LT(governor_->report().ended_ns, 17U * 20'000'000);
        for (int i = 0; i < 8; i++) {
                (void)threadcount_region_begin(handle_);
                std::this_thread::sleep_for(std::chrono::milliseconds(i < 7 ? 0 : 30));
                threadcount_region_end(handle_, kMax);
        }
        EXPECT_EQ(governor_->report().ended, 18U) << "a long one stands for itself";
        EXPECT_GE(governor_->report().ended_ns, 20'000'000U);
}

TEST_F(KeepTest, EveryAnswerIsItsMaximumAndSoIsWhatIsReported) {
        open_with_one();
        EXPECT_EQ(threadcount_threads(handle_), kMax);
        EXPECT_EQ(threadcount_share(handle_), kMax);
        EXPECT_EQ(threadcount_cpus(handle_, nullptr, 0), kMax);
        for (int i = 0; i < 3; i++) {
                EXPECT_EQ(threadcount_region_begin(handle_), kMax);
                expect_report(kMax, true);
                threadcount_region_end(handle_, kMax);
                expect_report(kMax, false);
        }
}

TEST_F(KeepTest, ThreadsThatBeginRegionsAtOnceDoNotShareIt) {
        ::setenv("THREADCOUNT_MAX", "4", 1);
        open_with_one();
        std::thread([&] { (void)threadcount_share(handle_); }).join();
        EXPECT_EQ(threadcount_share(handle_), 4U);
}

TEST_F(KeepTest, ItSaysWhy) {
        open_with_one();
        char text[400];
        (void)threadcount_reason(handle_, static_cast<char*>(text), sizeof(text));
        EXPECT_TRUE(std::string(static_cast<char*>(text))
                            .starts_with("THREADCOUNT=keep keeps the program's own maximum, 8; "
                                         "governor: "))
                << static_cast<char*>(text);
}

TEST_F(KeepTest, ItWaitsForItsTurnAndThenHasItsMaximum) {
        open_with_one();
        for (int round = 0; round < 3; round++) {
                const auto epoch = governor_->publish(1, true);
                Beginner beginner(handle_);
                expect_parked(epoch, beginner);
                give_turn(2);
                EXPECT_EQ(beginner.threads(), kMax);
        }
}

TEST_F(KeepTest, ItsOwnTeamWaitsToo) {
        open_with_one();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_, enter_with_three);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 3U);
}

TEST_F(KeepTest, TheEndOfTheGovernorChangesNoCount) {
        open_with_one();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->die();
        EXPECT_EQ(beginner.threads(), kMax);
        for (int i = 0; i < 3; i++) {
                EXPECT_EQ(threadcount_region_begin(handle_), kMax);
                threadcount_region_end(handle_, kMax);
        }
}

TEST_F(KeepTest, AfterTheLongestWaitItHasItsMaximum) {
        open_with_one();
        handle_->longest_wait_ms = 100;
        governor_->publish(1, true);
        EXPECT_EQ(threadcount_region_begin(handle_), kMax);
        threadcount_region_end(handle_, kMax);
}

TEST_F(KeepTest, WithoutAGovernorItHasItsMaximumAtOnce) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = "/nowhere";
        options.max_threads = 5;
        ASSERT_EQ(threadcount_open(&options, &handle_), 0);
        EXPECT_EQ(threadcount_region_begin(handle_), 5U);
        threadcount_region_enter(handle_, 7);
        threadcount_region_end(handle_, 7);
}

TEST_F(KeepTest, ATeamOfTheCallersOwnIsReportedFromTheBegin) {
        open_with_one();
        for (const std::uint32_t team : {3U, 3U, 1U, kMax}) {
                threadcount_region_enter(handle_, team);
                expect_report(team, true);
                threadcount_region_end(handle_, team);
                expect_report(team, false);
        }
        EXPECT_EQ(threadcount_region_begin(handle_), kMax);
        expect_report(kMax, true);
        threadcount_region_end(handle_, kMax);
}

TEST_F(TurnTest, ATeamOfTheCallersOwnIsReportedByThoseThatFollow) {
        open_with_four();
        for (int i = 0; i < 3; i++) {
                threadcount_region_enter(handle_, 7);
                EXPECT_EQ(governor_->report().team, 7U);
                threadcount_region_end(handle_, 7);
                EXPECT_EQ(threadcount_region_begin(handle_), 4U);
                EXPECT_EQ(governor_->report().team, 4U);
                threadcount_region_end(handle_, 4);
        }
        EXPECT_EQ(governor_->updated_max(), 0U) << "it follows between";
        EXPECT_FALSE(governor_->updated_keeps());
}

TEST_F(KeepTest, AProgramThatFollowsMaySayThatItKeepsItsTeams) {
        ::unsetenv("THREADCOUNT");
        open_with_four();
        threadcount_keeps(handle_);
        EXPECT_EQ(governor_->updated_max(), kMax) << "it says so at once";
        EXPECT_TRUE(governor_->updated_keeps());
        EXPECT_EQ(threadcount_region_begin(handle_), 4U) << "some of its regions may still follow";
        threadcount_region_end(handle_, 4);
        threadcount_keeps(nullptr);
}

TEST_F(KeepTest, OneThatKeepsTheGrantOfItsStartDoesNot) {
        ::setenv("THREADCOUNT", "start-only", 1);
        open_with_four();
        threadcount_keeps(handle_);
        EXPECT_EQ(governor_->updated_max(), 0U);
}

TEST_F(KeepTest, ALargerTeamIsAWish) {
        open_with_one();
        threadcount_region_enter(handle_, kMax);
        threadcount_region_end(handle_, kMax);
        EXPECT_EQ(governor_->updated_max(), 0U);
        threadcount_region_enter(handle_, 300);
        EXPECT_EQ(governor_->updated_max(), 300U) << "before the region has begun";
        threadcount_region_end(handle_, 300);
        EXPECT_EQ(threadcount_region_begin(handle_), kMax) << "buffers have this size";
        threadcount_region_end(handle_, kMax);
        threadcount_region_enter(handle_, 3);
        threadcount_region_end(handle_, 3);
        EXPECT_EQ(governor_->updated_max(), 300U);
}

TEST_F(KeepTest, WishesComeInTheEndHoweverFastTheyChange) {
        open_with_one();
        for (std::uint32_t n = 20; n <= 100; n++) {
                EXPECT_EQ(threadcount_wish(handle_, n), 0);
                (void)governor_->updated_max();
        }
        EXPECT_TRUE(eventually([&] {
                (void)threadcount_threads(handle_);
                return governor_->updated_max() == 100;
        }));
        EXPECT_EQ(threadcount_wish(handle_, 2), 0);
        EXPECT_TRUE(eventually([&] {
                (void)threadcount_threads(handle_);
                return governor_->updated_max() == 2;
        }));
}

TEST_F(KeepTest, AWishIsToldWithTheNextHello) {
        open_with_one();
        governor_->die();
        EXPECT_EQ(threadcount_wish(handle_, 300), 0);
        governor_ = std::make_unique<MadeUpGovernor>(socket_);
        governor_->publish(1, false);
        governor_->start();
        EXPECT_TRUE(eventually([&] {
                (void)threadcount_threads(handle_);
                return governor_->max_of_hello() == 300;
        }));
        EXPECT_EQ(governor_->updated_max(), 0U);
}

TEST_F(KeepTest, TheUsersMaximumWins) {
        ::setenv("THREADCOUNT_MAX", "4", 1);
        open_with_one();
        threadcount_region_enter(handle_, 6);
        EXPECT_EQ(governor_->report().team, 6U) << "it is true";
        threadcount_region_end(handle_, 6);
        EXPECT_EQ(governor_->updated_max(), 0U);
        EXPECT_EQ(threadcount_region_begin(handle_), 4U);
        threadcount_region_end(handle_, 4);
}

TEST_F(KeepTest, WishesOutOfRangeAreRefused) {
        open_with_one();
        EXPECT_EQ(threadcount_wish(handle_, 0), -EINVAL);
        EXPECT_EQ(threadcount_wish(handle_, 65537), -EINVAL);
        EXPECT_EQ(threadcount_wish(nullptr, 0), -EINVAL);
        EXPECT_EQ(threadcount_wish(nullptr, 3), 0);
        EXPECT_EQ(governor_->updated_max(), 0U);
}

TEST_F(KeepTest, AnAnswerToAWishDoesNotEndAWait) {
        open_with_one();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        EXPECT_EQ(threadcount_wish(handle_, 30), 0);
        EXPECT_EQ(governor_->updated_max(), 30U);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), kMax);
}

TEST_F(KeepTest, AThreadThatWaitsIsCancelledBehindItsRegion) {
        open_with_one();
        const auto epoch = governor_->publish(1, true);
        static std::atomic<bool> has_begun{false};
        pthread_t thread{};
        ASSERT_EQ(::pthread_create(
                          &thread, nullptr,
                          [](void* handle) -> void* {
                                  auto* const mine = static_cast<threadcount_handle*>(handle);
                                  threadcount_region_enter(mine, 2);
                                  has_begun = true;
                                  threadcount_region_end(mine, 2);
                                  ::pthread_testcancel();
                                  return nullptr;
                          },
                          handle_),
                  0);
        EXPECT_TRUE(eventually([&] { return governor_->report().epoch == epoch; }));
        ASSERT_EQ(::pthread_cancel(thread), 0);
        ::usleep(100'000);
        give_turn(2);
        void* result = nullptr;
        ASSERT_EQ(::pthread_join(thread, &result), 0);
        EXPECT_TRUE(has_begun);
        EXPECT_EQ(result, PTHREAD_CANCELED);
}

TEST_F(KeepTest, AChildOfForkReportsAndTellsNothing) {
        open_with_one();
        threadcount_region_enter(handle_, 3);
        threadcount_region_end(handle_, 3);
        const auto child = ::fork();
        if (child == 0) {
                threadcount_region_enter(handle_, 300);
                threadcount_region_end(handle_, 300);
                ::_exit(0);
        }
        int status = -1;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        expect_report(3, false);
        EXPECT_EQ(governor_->updated_max(), 0U);
}

/// Measures the opening of a handle of a governor that says nothing for so long.
class Opening : public TurnTest {
protected:
        [[nodiscard]] std::chrono::milliseconds takes(std::uint32_t wait_ms, std::size_t size) {
                governor_->hang();
                governor_->start();
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.size = size;
                options.socket_path = socket_.c_str();
                options.max_threads = kMax;
                options.wait_ms = wait_ms;
                const auto start = std::chrono::steady_clock::now();
                EXPECT_EQ(threadcount_open(&options, &handle_), 0);
                return std::chrono::duration_cast<std::chrono::milliseconds>(
                        std::chrono::steady_clock::now() - start);
        }
};

TEST_F(Opening, WaitsForAsLongAsIsSaid) {
        const auto took = takes(60, sizeof(threadcount_options)).count();
        EXPECT_GE(took, 59);
        EXPECT_LT(took, 249);
}

TEST_F(Opening, OfAnOlderProgramWaitsForAQuarterOfASecond) {
        EXPECT_GE(takes(1, offsetof(threadcount_options, wait_ms)).count(), 249);
}

TEST_F(Opening, WithoutAWaitIsFollowedByALaterCall) {
        ::setenv("THREADCOUNT", "keep", 1);
        EXPECT_LT(takes(0, sizeof(threadcount_options)).count(), 249);
        EXPECT_EQ(threadcount_region_begin(handle_), kMax) << "nobody knows of it yet";
        threadcount_region_end(handle_, kMax);
        governor_->go_on();
        governor_->publish(2, false);
        EXPECT_TRUE(eventually([&] {
                (void)threadcount_threads(handle_);
                return threadcount_version(handle_) != 0;
        }));
}

TEST_F(Opening, RefusesLongerWaits) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        EXPECT_EQ(options.wait_ms, 250U);
        options.wait_ms = 251;
        EXPECT_EQ(threadcount_open(&options, &handle_), -EINVAL);
        options.wait_ms = 0;
        options.keeps = 2;
        EXPECT_EQ(threadcount_open(&options, &handle_), -EINVAL);
        options.keeps = 0;
        options.sleeps = 2;
        EXPECT_EQ(threadcount_open(&options, &handle_), -EINVAL);
}

}  // namespace
}  // namespace shared_memory_test
