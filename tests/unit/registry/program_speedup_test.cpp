// SPDX-License-Identifier: MIT
// What a batch program's reports tell of how many CPUs pay.
#include "programs_fixture.hpp"

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

        /// A decision by which it has so many CPUs, and its turn.
        void decide(ProgramId id, std::uint32_t cpus, bool shared = false) {
                auto one = grant_of(id, CpuMask::range(0, cpus));
                one.shared = shared;
                auto decision = decision_of({one});
                decision.turns = decision.served = {policy::fair::GangId{1}};
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
        EXPECT_FALSE(only().knee);
        decide(id, 8);
        run(id, 500ms);
        EXPECT_EQ(only().knee, 1U) << "not faster with 16";
        EXPECT_EQ(only().enough, 8U);
}

TEST_F(ClientSpeedup, IsNoAffairOfWhoDoesNotTakeTurns) {
        const auto id = join();
        decide(id, 16);
        run(id, 3s);
        EXPECT_FALSE(only().probe_width);
        decide(id, 8);
        run(id, 500ms);
        EXPECT_FALSE(only().knee);
}

TEST_F(ClientSpeedup, IsTriedAfterAWhile) {
        const auto id = join(1000, batch());
        decide(id, 16);
        run(id, 900ms);
        EXPECT_FALSE(only().probe_width);
        run(id, 1s);
        EXPECT_EQ(only().probe_width, 8U);
        decide(id, 8);
        EXPECT_EQ(only().probe_width, 8U);
        run(id, 300ms);
        EXPECT_FALSE(only().probe_width);
        EXPECT_EQ(only().enough, 8U);
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
        EXPECT_FALSE(only().knee);
        epoch_.reset();
        run(id, 3s);
        EXPECT_EQ(only().enough, 8U);
}

TEST_F(ClientSpeedup, WhatItDoesBesideOthersSaysNothing) {
        const auto id = join(1000, batch());
        decide(id, 4);
        run(id, 3s);
        decide(id, 1, true);
        run(id, 3s);
        EXPECT_FALSE(only().knee);
        EXPECT_FALSE(only().probe_width);
}

}  // namespace
}  // namespace governor::registry
