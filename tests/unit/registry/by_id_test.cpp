// SPDX-License-Identifier: MIT
#include "registry/by_id.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

ById<int, char> three() {
        ById<int, char> all;
        all.append(2, 'a');
        all.append(5, 'b');
        all.append(9, 'c');
        return all;
}

TEST(ByIdTest, FindsWhatThereIsAndNothingElse) {
        auto all = three();
        EXPECT_EQ(all.find(5)->second, 'b');
        for (const int id : {1, 3, 10})
                EXPECT_EQ(all.find(id), all.end()) << id;
}

TEST(ByIdTest, GoesOnBehindWhatWasErased) {
        auto all = three();
        all.erase(5);
        all.erase(5);
        EXPECT_EQ(all.size(), 2U);
        EXPECT_EQ(all.upper_bound(5)->first, 9);
        EXPECT_EQ(all.upper_bound(0)->first, 2);
        EXPECT_EQ(all.upper_bound(9), all.end());
}

}  // namespace
}  // namespace governor::registry
