// SPDX-License-Identifier: MIT
// Events in, effects out: what is measured, decided and told when, on a clock of the test's own.
#include "cycle_fixture.hpp"

namespace governor::registry {
namespace {

TEST_F(CycleTest, GivesWhatThereIsToTheFirst) {
        const auto id = join();
        decide();
        const auto words = told();
        ASSERT_EQ(words.size(), 1U);
        EXPECT_EQ(words.at(id).grant.threads, 8U);
        EXPECT_FALSE(words.at(id).is_unlimited);
        EXPECT_EQ(words.at(id).epoch, 1U);
        EXPECT_TRUE(told().empty()) << "once";
}

TEST_F(CycleTest, KnowsSharesOfNewcomersBeforeItDecides) {
        const auto first = join();
        decide();
        const auto share = [&] {
                return cycle_.arbiter().share(*cycle_.programs().find(first), now_);
        };
        ASSERT_EQ(share(), 8U);
        const auto second = join();
        EXPECT_EQ(share(), 4U);
        cycle_.left(second, now_);
        EXPECT_EQ(share(), 8U);
}

TEST_F(CycleTest, ReadsReportsBeforeItMeasures) {
        (void)join();
        made_up_.called.clear();
        second();
        const auto& called = made_up_.called;
        const auto look = std::ranges::find(called, "look");
        ASSERT_NE(look, called.end());
        EXPECT_EQ(*(look + 1), "reports");
        EXPECT_EQ(*(look + 2), "measured");
        EXPECT_EQ(called.back(), "measured") << "and decides by that";
}

TEST_F(CycleTest, WakesForAProgramThatIsWaitedFor) {
        const auto first = join();
        const auto other = join();
        decide();
        Request request;
        request.max = 1;
        cycle_.requested(other, request, now_);
        decide();
        for (int i = 0; i < 3; i++)
                second({first, other});
        ASSERT_EQ(grant(first).threads, 7U);
        const auto report = made_up_.said.at(first);
        cycle_.requested(other, {}, now_);
        decide();
        ASSERT_EQ(grant(other).reason.limit, Limit::Handover) << "it does not begin";
        (void)told();
        region(first, 4);  // by the grant of four
        now_ += numbers::kPoll;
        cycle_.woke(now_);
        decide();
        EXPECT_EQ(told().at(other).grant.threads, 4U);
        EXPECT_GT(made_up_.said.at(first).epoch, report.epoch);
}

TEST_F(CycleTest, TellsAProgramThatOnlyStartsItsShareBeforeOthersHaveLeft) {
        const auto first = join();
        decide();
        for (int i = 0; i < 3; i++)
                second({first});
        ASSERT_EQ(grant(first).threads, 8U);
        Request request;
        request.start_only = true;
        const auto other = join({}, request);
        (void)told();
        decide();
        EXPECT_EQ(grant(other).threads, 4U) << "beside the other one";
        EXPECT_EQ(told().at(other).grant.threads, 4U) << "not one thread for life";
        EXPECT_EQ(cycle_.programs().find(other)->max(), 4U);
        const auto seconds = [&](int count, std::initializer_list<ProgramId> busy) {
                for (int i = 0; i < count; i++) {
                        region(other, 4);
                        made_up_.used[other] += grant(other).threads * 1s;
                        second(busy);
                }
        };
        seconds(4, {first});
        EXPECT_EQ(grant(other).threads, 4U) << "they have left";
        const auto third = join();
        seconds(4, {first, third});
        EXPECT_LT(grant(other).threads, 4U);
        EXPECT_EQ(told().at(other).grant.threads, grant(other).threads) << "it has begun";
}

TEST_F(CycleTest, TellsAHerdThatOnlyStartsWhatIsFairForEach) {
        Request request;
        request.start_only = true;
        std::vector<std::uint32_t> shares;
        for (int i = 0; i < 4; i++) {
                const auto id = join({}, request);
                decide();
                shares.push_back(told().at(id).grant.threads);
        }
        EXPECT_EQ(shares, (std::vector<std::uint32_t>{8, 4, 2, 2}));
}

TEST_F(CycleTest, TellsOneThatHasNotStartedYetOfALowerMaximum) {
        expect_that_one_to_start_is_told_of_a_maximum(2);
}

TEST_F(CycleTest, TellsOneThatHasNotStartedYetOfAMaximumThatLeavesItsGrantAsItIs) {
        for (int i = 0; i < 10; i++)
                tick(4);
        expect_that_one_to_start_is_told_of_a_maximum(4);
}

TEST_F(CycleTest, AsksBetweenDecisionsOnlyForReportsThatMatter) {
        const auto idle = join();
        const auto busy = join();
        ASSERT_NO_FATAL_FAILURE(fall_idle(idle, busy));
        region(busy, grant(busy).threads);
        made_up_.asked.clear();
        for (int i = 0; i < 8; i++)
                step();
        EXPECT_EQ(made_up_.asked, std::vector{idle});
        EXPECT_TRUE(told().empty());
        region(idle, 1);
        for (int i = 0; i < 8; i++)
                step();
        EXPECT_NE(grant(idle).reason.limit, Limit::Idle) << "it woke";
}

TEST_F(CycleTest, ForgetsAProgramThatLeavesWhileItIsWaitedFor) {
        const auto idle = join();
        const auto busy = join();
        ASSERT_NO_FATAL_FAILURE(fall_idle(idle, busy));
        for (int i = 0; i < 4; i++)
                step();
        cycle_.left(idle, now_);
        for (int i = 0; i < 8; i++)
                step();
        EXPECT_EQ(cycle_.programs().size(), 1U);
        EXPECT_FALSE(told().contains(idle));
        EXPECT_EQ(grant(busy).threads, 8U);
}

TEST_F(CycleTest, FindsBetweenSamplesThatAProgramWasStopped) {
        const auto busy = join();
        const auto stops = join();
        decide();
        for (int i = 0; i < 6; i++)
                second({busy, stops});
        ASSERT_EQ(grant(busy).threads, 4U);
        (void)told();
        made_up_.stopped.insert(stops);
        for (int i = 0; i < 12; i++)
                step({busy});
        const auto words = told();
        ASSERT_TRUE(words.contains(stops)) << "in 300 ms";
        EXPECT_EQ(words.at(stops).grant.reason.limit, Limit::Idle);
        EXPECT_GT(words.at(busy).grant.threads, 4U);
}

TEST_F(CycleTest, LooksAtAPartOfTheProgramsAndAtAllWhereCpusCameOrWent) {
        for (int i = 0; i < 25; i++)
                (void)join();
        made_up_.looked_at.clear();
        second();
        EXPECT_EQ(made_up_.looked_at.size(), 3U) << "each once in ten samples";
        made_up_.looked_at.clear();
        made_up_.allowed = CpuMask::range(0, 4);
        cycle_.plugged(machine_of(4));
        second();
        EXPECT_EQ(made_up_.looked_at.size(), 25U);
        EXPECT_EQ(cycle_.arbiter().last().cpus, 4U);
        made_up_.looked_at.clear();
        second();
        EXPECT_EQ(made_up_.looked_at.size(), 3U);
}

TEST_F(CycleTest, LetsAProgramThatComesBackGoOnWithWhatItHad) {
        now_ += 2s;
        const auto id = join(CpuMask::range(2, 3));
        const auto words = told();
        ASSERT_TRUE(words.contains(id)) << "at once";
        EXPECT_EQ(words.at(id).grant.cpus, CpuMask::range(2, 3));
        decide();
        EXPECT_EQ(told().at(id).grant.reason.limit, Limit::Returning) << "and why";
        now_ = kStart + numbers::kSettling;
        cycle_.woke(now_);
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 8U);
}

TEST_F(CycleTest, BelievesNothingOfAProgramThatComesBackLate) {
        now_ += numbers::kReturn;
        const auto id = join(CpuMask::range(2, 3));
        EXPECT_FALSE(told().contains(id));
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 8U);
}

TEST_F(CycleTest, HoldsAProgramThatComesBackLaterToWhatItHadForASecond) {
        now_ += 10s;
        const auto id = join(CpuMask::range(2, 3));
        decide();
        EXPECT_EQ(grant(id).threads, 3U);
        EXPECT_EQ(grant(id).reason.limit, Limit::Returning);
        second();
        decide();
        EXPECT_EQ(grant(id).threads, 8U);
}

TEST_F(CycleTest, MeasuresForeignLoadHoweverOftenAProgramComesBack) {
        (void)join();
        std::optional<ProgramId> claims;
        for (int i = 0; i < 200; i++) {
                if (i % 9 == 0) {
                        if (claims)
                                cycle_.left(*claims, now_);
                        claims = join(CpuMask::range(7, 1), {}, program_of(1001));
                }
                tick(8);
                if (i % 10 == 9)
                        cycle_.sampled(sample(8), now_);
        }
        EXPECT_EQ(cycle_.arbiter().last().foreign, 4U) << "half of the machine";
}

/// The command of a tree burns from its first moment on, and is looked at with the next sample.
TEST_F(CycleTest, TakesNoTreeThatHasJustBegunForForeign) {
        for (int i = 0; i < 10; i++)
                tick(0);
        auto holder = program_of(1000);
        holder.wants_tree = true;
        const auto id = join({}, {}, holder);
        for (int i = 0; i < 8; i++)
                tick(8);
        EXPECT_EQ(cycle_.arbiter().last().foreign, 0U);
        EXPECT_EQ(grant(id).threads, 8U);
}

/// Each of them is there for a moment only.
TEST_F(CycleTest, SeesForeignLoadWhateverNumberOfTreesBegins) {
        for (int i = 0; i < 10; i++)
                tick(0);
        auto holder = program_of(1000);
        holder.wants_tree = true;
        for (int i = 0; i < 30; i++) {
                const auto id = join({}, {}, holder);
                tick(8);
                if (i % 10 == 9)
                        cycle_.sampled(sample(8), now_);
                cycle_.left(id, now_);
        }
        EXPECT_EQ(cycle_.arbiter().last().foreign, 4U) << "half of the machine";
}

/// Each of them was alone when it came, and was granted all CPUs. It has kept one busy since then.
TEST_F(CycleTest, CountsTheBusyThreadOfAnIdleProgramAsLoadOfItsAccount) {
        std::vector<ProgramId> serial;
        const auto seconds = [&](int count, std::optional<ProgramId> wide) {
                for (int i = 0; i < 10 * count; i++) {
                        for (const auto id : serial)
                                made_up_.used[id] += numbers::kTick;
                        if (wide && i % 10 == 0)
                                region(*wide, grant(*wide).threads);
                        if (wide)
                                made_up_.used[*wide] += grant(*wide).threads * numbers::kTick;
                        const auto busy = serial.size() + (wide ? grant(*wide).threads : 0);
                        tick(std::min(static_cast<std::uint32_t>(busy), 8U));
                        if (i % 10 == 9)
                                cycle_.sampled(
                                        sample(std::min(static_cast<std::uint32_t>(busy), 8U)),
                                        now_);
                }
        };
        for (int i = 0; i < 3; i++) {
                serial.push_back(join());
                seconds(3, std::nullopt);
                EXPECT_TRUE(cycle_.arbiter().snapshot(now_).clients.back().idle);
        }
        const auto wide = join({}, {}, program_of(1001));
        decide();
        seconds(3, wide);
        EXPECT_EQ(grant(wide).threads, 5U);
        const auto owned = cycle_.arbiter().snapshot(now_).foreign.owned;
        ASSERT_EQ(owned.size(), 1U);
        EXPECT_EQ(owned[0].account, account_id({1000}));
}

TEST_F(CycleTest, TellsAProgramWhenItsTurnHasCome) {
        Request request;
        request.can_wait = true;
        request.scheduling_class = policy::fair::Class::Batch;
        auto identity = program_of(1000);
        identity.job = "first";
        auto first = join({}, request, identity);
        std::map<ProgramId, std::uint64_t> done;
        std::map<ProgramId, std::uint64_t> time_ns;
        // The program is as many times as fast as it has CPUs, and it says how far it is.
        const auto work = [&](ProgramId id) {
                const auto* held = cycle_.programs().find(id)->held();
                if (held->grant.parked)
                        return;
                const auto threads = held->grant.threads;
                made_up_.used[id] += threads * 1s;
                done[id] += threads * 100;
                time_ns[id] += 1'000'000'000;
                made_up_.said[id] = {held->epoch, threads,   true,     ++regions_,
                                     done[id],    1'000'000, done[id], time_ns[id]};
        };
        for (int i = 0; i < 5; i++) {
                second();
                work(first);
        }
        identity.job = "second";
        auto waits = join({}, request, identity);
        bool was_parked = false;
        for (int i = 0; i < 20 && !was_parked; i++) {
                second();
                for (const auto id : {first, waits})
                        work(id);
                for (const auto id : {first, waits})
                        was_parked = was_parked || cycle_.programs().find(id)->held()->grant.parked;
        }
        ASSERT_TRUE(was_parked);
        if (cycle_.programs().find(first)->held()->grant.parked)
                std::swap(first, waits);
        (void)told();
        cycle_.left(first, now_);
        decide();
        const auto words = told();
        ASSERT_TRUE(words.contains(waits));
        EXPECT_TRUE(words.at(waits).is_its_turn);
        EXPECT_FALSE(words.at(waits).grant.parked);
}

TEST_F(CycleTest, KnowsBeforeTheNextSampleWhatCpusAreWorthToABatchProgram) {
        Request request;
        request.can_wait = true;
        request.scheduling_class = policy::fair::Class::Batch;
        std::map<ProgramId, std::uint64_t> done;
        std::map<ProgramId, std::uint64_t> time_ns;
        // 25 ms in which they work, as many times as fast as they have CPUs.
        const auto work = [&](std::initializer_list<ProgramId> programs) {
                for (const auto id : programs) {
                        const auto* held = cycle_.programs().find(id)->held();
                        const auto threads = held->grant.threads;
                        done[id] += threads * 5;
                        time_ns[id] += 25'000'000;
                        made_up_.said[id] = {held->epoch, threads, true,     ++regions_,
                                             0,           0,       done[id], time_ns[id]};
                }
                step(programs);
        };
        auto identity = program_of(1000);
        identity.job = "first";
        const auto first = join({}, request, identity);
        made_up_.said[first] = {};
        decide();
        for (int i = 0; i < 4; i++)
                work({first});
        identity.job = "second";
        const auto second = join({}, request, identity);
        decide();
        ASSERT_FALSE(grant(second).parked);
        for (int i = 0; i < 12 && !grant(second).parked; i++)
                work({first, second});
        EXPECT_TRUE(grant(second).parked);
}

TEST_F(CycleTest, LeavesEverybodyAloneWhileItIsPaused) {
        const auto id = join();
        decide();
        (void)cycle_.take_effects();
        cycle_.paused(true, 0, now_);
        EXPECT_TRUE(cycle_.is_paused());
        auto effects = cycle_.take_effects();
        ASSERT_EQ(effects.publish.size(), 1U);
        EXPECT_TRUE(effects.publish[0].is_unlimited);
        EXPECT_TRUE(effects.has_news);
        cycle_.paused(true, 0, now_);
        EXPECT_FALSE(cycle_.take_effects().has_news) << "it is already";
        cycle_.paused(false, 0, now_);
        EXPECT_FALSE(told().at(id).is_unlimited);
}

TEST_F(CycleTest, LeavesEverybodyAloneWhereItObserves) {
        const auto id = join();
        decide();
        (void)told();
        configure(true);
        EXPECT_TRUE(told().at(id).is_unlimited);
        configure(false);
        EXPECT_FALSE(told().at(id).is_unlimited);
}

TEST_F(CycleTest, LooksUpWhatProgramsRunOnceARuleAsks) {
        const auto id = join();
        decide();
        (void)told();
        settings_.rules.resize(1);
        settings_.rules[0].executable = "*/solver";
        settings_.rules[0].ignore = true;
        configure();
        EXPECT_TRUE(cycle_.needs_executables());
        EXPECT_TRUE(cycle_.programs().find(id)->is_ignored());
        const auto words = told();
        EXPECT_TRUE(words.at(id).is_unlimited);
        EXPECT_FALSE(words.at(id).epoch);
}

TEST_F(CycleTest, FollowsOrdersAndChangesOfMind) {
        const auto id = join();
        decide();
        Order order;
        order.max = 3;
        EXPECT_TRUE(cycle_.ordered(id, order, Authority::Administrator, 0, now_).changed);
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 3U);
        Request request;
        request.max = 2;
        cycle_.requested(id, request, now_);
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 2U);
        EXPECT_FALSE(
                cycle_.ordered(ProgramId{99}, order, Authority::Administrator, 0, now_).changed);
}

TEST_F(CycleTest, RefusesAndTakesNoNoteOfIt) {
        Cycle small(made_up_, made_up_, kStart, {1, 1});
        small.configured(settings_, machine_of(8), now_);
        EXPECT_FALSE(small.joined(program_of(1), {}, within(kEight), {}, now_).refusal);
        EXPECT_EQ(small.joined(program_of(1), {}, within(kEight), {}, now_).refusal,
                  Refusal::TooManyOfAccount);
        EXPECT_EQ(small.programs().size(), 1U);
}

TEST_F(CycleTest, TicksAlsoWithoutALease) {
        EXPECT_EQ(cycle_.take_effects().tick_at, kStart);
        tick(0);
        EXPECT_EQ(cycle_.take_effects().tick_at, now_ + numbers::kTick);
}

class FirstSight : public CycleTest {
protected:
        /// The last tick saw two CPUs busy, and so many threads run when the program comes.
        std::uint32_t begins_with(std::uint32_t running) {
                tick(0);
                tick(2);
                made_up_.threads = running;
                const auto id = join();
                cycle_.woke(now_);
                return grant(id).threads;
        }
};

// Its first region may be its only one.
TEST_F(FirstSight, TheFirstProgramBeginsBesideALoadThatHasJustBegun) {
        EXPECT_EQ(begins_with(2), 6U);
}

TEST_F(FirstSight, TheFirstProgramBeginsOnAllCpusWhereTheLoadHasJustEnded) {
        EXPECT_EQ(begins_with(0), 8U);
}

TEST_F(CycleTest, GivesTheCpusOfForeignLoadBackAtATick) {
        for (int i = 0; i < 3; i++)
                tick(2);
        made_up_.threads = 2;
        const auto id = join();
        decide();
        EXPECT_EQ(grant(id).threads, 6U);
        const auto decisions = cycle_.decisions();
        tick(2);
        EXPECT_EQ(cycle_.decisions(), decisions) << "nothing has changed";
        for (int i = 0; i < 3; i++)
                tick(0);
        EXPECT_EQ(grant(id).threads, 8U);
}

TEST_F(CycleTest, LooksAtNothingButForeignLoadAtATick) {
        const auto id = join();
        decide();
        second({id});
        made_up_.called.clear();
        tick(0);
        EXPECT_TRUE(made_up_.called.empty());
}

TEST_F(CycleTest, TakesNoTreeThatBeginsToWorkForForeignLoad) {
        made_up_.ticks_guess = true;
        const auto id = join();
        decide();
        second();
        for (int i = 0; i < 9; i++)
                tick(8);
        EXPECT_EQ(grant(id).threads, 8U) << "what it burned since the last look is not known";
        made_up_.ticks_guess = false;
        second({}, 8);
        for (int i = 0; i < 5; i++)
                tick(8);
        EXPECT_EQ(grant(id).threads, 4U) << "it burned nothing";
}

TEST_F(CycleTest, LooksForATenthOfThePeriodAtMost) {
        (void)join();
        settings_.period = 100ms;
        configure();
        second();
        EXPECT_EQ(made_up_.longest_look, 10ms);
        settings_.period = 60s;
        configure();
        second();
        EXPECT_EQ(made_up_.longest_look, 50ms) << "the heartbeat waits for it";
}

TEST_F(CycleTest, MeasuresAndDecidesWhileALookGoesOn) {
        const auto id = join();
        made_up_.looks_end = false;
        const auto decisions = cycle_.decisions();
        for (int i = 0; i < 3; i++)
                second({id});
        EXPECT_EQ(made_up_.called.back(), "measured");
        EXPECT_EQ(cycle_.decisions(), decisions + 4) << "one for the newcomer, one for each sample";
        EXPECT_EQ(cycle_.programs().find(id)->burning_millicpu(), 8000U);
}

TEST_F(CycleTest, LetsTheLastLookStandWhileOneGoesOn) {
        made_up_.ticks_guess = true;
        const auto id = join();
        decide();
        second();
        made_up_.looks_end = false;
        for (int i = 0; i < 3; i++)
                second({}, 8);
        for (int i = 0; i < 9; i++)
                tick(8);
        EXPECT_EQ(grant(id).threads, 8U) << "what its tree burned since the last look is not known";
        made_up_.looks_end = true;
        second({}, 8);
        for (int i = 0; i < 5; i++)
                tick(8);
        EXPECT_EQ(grant(id).threads, 4U) << "it burned nothing";
}

/// Programs that keep their teams and begin regions of 1 ms; what part of 20 s each one runs. The
/// first one runs on as many CPUs as the others, whatever it says.
class RoundsOfUsers : public CycleTest {
protected:
        /// There are so many programs of each user.
        [[nodiscard]] std::vector<double> parts(const std::vector<int>& users, std::uint32_t said) {
                std::vector<ProgramId> all;
                for (std::uint32_t user = 0; user < users.size(); user++)
                        for (int i = 0; i < users[user]; i++)
                                all.push_back(join({}, keeps(), program_of(1000 + user)));
                constexpr int kTime_ms = 20'000;
                std::vector<double> parts(all.size());
                for (int ms = 1; ms <= kTime_ms; ms++) {
                        for (std::size_t i = 0; i < all.size(); i++)
                                parts[i] +=
                                        millisecond(all[i], i == 0 ? said : 8) ? 1. / kTime_ms : 0;
                        now_ += 1ms;
                        cycle_.woke(now_);
                        if (ms % 1000 == 0)
                                cycle_.sampled(sample(8), now_);
                }
                return parts;
        }

private:
        static Request keeps() {
                Request request;
                request.keeps = request.can_wait = true;
                return request;
        }
        /// True: it has run a region.
        bool millisecond(ProgramId id, std::uint32_t team) {
                const auto* held = cycle_.programs().find(id)->held();
                if (held == nullptr)
                        return false;
                auto& report = made_up_.said[id];
                report.waits = held->grant.parked;
                report.in_region = !held->grant.parked;
                if (held->grant.parked)
                        return false;
                report.epoch = held->epoch;
                report.team = team;
                report.regions++;
                report.ended++;
                report.ended_ns += 1'000'000;
                made_up_.used[id] += 8 * 1ms;
                return true;
        }
};

TEST_F(RoundsOfUsers, GiveASmallTeamNoMoreThanAnEqualPart) {
        const auto parts = this->parts({1, 1, 1, 1, 1, 1}, 1);
        for (std::size_t i = 1; i < parts.size(); i++)
                EXPECT_GE(parts[i], 0.8 / 6) << "beside one that says that its team has one thread";
}

TEST_F(RoundsOfUsers, GiveALargeTeamNoMoreThanAnEqualPart) {
        for (const auto part : parts({1, 1, 1, 1, 1, 1}, 8))
                EXPECT_GE(part, 0.95 / 6) << "8 CPUs are no multiple of 6";
}

TEST_F(RoundsOfUsers, GiveAUserNoMoreForManyPrograms) { EXPECT_GE(parts({1, 10}, 8)[0], 0.46); }

TEST_F(RoundsOfUsers, GiveProgramsOfOneUserTheSame) {
        for (const auto part : parts({3}, 8))
                EXPECT_GE(part, 0.95 / 3) << "8 CPUs are no multiple of 3";
}

}  // namespace
}  // namespace governor::registry
