// SPDX-License-Identifier: MIT
// Regions whose ends are told: by this process and its children, to a daemon on the real machine.
#include "lease_fixture.hpp"
#include "linked_program.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <semaphore>
#include <thread>

namespace {

using namespace test_support;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class RegionsThatEnd : public LeaseTest {
protected:
        void SetUp() override {
                ASSERT_TRUE(eventually([&] { return program_.threads() == everything(); }));
                ASSERT_NE(sibling_.hello(), nullptr);  // sees the same slot
        }

        [[nodiscard]] auto times(std::uint32_t pid = own_pid()) const {
                return explanation_of(daemon_.socket(), pid).region_time();
        }
        [[nodiscard]] std::uint64_t count() const {
                std::uint64_t count = 0;
                for (const auto& time : times())
                        count += time.count();
                return count;
        }
        /// The program's own report, whatever the governor has seen of it.
        [[nodiscard]] bool in_region() {
                const auto word =
                        __atomic_load_n(&sibling_.memory().report().word, __ATOMIC_ACQUIRE);
                return (governor_word_flags(word) & GOVERNOR_REPORT_IN_REGION) != 0;
        }

        const Program program_{daemon_, 1024};
        LeaseClient sibling_{daemon_.socket()};
};

TEST_F(RegionsThatEnd, AreExplainedByTheSizeOfTheirTeams) {
        constexpr milliseconds kTime{5};
        const auto start = Clock::now();
        for (const std::uint32_t team : {1U, 3U, 1U, 2U, 1U}) {
                EXPECT_EQ(program_.begin(), everything());
                std::this_thread::sleep_for(kTime);
                program_.end(team);
        }
        const std::chrono::nanoseconds took = Clock::now() - start;
        const auto said = times();
        ASSERT_EQ(said.size(), 2);
        EXPECT_EQ(said[0].team_from(), 1U);
        EXPECT_EQ(said[0].team_to(), 1U);
        EXPECT_EQ(said[0].count(), 3U);
        EXPECT_EQ(said[1].team_from(), 2U);
        EXPECT_EQ(said[1].team_to(), 3U);
        EXPECT_EQ(said[1].count(), 2U);
        std::uint64_t total_ns = 0;
        for (const auto& time : said) {
                EXPECT_GE(std::chrono::nanoseconds(time.mean_ns()), kTime);
                total_ns += time.count() * time.mean_ns();
        }
        EXPECT_LE(std::chrono::nanoseconds(total_ns), took);

        const auto pid = std::to_string(own_pid());
        const auto text = ctl(daemon_, {"explain", pid}).out;
        EXPECT_NE(text.find("\n  timed regions: 1 thread "), text.npos) << text;
        EXPECT_NE(text.find(" ms (3), 2-3 threads "), text.npos) << text;
        const auto json = ctl(daemon_, {"--json", "explain", pid}).out;
        EXPECT_NE(json.find(R"("region_time":[{"team_from":1,"team_to":1,"count":3,"mean_ns":)"),
                  json.npos)
                << json;
}

TEST_F(RegionsThatEnd, AreNotExplainedOfWhoTellsNone) {
        EXPECT_TRUE(times().empty());
        const auto pid = std::to_string(own_pid());
        EXPECT_EQ(ctl(daemon_, {"explain", pid}).out.find("timed"), std::string::npos);
        EXPECT_NE(ctl(daemon_, {"--json", "explain", pid}).out.find(R"("region_time":[])"),
                  std::string::npos);
}

TEST_F(RegionsThatEnd, AreTimedByTheStopWatchOfTheArticle) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = daemon_.socket().c_str();
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open_default(&options, &handle), 0);
        ASSERT_TRUE(eventually([&] { return threadcount_share(handle) == everything(); }));
        const auto watch = [] {
                threadcount_timer_start();
                std::this_thread::sleep_for(milliseconds{1});
                EXPECT_GE(threadcount_timer_stop(), 1'000'000U);
        };
        watch();
        EXPECT_EQ(count(), 0U) << "it is not known when the one before ended";
        std::this_thread::sleep_for(milliseconds{20});
        (void)threadcount_share(handle);
        watch();
        ASSERT_EQ(count(), 1U);
        EXPECT_GE(times()[0].mean_ns(), 20'000'000U) << "what is between them counts";
        watch();
        EXPECT_EQ(count(), 1U) << "no region has begun since the last one";
        (void)program_.share();
        watch();
        EXPECT_EQ(count(), 1U) << "another handle's";
        (void)threadcount_share(handle);
        (void)threadcount_region_begin(handle);
        watch();
        threadcount_region_end(handle, 1);
        EXPECT_EQ(count(), 2U) << "its end is told";
        (void)threadcount_share(handle);
        std::thread(watch).join();
        EXPECT_EQ(count(), 2U) << "another thread's";
        watch();
        (void)threadcount_share(handle);
        watch();
        EXPECT_EQ(count(), 3U);
}

TEST_F(RegionsThatEnd, AreInUseUntilThen) {
        EXPECT_EQ(program_.begin(), everything());
        EXPECT_TRUE(eventually([&] { return lease(own_pid())->in_use() == everything(); }));
        program_.end(everything());
        EXPECT_TRUE(eventually([&] { return lease(own_pid())->in_use() == 0; }));
}

TEST_F(RegionsThatEnd, GiveBackAtOnceWhatOthersWaitFor) {
        if (everything() < 2)
                GTEST_SKIP() << "one CPU: nobody has one of his own but the first";
        daemon_.configure(kFair + "handover_max = 60s\n");
        daemon_.kill();
        daemon_.start();
        ASSERT_TRUE(eventually([&] {
                (void)program_.begin();
                const auto client = lease(own_pid());
                return client && client->in_use() == everything();
        }));
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);
        ASSERT_TRUE(sibling.update(1)->has_done());
        // One that begins alone would not wait: this one comes after another that soon ended.
        std::unique_ptr<ForkedProgram> other;
        const auto is_squeezed = [&] { return lease(other->pid())->shared(); };
        ASSERT_TRUE(eventually([&] {
                other.reset();
                EXPECT_TRUE(becomes(1));
                holder().reset();
                EXPECT_TRUE(becomes(1));
                other = holder([] {
                        for (const auto end = Clock::now() + milliseconds{1}; Clock::now() < end;) {
                        }
                });
                return is_squeezed();
        }));
        std::this_thread::sleep_for(milliseconds{1'500});
        EXPECT_TRUE(is_squeezed()) << "the region goes on";
        program_.end(everything());
        EXPECT_TRUE(eventually([&] {
                return !is_squeezed() && lease(other->pid())->granted() >= everything() - 1;
        }));
}

TEST_F(RegionsThatEnd, EndOnceAndNotWithoutABegin) {
        program_.end(1);
        EXPECT_TRUE(in_region()) << "threads() has begun one, which nobody ends";
        (void)program_.begin();
        program_.end(1);
        EXPECT_FALSE(in_region());
        (void)program_.threads();
        program_.end(1);
        EXPECT_TRUE(in_region());
        EXPECT_EQ(count(), 1U);
}

TEST_F(RegionsThatEnd, AreTheOnesBegunLast) {
        constexpr milliseconds kFirst{200};
        const auto start = Clock::now();
        (void)program_.begin();
        std::this_thread::sleep_for(kFirst);
        (void)program_.begin();
        program_.end(1);
        const std::chrono::nanoseconds took = Clock::now() - start;
        const auto said = times();
        ASSERT_EQ(said.size(), 1);
        EXPECT_EQ(said[0].count(), 1U);
        EXPECT_LE(std::chrono::nanoseconds(said[0].mean_ns()), took - kFirst);
}

/// For longer than threads are counted as masters after they began.
constexpr milliseconds kLong{1'600};

TEST_F(RegionsThatEnd, LeaveTheProgramInsideWhileAnotherThreadIs) {
        (void)program_.begin();
        std::thread([&] {
                (void)program_.begin();
                program_.end(1);
        }).join();
        EXPECT_TRUE(in_region()) << "the first one is";
        program_.end(1);
        EXPECT_FALSE(in_region());

        std::binary_semaphore is_inside{0};
        std::binary_semaphore may_end{0};
        std::jthread other([&] {
                (void)program_.begin();
                is_inside.release();
                may_end.acquire();
                program_.end(1);
        });
        is_inside.acquire();
        for (const auto end = Clock::now() + kLong; Clock::now() < end;) {
                (void)program_.begin();
                program_.end(1);
        }
        EXPECT_TRUE(in_region()) << "the other one is, for long";
        may_end.release();
        other.join();
        EXPECT_FALSE(in_region());
}

TEST_F(RegionsThatEnd, AreToldHoweverManyThereWereJustBefore) {
        std::thread([&] {
                (void)program_.begin();
                program_.end(1);
        }).join();
        (void)program_.begin();
        std::this_thread::sleep_for(kLong);
        program_.end(1);
        EXPECT_FALSE(in_region());
        EXPECT_EQ(count(), 2U);
}

TEST_F(RegionsThatEnd, AreNotToldRightAfterSomeWhoseEndNobodyTells) {
        (void)program_.share();
        EXPECT_TRUE(eventually([&] {
                (void)program_.begin();
                program_.end(1);
                return !in_region();
        })) << "a second later";
}

TEST_F(RegionsThatEnd, AreThoseOfTheirHandle) {
        const Program other(daemon_, 1024);
        (void)program_.begin();
        other.end(1);
        program_.end(1);
        EXPECT_EQ(count(), 0U);
        auto reopened = std::make_unique<Program>(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return reopened->threads() == everything(); }));
        (void)reopened->begin();
        reopened.reset();
        reopened = std::make_unique<Program>(daemon_, 1024);
        ASSERT_TRUE(eventually([&] { return reopened->threads() == everything(); }));
        reopened->end(1);
        EXPECT_EQ(count(), 0U) << "maybe at the same address";
        (void)reopened->begin();
        reopened->end(0);
        ASSERT_EQ(count(), 1U);
        EXPECT_EQ(times().at(0).team_from(), 1U) << "0 counts as 1";
}

TEST_F(RegionsThatEnd, AreNotEndedByAForkedChild) {
        (void)program_.begin();
        ForkedProgram child([&] { program_.end(1); });
        EXPECT_TRUE(child.finishes());
        EXPECT_TRUE(in_region());
        EXPECT_EQ(count(), 0U);
        program_.end(1);
        EXPECT_FALSE(in_region());
        EXPECT_EQ(count(), 1U);
}

TEST_F(RegionsThatEnd, AreNotThoseOfAForkedChildsOwnHandle) {
        (void)program_.begin();
        ForkedProgram child([&] {
                const Program own(daemon_);
                const auto is_granted = [&] {
                        const auto client = lease(own_pid());
                        return own.threads() >= 1 && client && client->in_use() > 0;
                };
                if (!eventually(is_granted))
                        ::_exit(1);
                own.end(1);
                if (!times(own_pid()).empty())
                        ::_exit(2);
                (void)own.begin();
                own.end(1);
                if (times(own_pid()).size() != 1)
                        ::_exit(3);
        });
        EXPECT_TRUE(child.finishes());
        EXPECT_TRUE(in_region());
}

TEST_F(RegionsThatEnd, AreNoneWhereNothingIsGranted) {
        ::setenv("THREADCOUNT", "fixed:2", 1);
        const Program fixed(daemon_);
        ::unsetenv("THREADCOUNT");
        (void)program_.begin();
        EXPECT_EQ(fixed.begin(), 2U);
        program_.end(1);
        (void)program_.begin();
        EXPECT_GE(threadcount_region_begin(nullptr), 1U);
        program_.end(1);
        threadcount_region_end(nullptr, 1);
        (void)program_.begin();
        threadcount_region_end(nullptr, 1);
        fixed.end(1);
        program_.end(1);
        EXPECT_EQ(count(), 0U);
        EXPECT_TRUE(in_region());
}

TEST_F(RegionsThatEnd, MayEndUnderAnotherGovernor) {
        (void)program_.begin();
        daemon_.kill();
        daemon_.start();
        EXPECT_TRUE(eventually([&] {
                (void)program_.threads();
                return lease(own_pid()).has_value();
        }));
        program_.end(1);
        const auto before = count();
        EXPECT_LE(before, 1U) << "or the new memory is not there yet";
        EXPECT_TRUE(eventually([&] {
                (void)program_.begin();
                program_.end(1);
                return count() > before;
        }));
}

}  // namespace
