// SPDX-License-Identifier: MIT
// The orders of owners and administrators that count for a program.
#include "registry/orders.hpp"

#include "registry/made_up_programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::Class;
using policy::fair::Rule;

constexpr std::uint32_t kUser = 1000;
constexpr std::uint32_t kRoot = 0;

class OrdersTest : public ::testing::Test {
protected:
        Denied owner(const Order& order) {
                return orders_.take(order, Authority::Owner, kUser, rule_).denied;
        }
        void administrator(const Order& order) {
                EXPECT_EQ(orders_.take(order, Authority::Administrator, kRoot, rule_).denied,
                          Denied::None);
        }
        static Order max(std::uint32_t max) { return {max, {}, {}, {}}; }
        static Order weight(std::uint32_t weight) { return {{}, weight, {}, {}}; }
        static Order of_class(Class scheduling_class) { return {{}, {}, scheduling_class, {}}; }
        static Order paused(bool paused) { return {{}, {}, {}, paused}; }

        Rule rule_;
        Orders orders_;
};

TEST_F(OrdersTest, ByNobodyLeaveWhatWasAskedForAndWhatRulesSay) {
        EXPECT_EQ(orders_.owners_max(), 0U);
        EXPECT_EQ(orders_.highest(rule_), 0U);
        EXPECT_EQ(orders_.weight(rule_, 70), 70U);
        EXPECT_EQ(orders_.scheduling_class(rule_, Class::Batch), Class::Batch);
        rule_.max = 4;
        rule_.weight = 5;
        rule_.scheduling_class = Class::Interactive;
        EXPECT_EQ(orders_.highest(rule_), 4U);
        EXPECT_EQ(orders_.weight(rule_, 70), 5U);
        EXPECT_EQ(orders_.scheduling_class(rule_, Class::Batch), Class::Interactive);
}

TEST_F(OrdersTest, OfTheOwnerCountWhereNobodyAboveHasSpoken) {
        EXPECT_EQ(owner({4, 30, Class::Batch, {}}), Denied::None);
        EXPECT_EQ(orders_.owners_max(), 4U);
        EXPECT_EQ(orders_.weight(rule_, 100), 30U);
        EXPECT_EQ(orders_.scheduling_class(rule_, Class::Interactive), Class::Batch);
        EXPECT_EQ(orders_.owner().uid, kUser);
        EXPECT_TRUE(orders_.administrator().order.empty());
}

TEST_F(OrdersTest, OfTheOwnerMayNotGoBeyondARule) {
        rule_.max = 4;
        EXPECT_EQ(owner(max(5)), Denied::Max);
        EXPECT_EQ(owner(max(4)), Denied::None);
        EXPECT_EQ(owner(max(0)), Denied::None);
        rule_.weight = 100;
        EXPECT_EQ(owner(weight(50)), Denied::Weight);
        EXPECT_EQ(owner(weight(0)), Denied::None);
        rule_.scheduling_class = Class::Batch;
        EXPECT_EQ(owner(of_class(Class::Interactive)), Denied::Class);
}

TEST_F(OrdersTest, ThatAreDeniedInPartChangeNothing) {
        rule_.max = 4;
        EXPECT_EQ(owner({5, 7, {}, true}), Denied::Max);
        EXPECT_TRUE(orders_.owner().order.empty());
        EXPECT_FALSE(orders_.paused());
}

TEST_F(OrdersTest, OfTheAdministratorGoBeyondRules) {
        rule_.max = 4;
        rule_.weight = 100;
        rule_.scheduling_class = Class::Batch;
        administrator({8, 7, Class::Interactive, {}});
        EXPECT_EQ(orders_.highest(rule_), 8U);
        EXPECT_EQ(orders_.weight(rule_, 1), 7U);
        EXPECT_EQ(orders_.scheduling_class(rule_, Class::Batch), Class::Interactive);
        EXPECT_EQ(owner(max(9)), Denied::Max);
        EXPECT_EQ(owner(max(6)), Denied::None);
        EXPECT_EQ(orders_.owners_max(), 6U);
}

TEST_F(OrdersTest, OfTheAdministratorTakeThePlaceOfTheOwners) {
        EXPECT_EQ(owner({2, 3, Class::Batch, true}), Denied::None);
        administrator(max(6));
        EXPECT_EQ(orders_.owners_max(), 1U) << "still paused";
        administrator(paused(false));
        EXPECT_EQ(orders_.owners_max(), 0U);
        EXPECT_EQ(orders_.highest(rule_), 6U);
        EXPECT_EQ(orders_.weight(rule_, 100), 3U) << "he has not spoken of it";
}

TEST_F(OrdersTest, OfZeroAreTakenBack) {
        EXPECT_EQ(owner({2, 3, {}, {}}), Denied::None);
        EXPECT_EQ(owner({0, 0, {}, {}}), Denied::None);
        EXPECT_TRUE(orders_.owner().order.empty());
        rule_.max = 4;
        administrator(max(8));
        administrator(max(0));
        EXPECT_EQ(orders_.highest(rule_), 4U);
}

TEST_F(OrdersTest, ToPauseHoldAtOneUntilWhoGaveThemOrTheAdministratorResumes) {
        EXPECT_EQ(owner(paused(true)), Denied::None);
        EXPECT_TRUE(orders_.paused());
        EXPECT_EQ(orders_.owners_max(), 1U);
        EXPECT_EQ(owner(paused(false)), Denied::None);
        EXPECT_FALSE(orders_.paused());
        EXPECT_EQ(owner(paused(true)), Denied::None);
        administrator(paused(true));
        EXPECT_EQ(orders_.highest(rule_), 1U);
        EXPECT_EQ(owner(paused(false)), Denied::Resume);
        EXPECT_TRUE(orders_.paused());
        administrator(paused(false));
        EXPECT_FALSE(orders_.paused());
        EXPECT_EQ(orders_.owners_max(), 0U);
}

TEST_F(OrdersTest, SayWhetherTheyChangeAnything) {
        const auto changes = [&](const Order& order, Authority by) {
                return orders_.take(order, by, 0, rule_).changed;
        };
        EXPECT_FALSE(changes(max(0), Authority::Owner));
        EXPECT_TRUE(changes(max(4), Authority::Owner));
        EXPECT_FALSE(changes(max(4), Authority::Owner));
        EXPECT_FALSE(changes(paused(false), Authority::Administrator));
        EXPECT_TRUE(changes(max(0), Authority::Administrator)) << "the owner's is gone";
        EXPECT_FALSE(changes(max(0), Authority::Administrator));
}

/// In front of the policy, as Programs has them.
class OrderedClients : public ::testing::Test {
protected:
        ProgramId join(const Request& request = {}) {
                return programs_
                        .join(program_of(kUser), request, within(CpuMask::range(0, 16)), now_)
                        .id;
        }
        Orders::Outcome order(const Order& order, Authority by = Authority::Owner) {
                return programs_.find(id_)->order(order, by, by == Authority::Owner ? kUser : kRoot,
                                                  now_);
        }
        [[nodiscard]] policy::fair::Client client() const {
                return programs_.snapshot(machine_, foreign_, now_).clients.at(0);
        }
        [[nodiscard]] std::uint32_t max() const { return client().max.value_or(0); }
        [[nodiscard]] const Event& last() const {
                const auto& history = programs_.history();
                return history.at(history.end_number() - 1);
        }

        policy::Machine machine_ = machine_of(16);
        policy::fair::Foreign foreign_;
        Programs programs_{LeaseLimits{}, {}};
        TimePoint now_ = kStart;
        ProgramId id_{};
};

TEST_F(OrderedClients, NeverHaveMoreThanTheProgramAskedFor) {
        Request request;
        request.max = 4;
        id_ = join(request);
        order({8, {}, {}, {}}, Authority::Administrator);
        EXPECT_EQ(max(), 4U);
        order({2, {}, {}, {}});
        EXPECT_EQ(max(), 2U);
        order({0, {}, {}, {}});
        EXPECT_EQ(max(), 4U);
}

TEST_F(OrderedClients, KeepAnOrderWhenTheProgramAsksAnew) {
        id_ = join();
        order({3, 50, {}, {}});
        Request request;
        request.max = 9;
        request.weight = 70;
        programs_.find(id_)->request(request, now_);
        EXPECT_EQ(max(), 3U);
        EXPECT_EQ(client().weight, 50U);
}

TEST_F(OrderedClients, GrowAgainOnlyNowAndThenByTheirOwner) {
        id_ = join();
        for (const auto* what : {"at once", "not so soon again"}) {
                order({{}, {}, {}, true});
                EXPECT_EQ(max(), 1U) << what;
                order({{}, {}, {}, false});
        }
        EXPECT_EQ(max(), 1U);
        now_ += numbers::kMemory;
        programs_.sampled({}, now_);
        EXPECT_EQ(max(), 0U);
}

TEST_F(OrderedClients, HaveOneThreadWhilePausedWhateverARuleGuarantees) {
        Rule rule;
        rule.min = 4;
        programs_ = Programs(LeaseLimits{}, {rule});
        id_ = join();
        EXPECT_EQ(client().guaranteed, 4U);
        order({{}, {}, {}, true}, Authority::Administrator);
        EXPECT_EQ(client().max, 1U);
        EXPECT_EQ(client().guaranteed, 1U);
        EXPECT_TRUE(programs_.find(id_)->orders().paused());
}

TEST_F(OrderedClients, RememberWhatChangedAndByWhom) {
        id_ = join();
        order({3, {}, {}, {}}, Authority::Administrator);
        EXPECT_EQ(last().kind, EventKind::Ordered);
        EXPECT_EQ(last().by, kRoot);
        EXPECT_EQ(last().uid, kUser);
        EXPECT_EQ(last().order.max, 3U);
        const auto events = programs_.history().end_number();
        order({3, {}, {}, {}}, Authority::Administrator);
        order({4, {}, {}, {}});
        EXPECT_EQ(programs_.history().end_number(), events) << "the same, and what is denied";
}

TEST_F(OrderedClients, ThatComeAgainAreUnderNoOrder) {
        id_ = join();
        order({3, {}, {}, true});
        programs_.leave(id_, std::nullopt, now_);
        id_ = join();
        EXPECT_EQ(max(), 0U);
}

}  // namespace
}  // namespace governor::registry
