// SPDX-License-Identifier: MIT
// Many programs ask at once how many threads to start.
#include "registry/programs_fixture.hpp"

#include "registry/arbiter.hpp"
#include "registry/promises.hpp"

#include <numeric>
#include <random>

namespace governor::registry {
namespace {

constexpr std::uint32_t kHerdCpus = 64;

class HerdTest : public ::testing::Test {
protected:
        /// Asks, and starts as many threads.
        std::uint32_t ask(std::uint32_t uid, std::uint32_t pid, std::uint32_t max = kHerdCpus) {
                const Account account{uid};
                const Promises::Asker asker{pid};
                const auto others = promises_.beside(account, asker, now_);
                const auto told = std::min(arbiter_.room(account, now_).share_beside(others), max);
                promises_.add(account, asker, told, now_);
                return told;
        }
        ProgramId join(std::uint32_t uid, const Request& request = {}) {
                const auto where = within(CpuMask::range(0, kHerdCpus));
                const auto id = arbiter_.programs().join(program_of(uid), request, where, now_).id;
                (void)arbiter_.decide(now_);
                return id;
        }

        Promises promises_;
        Arbiter arbiter_{policy::fair::Settings{}, Mode::Govern, Programs(LeaseLimits{}, {}),
                         machine_of(kHerdCpus)};
        TimePoint now_ = kStart;
};

TEST_F(HerdTest, OfEightGetsEachWhatIsFairBesideThoseBefore) {
        for (std::uint32_t n = 1; n <= 8; n++) {
                EXPECT_EQ(ask(1000, n), kHerdCpus / n);
                now_ += 100us;
        }
}

TEST_F(HerdTest, IsForgottenAfterTwoSeconds) {
        for (std::uint32_t n = 1; n <= 8; n++)
                (void)ask(1000, n);
        now_ += 2s - 1ns;
        EXPECT_EQ(ask(1000, 9), kHerdCpus / 9);
        now_ += 1ns;
        EXPECT_EQ(ask(1000, 10), kHerdCpus - kHerdCpus / 9) << "beside the one before";
        EXPECT_EQ(promises_.size(), 2U);
}

TEST_F(HerdTest, LeavesToTheNextWhatOneDoesNotWant) {
        EXPECT_EQ(ask(1000, 1, 4), 4U);
        EXPECT_EQ(ask(1000, 2, 10), 10U);
        EXPECT_EQ(ask(1000, 3), 50U);
}

TEST_F(HerdTest, CountsWhoAsksAgainOnce) {
        for (int i = 0; i < 5; i++)
                EXPECT_EQ(ask(1000, 1), kHerdCpus);
        EXPECT_EQ(ask(1000, 2), 32U);
        EXPECT_EQ(ask(1000, 1), 32U) << "beside the other one";
        EXPECT_EQ(promises_.size(), 2U);
}

TEST_F(HerdTest, OfProcessesWithoutANumberIsToldApartByWhenTheyConnected) {
        const Account account{1000};
        promises_.add(account, {0, 1ns}, 5, now_);
        promises_.add(account, {0, 2ns}, 6, now_);
        promises_.add(account, {0, 1ns}, 7, now_);
        EXPECT_EQ(promises_.beside(account, {0, 3ns}, now_), (std::vector<std::uint32_t>{6, 7}));
}

TEST_F(HerdTest, TakesNothingFromOtherUsers) {
        for (std::uint32_t n = 1; n <= 100; n++)
                (void)ask(1000, n);
        EXPECT_EQ(ask(1001, 200), kHerdCpus);
        (void)join(1000);
        EXPECT_EQ(ask(1002, 201), kHerdCpus / 2) << "beside that user's lease";
}

TEST_F(HerdTest, SharesWithTheLeasesOfItsUser) {
        (void)join(1000);
        (void)join(1000);
        (void)join(1001);
        EXPECT_EQ(ask(1000, 1), 10U) << "a third of a half";
        EXPECT_EQ(ask(1000, 2), 8U);
        EXPECT_EQ(ask(1001, 3), 16U);
}

TEST_F(HerdTest, LeavesToALeaseItsMinimumAndItsWeight) {
        Request wish;
        wish.min = 40;
        (void)join(1000, wish);
        wish = {};
        wish.weight = 300;
        (void)join(1001, wish);
        EXPECT_EQ(ask(1000, 1), 1U);
        EXPECT_EQ(ask(1001, 2), 8U);
        EXPECT_EQ(ask(1001, 3), 6U);
}

TEST_F(HerdTest, OfTenThousandStaysBounded) {
        for (std::uint32_t pid = 1; pid <= 10'000; pid++)
                EXPECT_GE(ask(1000, pid), 1U);
        EXPECT_EQ(promises_.size(), Promises::kMostOfAccount);
        EXPECT_EQ(ask(1001, 20'000), kHerdCpus);
}

TEST_F(HerdTest, OfManyUsersPushesOutNoneOfWhoAskedOnce) {
        promises_.add(Account{1000}, {1}, 7, now_);
        for (std::uint32_t n = 0; n < 10'000; n++)
                promises_.add(Account{2000 + n % 100}, {n}, 1, now_);
        EXPECT_EQ(promises_.size(), Promises::kMost);
        EXPECT_EQ(promises_.beside(Account{1000}, {}, now_), std::vector<std::uint32_t>{7});
        now_ += Promises::kLifetime;
        promises_.add(Account{3000}, {2}, 7, now_);
        EXPECT_EQ(promises_.size(), 1U) << "the others are over";
}

/// The short way and the policy's own: as if all that were promised something held leases.
TEST_F(HerdTest, SharesAsLeasesDo) {
        std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
        const auto below = [&](std::uint32_t limit) {
                return static_cast<std::uint32_t>(random() % limit);
        };
        for (int round = 0; round < 200; round++) {
                Programs programs(LeaseLimits{}, {});
                const auto cpus = CpuMask::range(0, kHerdCpus);
                const auto join_as = [&](std::uint32_t uid, const Request& request) {
                        auto identity = program_of(uid);
                        identity.wants_tree = below(4) == 0;
                        return programs.join(identity, request, within(cpus), now_).id;
                };
                for (auto left = below(12); left > 0; left--) {
                        Request request;
                        request.max = below(3) == 0 ? 1 + below(20) : 0;
                        request.weight = below(3) == 0 ? 50 + below(300) : 100;
                        request.min = below(6) == 0 ? 1 + below(5) : 1;
                        (void)join_as(1000 + below(3), request);
                }
                Arbiter arbiter(policy::fair::Settings{}, Mode::Govern, std::move(programs),
                                machine_of(kHerdCpus));
                (void)arbiter.decide(now_);
                const Account account{1000};
                const auto room = arbiter.room(account, now_);
                std::vector<std::uint32_t> promised(below(6));
                for (auto& threads : promised)
                        threads = 1 + below(kHerdCpus);
                for (const auto threads : promised) {
                        Request request;
                        request.max = threads;
                        (void)arbiter.programs().join(program_of(1000), request, within(cpus),
                                                      now_);
                }
                const auto last =
                        arbiter.programs().join(program_of(1000), {}, within(cpus), now_).id;
                (void)arbiter.decide(now_);
                EXPECT_EQ(room.share_beside(promised),
                          arbiter.share(*arbiter.programs().find(last), now_))
                        << "round " << round;
        }
}

}  // namespace
}  // namespace governor::registry
