// SPDX-License-Identifier: MIT
// The names that people know users by.
#include "ctl/verbs/client_list.hpp"

#include <gtest/gtest.h>

namespace ctl::verbs {
namespace {

std::string named(const std::string& text) {
        return with_user_names(text, [](std::uint32_t uid) {
                return uid == 1000 ? "alice" : std::to_string(uid);
        });
}

TEST(UsersInText, HaveTheirNames) {
        EXPECT_EQ(named("user 1000 paused it"), "user alice paused it");
        EXPECT_EQ(named("2.0 s ago: user 1000 set max 4"), "2.0 s ago: user alice set max 4");
        EXPECT_EQ(named("user 1000, user 1000"), "user alice, user alice");
}

TEST(UsersInText, KeepTheirNumberWithoutAName) {
        for (const auto* text : {"user 1001 paused it", "user 99999999999 did", "its user ", "user",
                                 "root paused it", "user 0", ""})
                EXPECT_EQ(named(text), text);
}

}  // namespace
}  // namespace ctl::verbs
