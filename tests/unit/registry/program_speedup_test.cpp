// SPDX-License-Identifier: MIT
// The number of CPUs that pay for a batch program, learned from its reports.
#include "programs_fixture.hpp"

#include <algorithm>

namespace governor::registry {
namespace {

class ClientSpeedup : public ProgramsTest {
protected:
        static Request batch() {
                Request request;
                request.scheduling_class = policy::fair::Class::Batch;
                request.can_wait = true;
                return request;
        }

        /// Regions of a millisecond on as many CPUs as it has, or on 4 if it has more.
        void run(ProgramId id, std::chrono::milliseconds span) {
                const auto* held = programs_.find(id)->held();
                const auto cpus = held->grant.threads;
                for (const auto end = now_ + span; now_ < end;) {
                        now_ += 100ms;
                        auto& [ended, time_ns] = done_[cpus];
                        ended += 100 * std::min(cpus, 4U);
                        time_ns += 100'000'000;
                        programs_.find(id)->report({epoch_.value_or(held->epoch), cpus, true,
                                                    ++regions_, 0, 0, ended, time_ns},
                                                   now_);
                }
        }

        [[nodiscard]] std::optional<double> worth(std::uint32_t cpus) {
                return only().scaling.elasticity(policy::fair::octave_below(cpus));
        }

        /// A decision by which it has so many CPUs, and its turn.
        void decide(ProgramId id, std::uint32_t cpus, bool shared = false) {
                auto one = grant_of(id, CpuMask::range(0, cpus));
                one.shared = shared;
                auto decision = decision_of({one});
                decision.turns = {policy::fair::GangId{1}};
                decision.paces = {1};
                programs_.apply(decision, now_);
        }

        struct Done {
                std::uint64_t ended = 0;
                std::uint64_t time_ns = 0;
        };
        std::map<std::uint32_t, Done> done_;  // by team
        std::optional<std::uint64_t> epoch_;
};

TEST_F(ClientSpeedup, IsLearnedFromWhatItReports) {
        const auto id = join(1000, batch());
        decide(id, 16);
        run(id, 3s);
        EXPECT_FALSE(worth(16));
        decide(id, 8);
        run(id, 500ms);
        EXPECT_EQ(worth(16), 0) << "not faster with 16";
        EXPECT_FALSE(worth(8));
}

TEST_F(ClientSpeedup, IsLearnedFromItsFirstRegionsToo) {
        const auto id = join(1000, batch());
        programs_.find(id)->report({}, now_);  // as in front of each decision
        decide(id, 4);
        run(id, 100ms);
        decide(id, 2);
        run(id, 300ms);
        EXPECT_EQ(worth(4), 1);
}

TEST_F(ClientSpeedup, AFirstRegionOfAnEarlierGrantSaysNothing) {
        const auto id = join(1000, batch());
        auto& program = *programs_.find(id);
        program.report({}, now_);
        decide(id, 16);
        const auto epoch = program.held()->epoch;
        program.report({epoch, 16, true, 1, 0, 0, 0, 0}, now_);
        decide(id, 8);
        program.report({epoch, 16, true, 1, 0, 0, 0, 0}, now_);
        now_ += 2s;  // on 16 CPUs
        const auto next = program.held()->epoch;
        program.report({next, 8, true, 2, 0, 0, 1, 2'000'000'000}, now_);
        decide(id, 16);
        for (std::uint64_t ended = 1; ended < 5; ended++) {
                program.report({program.held()->epoch, 16, true, ended + 2, 0, 0, ended,
                                ended * 2'000'000'000},
                               now_);
                now_ += 2s;
        }
        EXPECT_FALSE(worth(16));
}

TEST_F(ClientSpeedup, IsNoAffairOfWhoDoesNotTakeTurns) {
        const auto id = join();
        decide(id, 16);
        run(id, 3s);
        EXPECT_FALSE(only().probe_width);
        decide(id, 8);
        run(id, 500ms);
        EXPECT_FALSE(worth(16));
}

TEST_F(ClientSpeedup, IsTriedAfterAWhile) {
        const auto id = join(1000, batch());
        decide(id, 16);
        run(id, 900ms);
        EXPECT_FALSE(only().probe_width);
        run(id, 2s);
        EXPECT_EQ(only().probe_width, 8U);
        decide(id, 8);
        EXPECT_EQ(only().probe_width, 8U);
        run(id, 300ms);
        EXPECT_FALSE(only().probe_width);
        EXPECT_EQ(worth(16), 0);
}

TEST_F(ClientSpeedup, IsNotTriedWhereTheDecisionIsAnotherOne) {
        const auto id = join(1000, batch());
        decide(id, 16);
        run(id, 3s);
        decide(id, 16);
        EXPECT_EQ(only().probe_width, 8U) << "still to be tried";
        decide(id, 12);
        EXPECT_FALSE(only().probe_width) << "not measured yet";
}

TEST_F(ClientSpeedup, RegionsOfAnEarlierGrantSayNothing) {
        const auto id = join(1000, batch());
        decide(id, 16);
        run(id, 3s);
        epoch_ = programs_.find(id)->held()->epoch;
        decide(id, 8);
        run(id, 3s);
        EXPECT_FALSE(worth(16));
        epoch_.reset();
        run(id, 3s);
        EXPECT_EQ(worth(16), 0);
}

TEST_F(ClientSpeedup, WhatItDoesBesideOthersSaysNothing) {
        const auto id = join(1000, batch());
        decide(id, 4);
        run(id, 3s);
        decide(id, 1, true);
        run(id, 3s);
        EXPECT_FALSE(worth(16));
        EXPECT_FALSE(only().probe_width);
}

TEST_F(ClientSpeedup, IsThatOfTheLastOfItsNameOnceItHasShownSo) {
        const auto first = join(1000, batch());
        decide(first, 16);
        run(first, 3s);
        decide(first, 8);
        run(first, 500ms);
        (void)programs_.leave(first, {}, now_);
        now_ += 10min;
        done_.clear();
        regions_ = 0;
        const auto second = join(1000, batch());
        EXPECT_FALSE(worth(16)) << "that may be over";
        decide(second, 16);
        run(second, 1400ms);
        EXPECT_EQ(only().probe_width, 8U) << "looked at without delay";
        decide(second, 8);
        run(second, 500ms);
        EXPECT_EQ(worth(16), 0);
}

/// Batch programs of one user.
class Kinds : public ClientSpeedup {
protected:
        ProgramId join_as(const std::string& label) {
                return programs_.join(program_of(1000, label), batch(), within(kAll), now_).id;
        }
        /// A program of this label comes, ends so many regions, and goes.
        void run_once(const std::string& label, std::uint64_t regions) {
                const auto id = join_as(label);
                programs_.find(id)->report({0, 1, false, regions, 0, 0, regions, regions}, now_);
                programs_.leave(id, std::nullopt, now_);
        }
        [[nodiscard]] std::uint64_t kind_of(ProgramId id) const { return gang_of(id).kind; }
        [[nodiscard]] policy::fair::Gang gang_of(ProgramId id) const {
                const auto snapshot = programs_.snapshot(machine_, foreign_, now_);
                const auto client =
                        std::ranges::find(snapshot.clients, id, &policy::fair::Client::id);
                return snapshot.gangs.at(*client->gang);
        }
};

TEST_F(Kinds, AreLabels) {
        const auto a = join_as("a");
        const auto b = join_as("b");
        EXPECT_NE(kind_of(a), 0);
        EXPECT_NE(kind_of(a), kind_of(b));
        EXPECT_EQ(kind_of(a), kind_of(join_as("a")));
        EXPECT_EQ(kind_of(join_as("")), 0);
}

TEST_F(Kinds, AreNoneWhereTwoRunsWereOfDifferentLengths) {
        const auto id = join_as("a");
        run_once("a", 100);
        EXPECT_NE(kind_of(id), 0);
        run_once("a", 300);
        EXPECT_EQ(kind_of(id), 0);
        run_once("a", 310);
        EXPECT_NE(kind_of(id), 0);
}

TEST_F(Kinds, AreNoneWhereProgramsSayHowFarTheyAre) {
        const auto id = join_as("a");
        const auto other = join_as("a");
        programs_.find(other)->report({0, 1, false, 1, 1, 100, 1, 1}, now_);
        EXPECT_EQ(kind_of(id), 0);
}

}  // namespace
}  // namespace governor::registry
