// SPDX-License-Identifier: MIT
// The words of a tree's holder to a governor, and to the next one.
#include "ctl/run/lease.hpp"

#include "shared_memory/made_up_governor.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace ctl::run {
namespace {

using shared_memory_test::MadeUpGovernor;
using std::chrono::milliseconds;

constexpr unsigned kSleeps = 11;  // Hello.sleeps

class HolderOfALease : public testing::Test {
protected:
        HolderOfALease() { begin(); }
        ~HolderOfALease() override { governor_->die(); }

        void begin() {
                governor_ = std::make_unique<MadeUpGovernor>(socket_);
                governor_->publish(2, false);
                governor_->start();
        }
        static governor::v1::Hello hello() {
                governor::v1::Hello hello;
                hello.set_label("make");
                hello.mutable_wishes()->set_max(3);
                return hello;
        }
        /// It looks until it has a grant, or for 10 s.
        [[nodiscard]] bool is_granted() {
                for (int i = 0; i < 2'000; i++) {
                        (void)lease_.look(Lease::Clock::now());
                        if (lease_.grant(Lease::Clock::now()))
                                return true;
                        std::this_thread::sleep_for(milliseconds{5});
                }
                return false;
        }

        test_support::TemporaryDirectory directory_;
        std::string socket_ = directory_.path("socket");
        std::unique_ptr<MadeUpGovernor> governor_;
        Lease lease_{{socket_}, hello()};
};

TEST_F(HolderOfALease, SaysThatNothingHoldsItsProgramsToTheGrant) {
        ASSERT_TRUE(is_granted());
        EXPECT_FALSE(governor_->was_told(kSleeps));
        lease_.hold_to_nothing();
        EXPECT_EQ(governor_->updated_max(), 3U) << "its wishes stay";
        EXPECT_TRUE(governor_->updated_keeps());
        EXPECT_TRUE(governor_->updated_sleeps());
}

TEST_F(HolderOfALease, SaysItToTheNextGovernorAtOnce) {
        ASSERT_TRUE(is_granted());
        lease_.hold_to_nothing();
        governor_->die();
        begin();
        (void)lease_.look(Lease::Clock::now());
        ASSERT_TRUE(is_granted());
        EXPECT_TRUE(governor_->was_told(kSleeps));
}

}  // namespace
}  // namespace ctl::run
