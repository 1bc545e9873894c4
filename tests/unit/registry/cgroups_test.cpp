// SPDX-License-Identifier: MIT
// Groups are known while somebody is below them.
#include "registry/cgroups.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using Groups = std::vector<Confinement::Group>;

const Groups kService{{"/system/a", {}}, {"/system", 4}, {"", {}}};
const Groups kTwoQuotas{{"/system/b/c", 1}, {"/system/b", {}}, {"/system", 4}, {"", {}}};

TEST(Cgroups, KnowEachGroupOnce) {
        Cgroups groups;
        (void)groups.enter(kService);
        (void)groups.enter(kTwoQuotas);
        EXPECT_EQ(groups.size(), 5U);
        groups.leave(kService);
        EXPECT_EQ(groups.size(), 4U);
        groups.leave(kTwoQuotas);
        EXPECT_EQ(groups.size(), 0U);
}

TEST(Cgroups, ListGroupsWithAQuotaUnderTheNearestThatHasOne) {
        Cgroups groups;
        const auto service = groups.enter(kService);
        const auto nested = groups.enter(kTwoQuotas);
        CgroupIndex index;
        EXPECT_EQ(index.add(service), 0U);
        EXPECT_EQ(index.add(nested), 1U);
        EXPECT_EQ(index.add(service), 0U);
        const auto listed = index.take();
        ASSERT_EQ(listed.size(), 2U);
        EXPECT_EQ(listed[0].quota, 4U);
        EXPECT_FALSE(listed[0].parent);
        EXPECT_EQ(listed[1].quota, 1U);
        EXPECT_EQ(listed[1].parent, 0U);
}

TEST(Cgroups, ListNothingWithoutQuotas) {
        Cgroups groups;
        const auto free = groups.enter(Groups{{"/user/1000", {}}, {"", {}}});
        CgroupIndex index;
        EXPECT_FALSE(index.add(free));
        EXPECT_FALSE(index.add({}));
        EXPECT_TRUE(index.take().empty());
}

TEST(Cgroups, BelieveWhatWasSaidLast) {
        Cgroups groups;
        const auto service = groups.enter(kService);
        (void)groups.enter(Groups{{"/system", 9}});
        CgroupIndex index;
        (void)index.add(service);
        EXPECT_EQ(index.take()[0].quota, 9U);
}

TEST(Cgroups, AreNoCycleWhateverClientsAreSaidToBeIn) {
        Cgroups groups;
        const auto one = groups.enter(Groups{{"/a", 2}, {"/b", 2}});
        const auto other = groups.enter(Groups{{"/b", 2}, {"/a", 2}});
        CgroupIndex index;
        (void)index.add(one);
        (void)index.add(other);
        const auto listed = index.take();
        for (std::size_t i = 0; i < listed.size(); i++)
                EXPECT_TRUE(!listed[i].parent || *listed[i].parent < i);
}

TEST(Cgroups, ForgetWhatNobodyEntered) {
        Cgroups groups;
        groups.leave(kService);
        EXPECT_EQ(groups.size(), 0U);
}

}  // namespace
}  // namespace governor::registry
