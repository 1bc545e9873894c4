// SPDX-License-Identifier: MIT
// A program that is parked waits in front of its next region, and for nothing else. It waits until
// its turn comes, or until there is no governor any more that would tell.
#include "clock.hpp"
#include "handle.hpp"
#include "support/process.hpp"
#include "turn_fixture.hpp"

#include <atomic>
#include <barrier>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace shared_memory_test {
namespace {

TEST_F(TurnTest, AProgramSaysThatItCanWait) {
        open_with_four();
        EXPECT_TRUE(governor_->was_told(6));
}

/// Begins a region at the same moment as another thread that does.
std::uint32_t begin_together(threadcount_handle* handle) {
        static std::barrier both{2};
        both.arrive_and_wait();
        return threadcount_region_begin(handle);
}

TEST_F(TurnTest, TwoThatBeginAtOnceBothWait) {
        open_with_four();
        for (int round = 0; round < 50; round++) {
                governor_->publish(1, true);
                Beginner one(handle_, begin_together);
                Beginner other(handle_, begin_together);
                ::usleep(5'000);
                EXPECT_FALSE(one.is_done()) << round;
                EXPECT_FALSE(other.is_done()) << round;
                give_turn(4);
                (void)one.threads();
                (void)other.threads();
        }
}

TEST_F(TurnTest, ARegionWaitsUntilItsTurnComes) {
        open_with_four();
        for (std::uint32_t round = 2; round < 5; round++) {
                const auto epoch = governor_->publish(1, true);
                Beginner beginner(handle_);
                expect_parked(epoch, beginner);
                give_turn(round);
                EXPECT_EQ(beginner.threads(), round);
        }
        const auto said = governor_->report();
        EXPECT_FALSE(said.in_region);
        EXPECT_GE(said.regions, 4U);
}

TEST_F(TurnTest, ALeaseThatIsHeldAndAliveIsNotLost) {
        open_with_four();
        handle_->next_poll_ms = 0;  // as if this thread had read a heartbeat that is old by now
        threadcount::consult(*handle_, threadcount::coarse_now_ms(),
                             threadcount::now_ns() + 1'000'000'000);
        EXPECT_EQ(threadcount_threads(handle_), 4U);
        EXPECT_EQ(governor_->welcomed(), 1U);
}

TEST_F(TurnTest, ItComesEvenIfNobodySaysSo) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->publish(3, false);
        EXPECT_EQ(beginner.threads(), 3U);
}

TEST_F(TurnTest, WhatWasSaidForAFormerTurnEndsNoWait) {
        open_with_four();
        governor_->publish(1, true);
        governor_->publish(2, false);
        governor_->call();
        governor_->call();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->call();
        ::usleep(50'000);
        EXPECT_FALSE(beginner.is_done());
        give_turn(5);
        EXPECT_EQ(beginner.threads(), 5U);
}

TEST_F(TurnTest, OpenWaitsForTheFirstGrant) {
        std::thread decision([&] {
                ::usleep(30'000);
                governor_->publish(3, false);
        });
        open_at_once();
        EXPECT_EQ(threadcount_region_begin(handle_), 3U) << "nothing is begun before";
        threadcount_region_end(handle_, 3);
        decision.join();
}

TEST_F(TurnTest, OpenDoesNotWaitForOneThatDoesNotCome) {
        open_at_once();
        EXPECT_EQ(threadcount_threads(handle_), 1U);
}

std::string reason_of(const threadcount_handle* handle) {
        char text[400];
        (void)threadcount_reason(handle, static_cast<char*>(text), sizeof(text));
        return static_cast<char*>(text);
}

TEST_F(TurnTest, AGovernorThatNeverGrantsAThreadIsNone) {
        open_at_once();
        EXPECT_TRUE(eventually([&] { return threadcount_threads(handle_) == kMax; }));
        EXPECT_NE(reason_of(handle_).find("no governor of this version"), std::string::npos)
                << reason_of(handle_);
        EXPECT_EQ(threadcount_region_begin(handle_), kMax);
        threadcount_region_end(handle_, kMax);
        governor_->publish(3, false);
        EXPECT_TRUE(eventually([&] { return threadcount_threads(handle_) == 3; }))
                << "it is asked again";
}

TEST_F(TurnTest, NoWaitIsLongerThanTheProgramsOwnLongest) {
        open_with_four();
        handle_->longest_wait_ms = 300;
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        EXPECT_EQ(beginner.threads(), 1U) << "what the grant says";
        EXPECT_EQ(threadcount_region_begin(handle_), 1U) << "and then it does not wait again";
        threadcount_region_end(handle_, 1);
        EXPECT_EQ(threadcount_share(handle_), 1U);
}

TEST_F(TurnTest, ALongestWaitEndsForAllThreadsAtOnce) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        handle_->longest_wait_ms = 400;
        Beginner first(handle_);
        expect_parked(epoch, first);
        handle_->longest_wait_ms = threadcount::kLongestWait_ms;
        Beginner second(handle_);
        EXPECT_EQ(first.threads(), 1U);
        EXPECT_EQ(second.threads(), 1U);
}

TEST_F(TurnTest, WhoHasWaitedForTheLongestWaitsAgainAfterItsTurn) {
        open_with_four();
        handle_->longest_wait_ms = 100;
        governor_->publish(1, true);
        EXPECT_EQ(threadcount_region_begin(handle_), 1U);
        threadcount_region_end(handle_, 1);
        governor_->publish(4, false);
        EXPECT_EQ(threadcount_region_begin(handle_), 4U);
        threadcount_region_end(handle_, 4);
        handle_->longest_wait_ms = threadcount::kLongestWait_ms;
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 2U);
}

TEST_F(TurnTest, ASharerWaitsToo) {
        open_with_four();
        EXPECT_EQ(threadcount_share(handle_), 4U);
        EXPECT_EQ(threadcount_region_begin(handle_), 4U);
        threadcount_region_end(handle_, 4);
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_, threadcount_share);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 2U);
        ASSERT_GT(threadcount_region_begin(handle_), 0U);
        threadcount_region_end(handle_, 1);
}

TEST_F(TurnTest, TheEndOfTheGovernorEndsTheWaitWithOneThread) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->die();
        EXPECT_EQ(beginner.threads(), 1U);
        EXPECT_EQ(threadcount_threads(handle_), 1U);
        EXPECT_EQ(threadcount_region_begin(handle_), 1U);
        threadcount_region_end(handle_, 1);
}

TEST_F(TurnTest, SoItDoesForWhoHadNothingYet) {
        const auto epoch = governor_->publish(1, true);
        open();
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->die();
        EXPECT_EQ(beginner.threads(), 1U);
}

TEST_F(TurnTest, AGovernorThatHangsKeepsNobodyWaiting) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->hang();
        EXPECT_EQ(beginner.threads(), 1U);
}

TEST_F(TurnTest, WhoIsReleasedGoesOnWithOneThread) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        governor_->release();
        EXPECT_EQ(beginner.threads(), 1U);
}

TEST_F(TurnTest, WhoWasParkedClaimsNothingFromTheNextGovernor) {
        for (const bool is_parked : {false, true}) {
                governor_ = std::make_unique<MadeUpGovernor>(socket_);
                open_with_four();
                if (is_parked) {
                        const auto epoch = governor_->publish(1, true);
                        Beginner beginner(handle_);
                        expect_parked(epoch, beginner);
                        governor_->die();
                        EXPECT_EQ(beginner.threads(), 1U);
                }
                governor_->die();
                governor_ = std::make_unique<MadeUpGovernor>(socket_);
                governor_->publish(3, false);
                governor_->start();
                EXPECT_TRUE(eventually([&] { return threadcount_threads(handle_) == 3; }));
                EXPECT_EQ(governor_->was_told(4), !is_parked);
                governor_->die();
                handle_ = threadcount_close(handle_);
        }
}

std::atomic<int> signals{0};

TEST_F(TurnTest, SignalsAreHandledMeanwhile) {
        signals = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { signals++; };
        ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        for (int i = 1; i <= 3; i++) {
                ASSERT_EQ(::pthread_kill(beginner.id(), SIGUSR1), 0);
                EXPECT_TRUE(eventually([&] { return signals == i; }));
        }
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 2U);
}

TEST_F(TurnTest, AThreadThatWaitsCanBeCancelled) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        pthread_t thread{};
        ASSERT_EQ(::pthread_create(
                          &thread, nullptr,
                          [](void* handle) -> void* {
                                  (void)threadcount_region_begin(
                                          static_cast<threadcount_handle*>(handle));
                                  return nullptr;
                          },
                          handle_),
                  0);
        EXPECT_TRUE(eventually([&] { return governor_->report().epoch == epoch; }));
        ASSERT_EQ(::pthread_cancel(thread), 0);
        void* result = nullptr;
        ASSERT_EQ(::pthread_join(thread, &result), 0);
        EXPECT_EQ(result, PTHREAD_CANCELED);
        Beginner beginner(handle_);
        expect_parked(epoch, beginner);
        give_turn(2);
        EXPECT_EQ(beginner.threads(), 2U);
}

TEST_F(TurnTest, AllThreadsThatWaitGoOn) {
        open_with_four();
        const auto epoch = governor_->publish(1, true);
        Beginner first(handle_);
        expect_parked(epoch, first);
        Beginner second(handle_);
        expect_parked(epoch, second);
        give_turn(kMax);
        EXPECT_EQ(first.threads(), kMax);
        EXPECT_EQ(second.threads(), kMax);
}

TEST_F(TurnTest, NobodyWaitsWhileAnotherIsInside) {
        open_with_four();
        EXPECT_EQ(threadcount_region_begin(handle_), 4U);
        governor_->publish(1, true);
        Beginner beginner(handle_);
        EXPECT_EQ(beginner.threads(), 1U);
        Beginner sharer(handle_, threadcount_share);
        EXPECT_EQ(sharer.threads(), 1U);
        threadcount_region_end(handle_, 4);
}

TEST_F(TurnTest, NothingElseWaits) {
        open_with_four();
        governor_->publish(1, true);
        EXPECT_EQ(threadcount_threads(handle_), 1U);
        std::uint64_t cpus = 0;
        EXPECT_EQ(threadcount_cpus(handle_, &cpus, 1), 1U);
        EXPECT_EQ(cpus, 2U);
}

TEST_F(TurnTest, WhoKeepsItsFirstCountDoesNotWait) {
        ::setenv("THREADCOUNT", "start-only", 1);
        open_with_four();
        EXPECT_FALSE(governor_->was_told(6));
        governor_->publish(1, true);
        EXPECT_EQ(threadcount_region_begin(handle_), 4U);
        threadcount_region_end(handle_, 4);
}

TEST_F(TurnTest, WhoKeepsItsFirstCountKeepsItWhenTheGovernorHasGone) {
        ::setenv("THREADCOUNT", "start-only", 1);
        open_with_four();
        governor_->publish(2, false);
        EXPECT_EQ(threadcount_threads(handle_), 4U);
        governor_->die();
        governor_->hang();
        EXPECT_TRUE(eventually([&] {
                EXPECT_EQ(threadcount_threads(handle_), 4U);
                return threadcount_version(handle_) == 0 || HasFailure();
        }));
        EXPECT_EQ(threadcount_threads(handle_), 4U);
}

/// The same as fork(), but libc does not know.
pid_t fork_behind_the_back() {
        return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

TEST_F(TurnTest, AForkedChildDoesNotWait) {
        open_with_four();
        governor_->publish(1, true);
        const auto child = ::fork();
        if (child == 0)
                ::_exit(static_cast<int>(threadcount_region_begin(handle_)));
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(kMax));
}

TEST_F(TurnTest, AChildThatWasForkedBehindTheLibrarysBackIsOneToo) {
        open_with_four();
        governor_->publish(1, true);
        const auto before = governor_->report();
        const auto child = fork_behind_the_back();
        if (child == 0) {
                const bool is_inert = threadcount_region_begin(handle_) == kMax &&
                                      threadcount_threads(handle_) == kMax &&
                                      threadcount_version(handle_) == 0;
                threadcount_region_end(handle_, kMax);
                threadcount_close(handle_);
                ::_exit(is_inert ? 0 : 1);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(WEXITSTATUS(status), 0);
        const auto after = governor_->report();
        EXPECT_EQ(after.epoch, before.epoch);
        EXPECT_EQ(after.regions, before.regions);
        give_turn(4);
        EXPECT_EQ(threadcount_region_begin(handle_), 4U) << "its parent has the lease still";
        threadcount_region_end(handle_, 4);
}

TEST_F(TurnTest, TellsHowFarItIsBeforeItsFirstRegion) {
        governor_->publish(1, false);
        open();
        threadcount_progress(handle_, 3, 10);
        EXPECT_EQ(governor_->report().progress_done, 3U);
        EXPECT_EQ(governor_->report().progress_total, 10U);
        threadcount_progress(handle_, 11, 10);
        EXPECT_EQ(governor_->report().progress_done, 10U);
        threadcount_progress(handle_, 1, 0);
        EXPECT_EQ(governor_->report().progress_total, 0U);
        threadcount_progress(nullptr, 1, 2);
}

TEST_F(TurnTest, TellsTheNextGovernorHowFarItIs) {
        open_with_four();
        threadcount_progress(handle_, 3, 10);
        another_governor_grants_three();
        EXPECT_EQ(governor_->report().progress_done, 3U);
        EXPECT_EQ(governor_->report().progress_total, 10U);
}

/// Another handle of the program, which waits so long for its first grant.
threadcount_handle* another(const std::string& socket, std::uint32_t wait_ms) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = socket.c_str();
        options.max_threads = kMax;
        options.wait_ms = wait_ms;
        threadcount_handle* handle = nullptr;
        EXPECT_EQ(threadcount_open(&options, &handle), 0);
        return handle;
}

TEST_F(TurnTest, TellsTheNextGovernorHowFarItIsWhicheverHandleSaysSo) {
        open_with_four();
        auto* other = another(socket_, 250);
        threadcount_progress(other, 3, 10);
        another_governor_grants_three();
        EXPECT_EQ(governor_->report().progress_done, 3U);
        threadcount_progress(other, 5, 10);
        EXPECT_TRUE(eventually([&] {
                (void)threadcount_threads(handle_);
                return governor_->report().progress_done == 5;
        }));
        EXPECT_EQ(governor_->report().progress_total, 10U);
        threadcount_close(other);
}

}  // namespace
}  // namespace shared_memory_test
