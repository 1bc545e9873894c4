// SPDX-License-Identifier: MIT
// The words about thread pools, as people see them.
#include "render/pool.hpp"

#include <gtest/gtest.h>

namespace ctl::render {
namespace {

void add_pool(governor::v1::Client& client) {
        auto& pool = *client.mutable_pool();
        pool.set_lanes(8);
        pool.set_active(3);
        pool.set_executed(1'200);
        pool.set_stolen(7);
        pool.set_parked(12);
        pool.set_woken(9);
}

TEST(PoolInWords, NamesAllNumbers) {
        governor::v1::Client client;
        add_pool(client);
        EXPECT_EQ(pool_in_words(client.pool()),
                  "3 of 8 lanes active, 1200 tasks executed, 7 of them stolen, parked 12 times, "
                  "woken 9 times");
}

TEST(PoolInWords, SaysOneOfOne) {
        governor::v1::Pool pool;
        pool.set_lanes(1);
        pool.set_executed(1);
        pool.set_parked(1);
        pool.set_woken(1);
        EXPECT_EQ(pool_in_words(pool), "0 of 1 lane active, 1 task executed, 0 of them stolen, "
                                       "parked 1 time, woken 1 time");
}

class PoolColumns : public testing::Test {
protected:
        std::string shown() {
                std::vector<Column> columns = {{"PID", Align::Right}, {"REASON", Align::Left}};
                std::vector<std::vector<std::string>> rows;
                for (int i = 0; i < clients_.client_size(); i++)
                        rows.push_back({std::to_string(i), "why"});
                insert_pools(columns, rows, 1, clients_);
                return table(columns, rows);
        }
        governor::v1::Clients clients_;
};

TEST_F(PoolColumns, AreNotThereWithoutPools) {
        clients_.add_client();
        EXPECT_EQ(shown(), "PID  REASON\n"
                           "  0  why\n");
        clients_.clear_client();
        EXPECT_EQ(shown(), "PID  REASON\n");
}

TEST_F(PoolColumns, AreThereForAllIfOneHasAPool) {
        clients_.add_client();
        add_pool(*clients_.add_client());
        EXPECT_EQ(shown(), "PID  LANES  TASKS  REASON\n"
                           "  0      -      -  why\n"
                           "  1    3/8   1200  why\n");
}

}  // namespace
}  // namespace ctl::render
