// SPDX-License-Identifier: MIT
// Small worlds whose shares are known.
#include "simulation/report/entitlement.hpp"

#include <gtest/gtest.h>

namespace simulation {

namespace {

using namespace governor::policy::fair;
using governor::policy::CpuMask;

class Entitlements : public testing::Test {
protected:
        explicit Entitlements(std::uint32_t cpus = 12) {
                governor::policy::Topology topology;
                for (std::uint32_t cpu = 0; cpu < cpus; cpu++)
                        topology[cpu] = {};
                machine_ = governor::policy::Machine(topology, CpuMask::range(0, cpus));
        }

        Client& add(std::uint64_t account, const CpuMask& allowed = CpuMask::range(0, 12)) {
                Client client;
                client.id = ProgramId{clients_.size() + 1};
                client.account = AccountId{account};
                client.allowed = allowed;
                clients_.push_back(client);
                return clients_.back();
        }

        [[nodiscard]] Snapshot snapshot() const {
                return {governor::policy::TimePoint{},
                        machine_,
                        foreign_,
                        cgroups_,
                        clients_,
                        {},
                        {},
                        trees_};
        }

        void expect(const std::vector<double>& wanted) {
                const auto found = entitlements({}, snapshot());
                ASSERT_EQ(found.size(), wanted.size());
                for (std::size_t i = 0; i < wanted.size(); i++)
                        EXPECT_NEAR(found[i], wanted[i], 1e-4) << "client " << i;
        }

        governor::policy::Machine machine_;
        Foreign foreign_;
        std::vector<governor::policy::fair::Cgroup> cgroups_;
        std::vector<Client> clients_;
        std::vector<Tree> trees_;
};

}  // namespace

TEST_F(Entitlements, AccountsAreEqualWhateverTheirProgramCount) {
        add(1);
        add(2);
        add(2);
        add(2);
        expect({6, 2, 2, 2});
}

TEST_F(Entitlements, TreesOfAnAccountAreEqualWhateverTheirProgramCount) {
        trees_ = {{100, 1, std::nullopt}};
        add(1).tree = 0;
        add(1).tree = 0;
        add(1);
        add(2);
        expect({1.5, 1.5, 3, 6});
}

TEST_F(Entitlements, ATreeHasNoMoreThanItsMaximum) {
        trees_ = {{300, 1, 3}};
        add(1).tree = 0;
        add(1).tree = 0;
        add(1);
        expect({1.5, 1.5, 9});
}

TEST_F(Entitlements, WeightsCountInsideAnAccount) {
        add(1).weight = 300;
        add(1);
        add(2);
        expect({4.5, 1.5, 6});
}

TEST_F(Entitlements, WhatOneCannotHaveOthersGet) {
        add(1).max = 2;
        add(2);
        add(3);
        expect({2, 5, 5});
}

TEST_F(Entitlements, CpusetsCutTheMachine) {
        add(1, CpuMask::range(0, 4));
        add(2, CpuMask::range(0, 4));
        add(3);
        expect({2, 2, 8});
}

TEST_F(Entitlements, OverlappingSetsAreSharedByFlow) {
        add(1, CpuMask::range(0, 8));
        add(2, CpuMask::range(4, 8));
        add(3, CpuMask::range(4, 4));
        expect({4, 4, 4});
}

TEST_F(Entitlements, AQuotaHoldsForAllBelowIt) {
        cgroups_ = {{std::nullopt, 6}, {std::size_t{0}, 2}};
        add(1).cgroup = 0;
        add(2).cgroup = 1;
        add(3);
        expect({4, 2, 6});
}

TEST_F(Entitlements, WhatIsGuaranteedComesFirst) {
        add(1).guaranteed = 8;
        add(2);
        add(2);
        expect({8, 2, 2});
}

TEST_F(Entitlements, MoreProgramsThanCpusHaveLessThanOneEach) {
        for (int i = 0; i < 24; i++)
                add(1);
        expect(std::vector<double>(24, 0.5));
}

TEST_F(Entitlements, WhoMayNotRunInThePoolHasNone) {
        add(1, CpuMask::range(20, 4));
        add(2);
        expect({0, 12});
}

TEST_F(Entitlements, ForeignLoadTakesPartsOfCpusInEachCpuset) {
        for (std::uint32_t first = 0; first < 12; first += 2)
                add(1, CpuMask::range(first, 2));
        foreign_.load.assign(12, 675);
        foreign_.owned = {{AccountId{1}, 8000}};
        EXPECT_NEAR(foreign_cpus({}, snapshot()), 6, 1e-4);  // half of the account's share
}

}  // namespace simulation
