// SPDX-License-Identifier: MIT
// Reports of pools that nobody hears; tests/integration/pool_report_test.cpp has the others.
#include <cerrno>
#include <gtest/gtest.h>
#include <threadcount/threadcount.h>

namespace {

constexpr threadcount_pool_totals kNone = THREADCOUNT_POOL_TOTALS_INIT;

TEST(PoolReport, OfNothingIsRefused) {
        auto totals = kNone;
        EXPECT_EQ(threadcount_pool_report(nullptr, nullptr, &totals), -EINVAL);
        EXPECT_EQ(threadcount_pool_report(nullptr, &totals, nullptr), -EINVAL);
        threadcount_pool_totals without_size{};
        EXPECT_EQ(threadcount_pool_report(nullptr, &without_size, &totals), -EINVAL);
        EXPECT_EQ(threadcount_pool_report(nullptr, &totals, &without_size), -EINVAL);
}

TEST(PoolReport, WithoutAHandleTellsNothing) {
        auto now = kNone;
        now.executed = 7;
        auto told = kNone;
        EXPECT_EQ(threadcount_pool_report(nullptr, &now, &told), 0);
        EXPECT_EQ(told.executed, 0U);
}

TEST(PoolReport, WithoutAGovernorIsKeptForLater) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = "/nonexistent/socket";
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options, &handle), 0);
        auto now = kNone;
        now.lanes = 4;
        now.woken = 9;
        auto told = kNone;
        EXPECT_EQ(threadcount_pool_report(handle, &now, &told), 0);
        EXPECT_EQ(told.lanes, 4U);
        EXPECT_EQ(told.woken, 9U);
        EXPECT_EQ(told.size, sizeof(told));
        threadcount_close(handle);
}

}  // namespace
