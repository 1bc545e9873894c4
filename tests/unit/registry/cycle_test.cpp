// SPDX-License-Identifier: MIT
// Events in, effects out: what is measured, decided and told when, on a clock of the test's own.
#include "registry/cycle.hpp"

#include "made_up_programs.hpp"

#include <gtest/gtest.h>
#include <map>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::Limit;

const CpuMask kAll = CpuMask::range(0, 8);

/// A kernel and a shared memory that the test writes.
class MadeUp : public ProcessFacts, public ReportSource {
public:
        void look(TimePoint) override { called.emplace_back("look"); }
        std::optional<Measured> measured(ProgramId id) override {
                called.emplace_back("measured");
                return Measured{used[id], stopped.contains(id)};
        }
        std::uint32_t yielding_millicpu() override { return 0; }
        std::optional<std::chrono::nanoseconds> cpu_time(ProgramId id) override { return used[id]; }
        bool is_stopped(ProgramId id) override { return stopped.contains(id); }
        std::optional<TreeLook> look_at_tree(ProgramId id) override {
                looks++;
                return is_small ? std::optional(TreeLook{used[id], runnable.contains(id)})
                                : std::nullopt;
        }
        std::optional<evidence::LowUse::Reading> low_use(ProgramId,
                                                         std::chrono::nanoseconds) override {
                return std::nullopt;
        }
        std::optional<Confinement> where(ProgramId id, TimePoint) override {
                looked_at.push_back(id);
                return within(allowed);
        }
        std::string executable(ProgramId) override { return "/usr/bin/solver"; }
        std::vector<std::optional<evidence::Report>>
        reports(std::span<const ProgramId> programs) override {
                called.emplace_back("reports");
                asked.assign(programs.begin(), programs.end());
                std::vector<std::optional<evidence::Report>> reports;
                for (const auto id : programs) {
                        const auto found = said.find(id);
                        reports.push_back(found != said.end() ? std::optional(found->second)
                                                              : std::nullopt);
                }
                return reports;
        }

        std::map<ProgramId, std::chrono::nanoseconds> used;
        std::map<ProgramId, evidence::Report> said;
        std::set<ProgramId> stopped;
        std::set<ProgramId> runnable;
        bool is_small = true;  // trees
        int looks = 0;         // at these
        CpuMask allowed = kAll;
        std::vector<std::string> called;
        std::vector<ProgramId> looked_at;
        std::vector<ProgramId> asked;
};

class CycleTest : public testing::Test {
protected:
        CycleTest() { configure(); }

        void configure(bool is_observing = false) {
                settings_.is_observing = is_observing;
                cycle_.configured(settings_, machine_of(8), now_);
        }
        ProgramId join(const CpuMask& held = {}, const Request& request = {},
                       const Identity& identity = program_of(1000)) {
                return cycle_.joined(identity, request, within(kAll), held, now_).id;
        }
        /// 25 ms in which these keep all of their CPUs busy; then what is due happens.
        void step(std::initializer_list<ProgramId> busy = {}) {
                for (const auto id : busy)
                        if (const auto* held = cycle_.programs().find(id)->held())
                                made_up_.used[id] += held->grant.threads * 25ms;
                now_ += 25ms;
                cycle_.woke(now_);
        }
        /// A second of that, in which each of them begins a region, and a sample in which the
        /// machine is idle.
        void second(std::initializer_list<ProgramId> busy = {}) {
                for (const auto id : busy)
                        if (const auto* held = cycle_.programs().find(id)->held())
                                region(id, held->grant.threads);
                for (int i = 0; i < 40; i++)
                        step(busy);
                policy::Sample sample;
                sample.warming_up = false;
                for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                        sample.cpus.push_back({cpu, policy::kPermyriad, 0});
                cycle_.sampled(sample, now_);
        }
        void decide() {
                now_ += Schedule::kRest;
                cycle_.woke(now_);
        }
        /// It runs a region on what it was granted last, with so many threads.
        void region(ProgramId id, std::uint32_t team) {
                const auto* held = cycle_.programs().find(id)->held();
                made_up_.said[id] = {held->epoch, team, true, ++regions_};
        }
        [[nodiscard]] policy::fair::Grant grant(ProgramId id) const {
                return cycle_.programs().find(id)->held()->grant;
        }
        /// Six seconds in which one does nothing and the other keeps its CPUs busy.
        void fall_idle(ProgramId idle, ProgramId busy) {
                decide();
                for (int i = 0; i < 6; i++)
                        second({busy});
                ASSERT_EQ(grant(idle).reason.limit, Limit::Idle);
                (void)told();
        }
        /// The last word of each program, of all events since the last call.
        std::map<ProgramId, Effects::Word> told() {
                std::map<ProgramId, Effects::Word> words;
                for (const auto& word : cycle_.take_effects().publish)
                        words[word.id] = word;
                return words;
        }

        MadeUp made_up_;
        TimePoint now_ = kStart;
        Cycle::Settings settings_;
        Cycle cycle_{made_up_, made_up_, kStart};
        std::uint64_t regions_ = 0;
};

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
        decide();
        for (int i = 0; i < 3; i++)
                second({first});
        const auto other = join();
        decide();
        const auto report = made_up_.said.at(first);
        for (int i = 0; i < 80 && grant(other).reason.limit != Limit::Handover; i++)
                step({first});
        ASSERT_EQ(grant(other).reason.limit, Limit::Handover);
        (void)told();
        region(first, 4);  // by the grant of four
        now_ += Schedule::kPoll;
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
        EXPECT_EQ(grant(other).threads, 1U) << "a CPU that is shared";
        EXPECT_EQ(told().at(other).grant.threads, 4U) << "not one thread for life";
        EXPECT_EQ(cycle_.programs().find(other)->max(), 4U);
        const auto seconds = [&](int count) {
                for (int i = 0; i < count; i++) {
                        region(other, 4);
                        made_up_.used[other] += grant(other).threads * 1s;
                        second({first});
                }
        };
        seconds(4);
        EXPECT_EQ(grant(other).threads, 4U) << "they have left";
        (void)join();
        seconds(4);
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
        now_ = kStart + Cycle::kSettling;
        cycle_.woke(now_);
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 8U);
}

TEST_F(CycleTest, BelievesNothingOfAProgramThatComesBackLate) {
        now_ += Cycle::kReturn;
        const auto id = join(CpuMask::range(2, 3));
        EXPECT_FALSE(told().contains(id));
        decide();
        EXPECT_EQ(told().at(id).grant.threads, 8U);
}

TEST_F(CycleTest, TellsAProgramWhenItsTurnHasCome) {
        Request request;
        request.can_wait = true;
        request.scheduling_class = policy::fair::Class::Batch;
        auto identity = program_of(1000);
        identity.job = "first";
        const auto first = join({}, request, identity);
        identity.job = "second";
        const auto waits = join({}, request, identity);
        bool was_parked = false;
        for (int i = 0; i < 5 && !was_parked; i++) {
                made_up_.used[first] += 8s;
                made_up_.said[first] = {1, 8, true, ++regions_};
                second();
                const auto* held = cycle_.programs().find(waits)->held();
                was_parked = held->grant.parked;
        }
        ASSERT_TRUE(was_parked);
        EXPECT_FALSE(told().at(waits).is_its_turn);
        cycle_.left(first, now_);
        decide();
        const auto words = told();
        ASSERT_TRUE(words.contains(waits));
        EXPECT_TRUE(words.at(waits).is_its_turn);
        EXPECT_FALSE(words.at(waits).grant.parked);
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
        EXPECT_FALSE(small.joined(program_of(1), {}, within(kAll), {}, now_).refusal);
        EXPECT_EQ(small.joined(program_of(1), {}, within(kAll), {}, now_).refusal,
                  Refusal::TooManyOfAccount);
        EXPECT_EQ(small.programs().size(), 1U);
}

class YieldingTurnsTest : public CycleTest {
protected:
        ProgramId join_tree() {
                Request request;
                request.scheduling_class = policy::fair::Class::Batch;
                request.yields = true;
                auto identity = program_of(1000);
                identity.wants_tree = true;
                return join({}, request, identity);
        }
        void steps(int count, std::initializer_list<ProgramId> busy = {}) {
                for (int i = 0; i < count; i++)
                        step(busy);
        }
};

TEST_F(YieldingTurnsTest, AreLentByWhoDoesNothingForAQuarterOfASecond) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        steps(40, {first});
        ASSERT_TRUE(grant(second).parked);
        steps(8);
        EXPECT_TRUE(grant(second).parked);
        steps(12);
        EXPECT_FALSE(grant(second).parked);
        EXPECT_EQ(grant(second).threads, 8U);
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle);
        CycleTest::second({second});
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle) << "what a sample saw was before";
        steps(10, {first, second});
        EXPECT_EQ(grant(first).threads, 8U) << "it works again";
        EXPECT_TRUE(grant(second).parked);
        steps(40, {second});
        EXPECT_TRUE(grant(second).parked) << "not so soon again";
        steps(60);
        EXPECT_FALSE(grant(second).parked);
}

TEST_F(YieldingTurnsTest, AreKeptByWhoWouldRunButForOthers) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        made_up_.runnable.insert(first);
        steps(80);
        EXPECT_TRUE(grant(second).parked);
}

TEST_F(YieldingTurnsTest, AreLookedAtOnlyWhileSomebodyWaits) {
        const auto first = join_tree();
        decide();
        steps(40);
        EXPECT_EQ(made_up_.looks, 0);
        (void)join_tree();
        decide();
        steps(40, {first});
        EXPECT_GE(made_up_.looks, 5);
        EXPECT_LE(made_up_.looks, 11) << "every 100 ms";
}

TEST_F(YieldingTurnsTest, AreAnAffairOfSamplesWhereTreesAreLarge) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        made_up_.is_small = false;
        steps(30);
        EXPECT_TRUE(grant(second).parked);
        EXPECT_EQ(made_up_.looks, 1) << "what cannot be told is not asked again and again";
        for (int i = 0; i < 4; i++)
                CycleTest::second({second});
        EXPECT_FALSE(grant(second).parked);
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle);
}

TEST_F(YieldingTurnsTest, AreWantedBackByEachOfManyThatHaveLentThem) {
        std::vector<ProgramId> trees;
        for (int i = 0; i < 9; i++)
                trees.push_back(join_tree());
        decide();
        steps(400);
        trees.pop_back();  // nobody waits for its turn
        for (const auto id : trees)
                EXPECT_EQ(grant(id).reason.limit, Limit::Idle);
        made_up_.runnable.insert(trees.back());
        steps(20);
        EXPECT_NE(grant(trees.back()).reason.limit, Limit::Idle);
}

TEST_F(YieldingTurnsTest, AreNotLentForEverByATreeThatLooksDoNotReachAnyMore) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        steps(20);
        ASSERT_EQ(grant(first).reason.limit, Limit::Idle);
        auto member = program_of(1000);
        member.tree = first;
        (void)join({}, {}, member);  // whose reports count from now on
        for (int i = 0; i < 4; i++)
                CycleTest::second({first, second});
        EXPECT_NE(grant(first).reason.limit, Limit::Idle);
}

}  // namespace
}  // namespace governor::registry
