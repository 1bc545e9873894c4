// SPDX-License-Identifier: MIT
// The programs that can make use of CPUs, and others: idle, stopped, light, crowded out.
#include "registry/programs_fixture.hpp"

namespace governor::registry {
namespace {

/// Of 16 CPUs those before `first` are busy, the others idle.
policy::Sample idle_from(std::uint32_t first) {
        policy::Sample sample;
        sample.warming_up = false;
        for (std::uint32_t cpu = 0; cpu < 16; cpu++)
                sample.cpus.push_back({cpu, cpu < first ? 0U : policy::kPermyriad});
        return sample;
}

TEST_F(ProgramsTest, ReportWhatMayChangeADecision) {
        const auto id = join();
        grant(id, 0, 8);
        EXPECT_FALSE(region(id, 1, 8)) << "nothing is new";
        grant(id, 0, 4);
        EXPECT_FALSE(region(id, 1, 8)) << "not yet";
        EXPECT_TRUE(region(id, 2, 4)) << "gave back";
        EXPECT_FALSE(region(id, 2, 4));
        EXPECT_FALSE(region(id, 2, 12));
        EXPECT_TRUE(region(id, 2, 4)) << "not above any more";
}

TEST_F(ProgramsTest, ThatAreIdleWakeWithARegion) {
        const auto id = join();
        grant(id, 0, 8);
        (void)programs_.find(id)->report({1, 8, false}, now_);
        for (int i = 0; i < 4; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle);
        EXPECT_EQ(only().wants, 1U);
        EXPECT_TRUE(region(id, 1, 8));
        EXPECT_FALSE(only().idle);
        EXPECT_FALSE(only().wants);
}

TEST_F(ProgramsTest, AreWaitedForWhileTheyAreIdle) {
        const auto id = join();
        grant(id, 0, 8);
        EXPECT_FALSE(programs_.find(id)->is_waited_for());
        for (int i = 0; i < 3; i++)
                second(id, 0);
        ASSERT_TRUE(only().idle);
        EXPECT_TRUE(programs_.find(id)->is_waited_for());
        region(id, 1, 8);
        EXPECT_FALSE(programs_.find(id)->is_waited_for());
}

TEST_F(ProgramsTest, AreWaitedForUntilTheyFollow) {
        const auto id = join();
        grant(id, 0, 8);
        region(id, 1, 8);
        EXPECT_FALSE(programs_.find(id)->is_waited_for());
        grant(id, 0, 4);
        EXPECT_TRUE(programs_.find(id)->is_waited_for()) << "its region goes on with all 8";
        region(id, 2, 4);
        EXPECT_FALSE(programs_.find(id)->is_waited_for());
}

TEST_F(ProgramsTest, AreWaitedForOnACpuThatIsAnothersNow) {
        const auto id = join();
        grant(id, 0, 1);
        region(id, 1, 1);
        auto shared = grant_of(id, CpuMask::range(0, 1));
        shared.shared = true;
        (void)programs_.find(id)->apply(shared, now_);
        EXPECT_TRUE(programs_.find(id)->is_waited_for());
        EXPECT_EQ(only().lingers_since, now_);
        EXPECT_TRUE(programs_.find(id)->report({1, 1, false, 1}, now_)) << "it has left";
        EXPECT_FALSE(programs_.find(id)->is_waited_for());
}

TEST_F(ProgramsTest, ThatAreIdleWakeWithARegionThatNobodySaw) {
        const auto id = join();
        grant(id, 0, 8);
        (void)programs_.find(id)->report({1, 8, false, 7}, now_);
        for (int i = 0; i < 4; i++)
                second(id, 0);
        EXPECT_FALSE(programs_.find(id)->report({1, 8, false, 7}, now_));
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(programs_.find(id)->report({1, 8, false, 8}, now_));
        EXPECT_FALSE(only().idle);
}

TEST_F(ProgramsTest, ThatAreCrowdedOutWantNoLess) {
        sample_ = idle_from(16);
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 20; i++)
                second(id, 0.1);
        EXPECT_FALSE(only().idle) << "there was no idle CPU";
        EXPECT_EQ(only().wants, 16U) << "twice what it has";
        for (auto& cpu : sample_.cpus)
                cpu.idle_permyriad = 5'000;
        for (int i = 0; i < 3; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle);
}

TEST_F(ProgramsTest, ThatAreNicedMayBeCrowdedOutByOthersThatAre) {
        sample_.warming_up = false;
        for (std::uint32_t cpu = 0; cpu < 16; cpu++)
                sample_.cpus.push_back({cpu, 0U, 10'000U});
        auto where = within(kAll);
        where.niced = true;
        const auto id = programs_.join(program_of(1000), {}, where, now_).id;
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 5; i++)
                second(id, 0.1);
        EXPECT_FALSE(only().idle) << "nobody knows whether they yield to it";
        where.niced = false;
        programs_.find(id)->confine(where, now_);
        for (int i = 0; i < 3; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle) << "they do, and it did not run";
}

TEST_F(ProgramsTest, ThatAreBoundAreCrowdedOutWhereTheyAreBoundTo) {
        sample_ = idle_from(8);
        auto where = within(kAll);
        where.bound = true;
        const auto id = programs_.join(program_of(1000), {}, where, now_).id;
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 20; i++)
                second(id, 1);
        EXPECT_EQ(only().wants, 16U) << "it cannot run where CPUs are idle";
        where.bound = false;
        programs_.find(id)->confine(where, now_);
        for (int i = 0; i < 20; i++)
                second(id, 1);
        EXPECT_EQ(only().wants, 2U);
}

TEST_F(ProgramsTest, ThatKeepTheirTeamsAreBoundElsewhere) {
        sample_ = idle_from(8);
        auto where = within(kAll);
        where.bound = true;
        registry::Request request;
        request.can_wait = request.keeps = true;
        const auto id = programs_.join(program_of(1000), request, where, now_).id;
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 20; i++)
                second(id, 0);
        EXPECT_TRUE(only().idle);
}

TEST_F(ProgramsTest, ThatAreStoppedAreIdle) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        for (int i = 0; i < 4; i++)
                second(id, 8);
        EXPECT_FALSE(only().idle);
        second(id, 0, true);
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(only().in_use.empty()) << "its region runs on nothing";
        EXPECT_TRUE(programs_.find(id)->is_waited_for());
}

TEST_F(ProgramsTest, ThatAreStoppedBetweenSamplesLendAtOnceAndWakeWithARegion) {
        const auto id = join();
        grant(id, 0, 8);
        (void)programs_.find(id)->report({1, 8, true, 5}, now_);
        programs_.find(id)->stopped(now_);
        EXPECT_TRUE(only().idle);
        grant(id, 0, 1);
        EXPECT_TRUE(only().in_use.empty());
        EXPECT_FALSE(only().above_since);
        EXPECT_FALSE(programs_.find(id)->report({1, 8, true, 5}, now_)) << "the same region";
        EXPECT_TRUE(only().idle);
        EXPECT_TRUE(programs_.find(id)->report({2, 1, true, 6}, now_));
        EXPECT_FALSE(only().idle);
        EXPECT_EQ(only().in_use.count(), 1U);
}

TEST_F(ProgramsTest, ThatGoOnInTheirRegionUseItsCpusAgain) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 8);
        second(id, 8, true);
        grant(id, 0, 1);
        ASSERT_TRUE(only().in_use.empty());
        second(id, 0);
        EXPECT_EQ(only().in_use.count(), 8U);
        EXPECT_TRUE(only().above_since);
}

TEST_F(ProgramsTest, ThatUseLittleOfOneCpuAreLight) {
        const auto id = join();
        EXPECT_FALSE(programs_.find(id)->may_be_light(now_)) << "nothing granted";
        grant(id, 0, 1);
        EXPECT_TRUE(programs_.find(id)->may_be_light(now_)) << "not measured yet";
        grant(id, 0, 2);
        second(id, 0);
        EXPECT_FALSE(programs_.find(id)->may_be_light(now_)) << "it has two";
        grant(id, 0, 1);
        for (int i = 0; i < 2; i++) {
                ASSERT_FALSE(only().light);
                second(id, 0);
                ASSERT_TRUE(programs_.find(id)->may_be_light(now_));
                programs_.find(id)->low_use(evidence::LowUse::Reading{cpu_time_, cpu_time_, 0ns},
                                            now_);
        }
        EXPECT_TRUE(only().light);
        int asked = 0;
        for (int i = 0; i < 12; i++) {
                second(id, 0);
                if (!programs_.find(id)->may_be_light(now_))
                        continue;
                programs_.find(id)->low_use(evidence::LowUse::Reading{cpu_time_, cpu_time_, 0ns},
                                            now_);
                asked++;
        }
        EXPECT_EQ(asked, 4) << "it sleeps";
        EXPECT_TRUE(only().light);
        programs_.find(id)->low_use(std::nullopt, now_);
        EXPECT_FALSE(only().light) << "who knows?";
        second(id, 1);
        EXPECT_FALSE(programs_.find(id)->may_be_light(now_)) << "it works";
}

TEST_F(ProgramsTest, FallSilentOnceUntilTheyRunAgain) {
        const auto id = join();
        EXPECT_FALSE(programs_.find(id)->fell_silent(1s)) << "nothing to lend";
        EXPECT_FALSE(programs_.find(id)->may_fall_silent());
        grant(id, 0, 8);
        EXPECT_TRUE(programs_.find(id)->may_fall_silent());
        EXPECT_FALSE(programs_.find(id)->fell_silent(1s));
        EXPECT_TRUE(programs_.find(id)->fell_silent(1s));
        EXPECT_FALSE(programs_.find(id)->fell_silent(1s)) << "as before";
        EXPECT_FALSE(programs_.find(id)->fell_silent(2s));
        EXPECT_TRUE(programs_.find(id)->fell_silent(2s));
        EXPECT_FALSE(programs_.find(id)->fell_silent(3s));
        programs_.find(id)->stopped(now_);
        EXPECT_FALSE(programs_.find(id)->fell_silent(3s)) << "it lends already";
        EXPECT_FALSE(programs_.find(id)->may_fall_silent());
}

TEST_F(ProgramsTest, WantWhatTheyBurn) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 5);
        second(id, 5);
        EXPECT_EQ(only().wants, 8U);
        EXPECT_EQ(only().burning, 5U);
        second(id, 8);
        EXPECT_FALSE(only().wants);
}

TEST_F(ProgramsTest, AreNotHeldToWhatTheyBurnedOnLessThanTheyHaveNow) {
        const auto id = join();
        grant(id, 0, 1);
        (void)region(id, 1, 1);
        second(id, 1);
        second(id, 1);
        grant(id, 0, 16);
        for (int i = 0; i < 30; i++)
                second(id, 1);
        EXPECT_FALSE(only().wants) << "its region began with one";
        EXPECT_FALSE(only().idle);
}

}  // namespace
}  // namespace governor::registry
