// SPDX-License-Identifier: MIT
// Words inside and outside, and the way from one to the other.
#include "policy/cpu_mask.hpp"

#include <gtest/gtest.h>

namespace governor::policy {
namespace {

MaskWords words_of(std::size_t count) {
        MaskWords words;
        words.resize(count);
        for (std::size_t i = 0; i < count; i++)
                words[i] = i + 1;
        return words;
}

TEST(MaskWordsTest, AreTheSameHoweverManyThereWereInBetween) {
        for (std::size_t few = 0; few < 12; few++)
                for (std::size_t many = few; many < 12; many++) {
                        auto words = words_of(few);
                        words.resize(many);
                        for (std::size_t i = few; i < many; i++)
                                EXPECT_EQ(words[i], 0U);
                        for (std::size_t i = few; i < many; i++)
                                words[i] = 77;
                        words.resize(few);
                        EXPECT_EQ(words, words_of(few));
                        words.resize(many);
                        for (std::size_t i = few; i < many; i++)
                                EXPECT_EQ(words[i], 0U) << "what was cut off stays away";
                }
}

TEST(MaskWordsTest, AreCopiedAndMoved) {
        for (const std::size_t count : {0U, 1U, 4U, 5U, 9U}) {
                auto words = words_of(count);
                const auto copy = words;
                EXPECT_EQ(copy, words);
                const auto moved = std::move(words);
                EXPECT_EQ(moved, copy);
                words = copy;  // words that were moved from can be used again
                EXPECT_EQ(words, copy);
        }
}

TEST(MaskWordsTest, AreOrderedAsAVectorIs) {
        EXPECT_LT(words_of(3), words_of(4));
        EXPECT_LT(words_of(4), words_of(5));
        auto large = words_of(5);
        large[0] = 9;
        EXPECT_LT(words_of(9), large);
        EXPECT_FALSE(large < large);
}

TEST(CpuMaskTest, OfManyCpusThatLosesThemIsOneOfFew) {
        auto mask = CpuMask::range(0, 1000);
        mask &= CpuMask::range(10, 20);
        EXPECT_EQ(mask, CpuMask::range(10, 20));
        EXPECT_EQ(mask.count(), 20U);
        mask.add(4095);
        mask.remove(4095);
        EXPECT_EQ(mask, CpuMask::range(10, 20));
        mask.clear();
        EXPECT_TRUE(mask.empty());
        EXPECT_EQ(mask, CpuMask());
}

TEST(CpuMaskTest, FirstInCommonIsTheFirstOfTheIntersection) {
        const CpuMask few(CpuSet{3, 70, 700});
        EXPECT_EQ(few.first_common(CpuMask::range(0, 1000)), 3U);
        EXPECT_EQ(few.first_common(CpuMask::range(4, 67)), 70U);
        EXPECT_EQ(CpuMask::range(71, 3000).first_common(few), 700U);
        EXPECT_FALSE(few.first_common(CpuMask::range(71, 600)));
        EXPECT_FALSE(few.first_common({}));
}

}  // namespace
}  // namespace governor::policy
