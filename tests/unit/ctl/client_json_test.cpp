// SPDX-License-Identifier: MIT
// The JSON of a program, as scripts see it.
#include "verbs/client_json.hpp"

#include <gtest/gtest.h>

namespace ctl::verbs {
namespace {

TEST(ClientJson, HasNoPoolOfWhoReportsNone) {
        const auto json = client_json({});
        ASSERT_TRUE(json.contains("pool"));
        EXPECT_TRUE(json["pool"].is_null());
}

TEST(ClientJson, HasAllNumbersOfAPool) {
        governor::v1::Client client;
        auto& pool = *client.mutable_pool();
        pool.set_lanes(8);
        pool.set_active(3);
        pool.set_executed(~std::uint64_t{0});
        pool.set_stolen(7);
        pool.set_parked(12);
        pool.set_woken(9);
        EXPECT_EQ(client_json(client)["pool"].dump(),
                  R"({"lanes":8,"active":3,"executed":18446744073709551615,"stolen":7,)"
                  R"("parked":12,"woken":9})");
}

TEST(ClientJson, SaysWhetherARuleLetsTeamsFollowToWhoMayKnow) {
        governor::v1::Client client;
        EXPECT_TRUE(client_json(client)["adapts"].is_null());
        client.set_pid(4711);
        EXPECT_EQ(client_json(client)["adapts"], false);
        client.set_adapts(true);
        EXPECT_EQ(client_json(client)["adapts"], true);
}

}  // namespace
}  // namespace ctl::verbs
