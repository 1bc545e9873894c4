// SPDX-License-Identifier: MIT
// Sentences for people.
#include "server/journal/explain.hpp"

#include <gtest/gtest.h>

namespace governor::server {
namespace {

using policy::fair::Limit;
using policy::fair::ProgramId;
using registry::Event;
using registry::EventKind;
using std::chrono::milliseconds;

const policy::TimePoint kStart{std::chrono::hours{1}};

class Explaining : public testing::Test {
protected:
        Explaining() {
                grant_.threads = 3;
                grant_.reason.limit = Limit::FairShare;
                grant_.reason.cpus = 8;
                grant_.reason.programs = 2;
                grant_.reason.accounts = 1;
                grant_.reason.share = 3;
                identity_.cpu_time = milliseconds{0};
        }

        /// The program of these settings, which has come and was not granted anything yet.
        registry::Program& come() {
                programs_ = registry::Programs({}, rules_);
                registry::Confinement where;
                where.cpus = policy::CpuMask::range(0, 8);
                const auto id = programs_.join(identity_, request_, where, kStart).id;
                return *programs_.find(id);
        }
        registry::Program& come_and_be_granted() {
                auto& program = come();
                grant_.id = program.id();
                policy::fair::Decision decision;
                decision.grants = {grant_};
                (void)programs_.apply(decision, kStart);
                return program;
        }
        [[nodiscard]] std::vector<std::string> lines() {
                return steps(come_and_be_granted(), turns_);
        }

        registry::Identity identity_;
        registry::Request request_;
        policy::fair::Grant grant_;
        std::vector<policy::fair::Rule> rules_;
        std::optional<registry::Programs::Turns> turns_;
        registry::Programs programs_{{}, {}};
};

TEST_F(Explaining, GoesFromWhatThereIsToWhatItGets) {
        EXPECT_EQ(lines(), (std::vector<std::string>{
                                   "8 cpus to share",
                                   "shared by 2 programs of 1 account; its fair share is 3",
                                   "it is in no region; its use of cpus is not measured yet",
                                   policy::fair::explain(grant_)}));
}

TEST_F(Explaining, SaysWhatItBurnsOnceThatIsMeasured) {
        auto& program = come_and_be_granted();
        program.measured(milliseconds{0}, false, kStart + milliseconds{500});
        EXPECT_EQ(steps(program, turns_)[2],
                  "it is in no region; its use of cpus is not measured yet");
        program.measured(milliseconds{0}, false, kStart + milliseconds{1'500});
        EXPECT_EQ(steps(program, turns_)[2],
                  "it is in no region and burned 0.00 cpus over the last second");
}

TEST_F(Explaining, SpeaksOfNoRegionWhereItIsATree) {
        identity_.wants_tree = true;
        auto& program = come_and_be_granted();
        ASSERT_TRUE(program.holds_tree());
        EXPECT_EQ(steps(program, turns_)[2], "its use of cpus is not measured yet");
        program.measured(milliseconds{500}, false, kStart + milliseconds{1'000});
        EXPECT_EQ(steps(program, turns_)[2],
                  "with all that it started it burned 0.50 cpus over the last second");
}

TEST_F(Explaining, SaysWhoHasOrderedWhat) {
        using registry::Authority;
        auto& program = come_and_be_granted();
        (void)program.order({{}, 30, {}, {}}, Authority::Owner, 1000, kStart);
        (void)program.order({{}, {}, {}, true}, Authority::Administrator, 0, kStart);
        const auto said = steps(program, turns_);
        ASSERT_EQ(said.size(), 7U);
        EXPECT_EQ(said[2], "set by user 1000: weight 30");
        EXPECT_EQ(said[3], "paused by root: one thread until it is resumed");
        EXPECT_EQ(said[4], "at most 1");
}

TEST_F(Explaining, SaysAllThatWasOrderedAtOnce) {
        auto& program = come_and_be_granted();
        (void)program.order({4, 30, policy::fair::Class::Batch, {}}, registry::Authority::Owner,
                            1000, kStart);
        EXPECT_EQ(steps(program, turns_)[2], "set by user 1000: max 4, weight 30, class batch");
}

TEST(WhatHappened, NamesWhoOrderedIt) {
        Event event;
        event.kind = EventKind::Ordered;
        event.order.max = 0;
        event.order.weight = 7;
        EXPECT_EQ(what_happened(event), "root set max none, weight 7");
        event.by = 1000;
        event.order = {};
        event.order.paused = false;
        EXPECT_EQ(what_happened(event), "user 1000 resumed it");
        event.kind = EventKind::Suspended;
        EXPECT_EQ(what_happened(event), "user 1000 paused governing: programs are left alone");
        event.kind = EventKind::Restored;
        EXPECT_EQ(what_happened(event), "user 1000 ended the pause of governing");
}

TEST(WhyRefused, NamesTheLimitAndHowMuchOfItIsUsed) {
        EXPECT_EQ(why_refused({Shortage::Of::Account, 1'024, 1'100}),
                  "its user holds 1024 leases, as many as one user may");
        EXPECT_EQ(why_refused({Shortage::Of::All, 683, 1'366}),
                  "there are 1366 leases, 683 of them its user's; of 2048 each user is to leave as "
                  "many free as it holds");
        EXPECT_EQ(why_refused({Shortage::Of::Descriptors, 7, 9}),
                  "its user holds as many connections and leases as leave descriptors for others");
        EXPECT_EQ(why_refused({Shortage::Of::System, 7, 9}),
                  "the daemon is out of memory or descriptors");
}

TEST_F(Explaining, NamesWhatIsTakenAwayAndWhatLimitsIt) {
        auto& reason = grant_.reason;
        reason.cpus = 1;
        reason.foreign = 2;
        reason.own_foreign = 1;
        reason.reserved = 3;
        reason.rigid = 4;
        request_.max = 5;
        rules_.resize(2);
        rules_[0].name = "a";
        rules_[1].name = "b";
        auto& program = come_and_be_granted();
        (void)program.report({1, 1, true, 1}, kStart);
        program.measured(milliseconds{1'059}, false, kStart + milliseconds{1'000});
        const auto lines = steps(program, turns_);
        ASSERT_EQ(lines.size(), 6U);
        EXPECT_EQ(lines[0],
                  "1 cpu to share; 2 left to programs that are not governed, 1 of these "
                  "against its user; 3 kept free for programs that come and go; 4 kept by programs "
                  "that do not follow");
        EXPECT_EQ(lines[2], "rules: a, b");
        EXPECT_EQ(lines[3], "at most 5");
        EXPECT_EQ(lines[4],
                  "it has 1 thread in a region and burned 1.06 cpus over the last second");
}

TEST_F(Explaining, SaysHowFarABatchProgramIs) {
        request_.scheduling_class = policy::fair::Class::Batch;
        EXPECT_EQ(lines()[2], "batch, but it takes no turns");
        turns_.emplace();
        turns_->programs = 2;
        turns_->served = milliseconds{3'210};
        identity_.job = "sweep 7";
        EXPECT_EQ(
                lines()[2],
                "batch job sweep 7, 2 programs, 3.2 s of turns so far; it does not tell how far it "
                "is");
        identity_.job.clear();
        identity_.process_group = 4'711;
        turns_->programs = 3;
        EXPECT_EQ(lines()[2],
                  "batch job of process group 4711, 3 programs, 3.2 s of turns so far; it does not "
                  "tell how far it is");
        identity_.process_group = 0;
        turns_->programs = 1;
        turns_->said = {40, 100};
        EXPECT_EQ(lines()[2],
                  "batch job, 1 program, 3.2 s of turns so far; 40 of 100 done, too early to tell "
                  "how long the rest takes");
        turns_->remaining = milliseconds{4'800};
        EXPECT_EQ(lines()[2],
                  "batch job, 1 program, 3.2 s of turns so far; 40 of 100 done, 4.8 s of turns to "
                  "go");
        turns_->remaining.reset();
        turns_->said.is_believed = false;
        EXPECT_EQ(lines()[2],
                  "batch job, 1 program, 3.2 s of turns so far; 40 of 100 done, as it says; not "
                  "believed: it went back, or took more than twice as long as it had promised");
        turns_->said = {100, 100};
        EXPECT_EQ(lines()[2], "batch job, 1 program, 3.2 s of turns so far; 100 of 100 done");
}

TEST_F(Explaining, SaysThatARuleLetsTeamsFollow) {
        rules_.resize(1);
        rules_[0].name = "solver";
        rules_[0].adapts = true;
        const auto said = lines();
        ASSERT_EQ(said.size(), 6U);
        EXPECT_EQ(said[2], "rules: solver");
        EXPECT_EQ(said[3], "a rule lets its teams follow the grant, as `fairly --adapt` does");
}

TEST_F(Explaining, SaysWhereNothingIsGranted) {
        EXPECT_EQ(steps(come(), turns_), std::vector<std::string>{"nothing is granted yet"});
        rules_.resize(1);
        rules_[0].name = "mine";
        rules_[0].ignore = true;
        EXPECT_EQ(steps(come(), turns_), std::vector<std::string>{"rule mine: it is not governed"});
}

Event event_of(EventKind kind, milliseconds at) {
        Event event;
        event.kind = kind;
        event.at = kStart + at;
        return event;
}

TEST(ExplainingEvents, SaysWhatHappenedAndWhen) {
        std::vector<Event> events{event_of(EventKind::Joined, milliseconds{0}),
                                  event_of(EventKind::Granted, milliseconds{500}),
                                  event_of(EventKind::Rigid, milliseconds{1'000}),
                                  event_of(EventKind::Left, milliseconds{2'000})};
        events[1].from = 1;
        events[1].to = 4;
        events[1].reason.limit = Limit::Everything;
        const auto lines = sentences(events, kStart + milliseconds{2'500});
        ASSERT_EQ(lines.size(), 4U);
        EXPECT_EQ(lines[0], "2.5 s ago: came");
        EXPECT_TRUE(lines[1].starts_with("2.0 s ago: granted 4, had 1; ")) << lines[1];
        EXPECT_EQ(lines[2],
                  "1.5 s ago: still ran on more than its grant: charged for what it burns");
        EXPECT_EQ(lines[3], "0.5 s ago: went");
}

}  // namespace
}  // namespace governor::server
