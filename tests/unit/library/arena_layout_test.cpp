// SPDX-License-Identifier: MIT
// A header is refused, or leads nowhere outside of the memory.
#include "arena_layout.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>
#include <string>

extern "C" {
std::uint64_t word_by_c(std::uint32_t epoch, std::uint32_t threads, std::uint32_t flags);
std::size_t report_size_by_c(void);
}

namespace threadcount {
namespace {

/// A header as a governor would write it for 64 slots and 128 CPUs.
governor_grant_header sound() {
        governor_grant_header header{};
        header.magic = GOVERNOR_ARENA_MAGIC;
        header.version = GOVERNOR_ARENA_VERSION;
        header.slot_count = 64;
        header.size = 16'384;
        header.slots_offset = 128;
        header.slot_size = 192;
        header.buffers_offset = 64;
        header.buffer_size = 64;
        header.set_offset = 48;
        header.set_words = 2;
        header.report_slot_size = 384;
        header.report_size = 24'576;
        return header;
}

bool accepts(const governor_grant_header& header, std::uint32_t slot = 63) {
        ArenaLayout layout;
        return find_layout(header, 16'384, 24'576, slot, &layout);
}

void expect_within(const ArenaLayout& layout, std::uint64_t grants, std::uint64_t reports) {
        EXPECT_EQ(layout.grants_size, grants);
        EXPECT_EQ(layout.reports_size, reports);
        EXPECT_GE(layout.word, sizeof(governor_grant_header));
        EXPECT_EQ(layout.word % 64, 0U);
        EXPECT_GE(layout.reasons[0], layout.word + 8);
        EXPECT_GE(layout.sets[0], layout.reasons[0] + sizeof(governor_grant_reason));
        EXPECT_GE(layout.reasons[1], layout.sets[0] + layout.set_words * 8);
        EXPECT_GE(layout.sets[1], layout.reasons[1] + sizeof(governor_grant_reason));
        EXPECT_GE(layout.set_words, 1U);
        EXPECT_LE(layout.sets[1] + layout.set_words * 8, grants);
        EXPECT_LE(layout.report + GOVERNOR_REPORT_SLOT_SIZE_MIN, reports);
        if (layout.pool != 0) {
                EXPECT_GE(layout.pool, layout.report + GOVERNOR_REPORT_SLOT_SIZE_MIN);
                EXPECT_LE(layout.pool + sizeof(governor_pool_report), reports);
        }
        EXPECT_EQ((layout.reasons[0] | layout.sets[0] | layout.reasons[1] | layout.sets[1] |
                   layout.report | layout.pool) %
                          8,
                  0U);
}

TEST(ArenaHeaderTest, AWordIsTakenApartAsItWasMade) {
        const auto word = governor_word(0xfedcba98, 0x765432, 0x10);
        EXPECT_EQ(word, 0xfedcba9876543210);
        EXPECT_EQ(governor_word_epoch(word), 0xfedcba98U);
        EXPECT_EQ(governor_word_threads(word), 0x765432U);
        EXPECT_EQ(governor_word_flags(word), 0x10U);
}

TEST(ArenaHeaderTest, CSeesTheSame) {
        EXPECT_EQ(word_by_c(7, 14, 2), governor_word(7, 14, 2));
        EXPECT_EQ(report_size_by_c(), sizeof(governor_report_slot));
}

TEST(ArenaHeaderTest, TheNextEpochIsNeverZeroAndAlwaysInTheOtherBuffer) {
        for (const std::uint32_t epoch : {0U, 1U, 2U, 0xfffffffeU, 0xffffffffU}) {
                EXPECT_NE(governor_next_epoch(epoch), 0U);
                EXPECT_NE(governor_next_epoch(epoch) & 1, epoch & 1);
        }
}

TEST(ArenaLayoutTest, FindsTheSlot) {
        ArenaLayout layout;
        ASSERT_TRUE(find_layout(sound(), 16'384, 24'576, 3, &layout));
        EXPECT_EQ(layout.word, 128U + 3 * 192);
        EXPECT_EQ(layout.reasons[1], layout.word + 64 + 64);
        EXPECT_EQ(layout.sets[1], layout.word + 64 + 64 + 48);
        EXPECT_EQ(layout.set_words, 2U);
        EXPECT_EQ(layout.report, 3U * 384);
        EXPECT_EQ(layout.pool, 3U * 384 + 320);
        expect_within(layout, 16'384, 24'576);
}

TEST(ArenaLayoutTest, RefusesASlotThatThereIsNot) {
        EXPECT_TRUE(accepts(sound(), 63));
        EXPECT_FALSE(accepts(sound(), 64));
        EXPECT_FALSE(accepts(sound(), 0xffffffff));
}

TEST(ArenaLayoutTest, RefusesOtherSizesThanTheMemoryHas) {
        ArenaLayout layout;
        EXPECT_FALSE(find_layout(sound(), 16'383, 24'576, 0, &layout));
        EXPECT_FALSE(find_layout(sound(), 16'384, 20'481, 0, &layout));
}

TEST(ArenaLayoutTest, TakesSlotsOfANewerGovernorThatAreLarger) {
        auto header = sound();
        header.slot_count = 32;
        header.slots_offset = 192;
        header.slot_size = 448;
        header.buffers_offset = 128;
        header.buffer_size = 128;
        header.set_offset = 104;
        header.report_slot_size = 640;
        EXPECT_TRUE(accepts(header, 31));
}

TEST(ArenaLayoutTest, TakesSlotsOfAnOlderGovernorThatHaveNoRoomForPools) {
        auto header = sound();
        header.report_slot_size = 320;
        ArenaLayout layout;
        ASSERT_TRUE(find_layout(header, 16'384, 24'576, 63, &layout));
        EXPECT_EQ(layout.report, 63U * 320);
        EXPECT_EQ(layout.pool, 0U);
}

/// One field of the sound header, set to something else.
struct Broken {
        const char* what;
        void (*change)(governor_grant_header&);
};

class BrokenHeaderTest : public testing::TestWithParam<Broken> {};

TEST_P(BrokenHeaderTest, IsRefused) {
        auto header = sound();
        GetParam().change(header);
        EXPECT_FALSE(accepts(header, 0));
}

using Header = governor_grant_header;
INSTANTIATE_TEST_SUITE_P(
        Fields, BrokenHeaderTest,
        testing::Values(
                Broken{"Magic", [](Header& header) { header.magic ^= 1; }},
                Broken{"Version", [](Header& header) { header.version = 2; }},
                Broken{"NoSlots", [](Header& header) { header.slot_count = 0; }},
                Broken{"MoreSlots", [](Header& header) { header.slot_count = 85; }},
                Broken{"AllSlots", [](Header& header) { header.slot_count = ~0U; }},
                Broken{"SlotsInHeader", [](Header& header) { header.slots_offset = 64; }},
                Broken{"SlotsAskew", [](Header& header) { header.slots_offset = 136; }},
                Broken{"SlotsBehind", [](Header& header) { header.slots_offset = 16'384; }},
                Broken{"SlotsFar", [](Header& header) { header.slots_offset = ~63ULL; }},
                Broken{"SlotsTooLarge", [](Header& header) { header.slot_size = 256; }},
                Broken{"SlotsAskewInSize", [](Header& header) { header.slot_size = 200; }},
                Broken{"SlotsEmpty", [](Header& header) { header.slot_size = 0; }},
                Broken{"BufferOnWord", [](Header& header) { header.buffers_offset = 0; }},
                Broken{"BufferAskew", [](Header& header) { header.buffers_offset = 60; }},
                Broken{"BufferFar", [](Header& header) { header.buffers_offset = ~7U; }},
                Broken{"BuffersTooLarge", [](Header& header) { header.buffer_size = 72; }},
                Broken{"BuffersHuge", [](Header& header) { header.buffer_size = ~7U; }},
                Broken{"SetOnReason", [](Header& header) { header.set_offset = 40; }},
                Broken{"SetAskew", [](Header& header) { header.set_offset = 52; }},
                Broken{"SetFar", [](Header& header) { header.set_offset = ~7U; }},
                Broken{"SetTooLong", [](Header& header) { header.set_words = 3; }},
                Broken{"SetHuge", [](Header& header) { header.set_words = ~0U; }},
                Broken{"NoSet", [](Header& header) { header.set_words = 0; }},
                Broken{"ReportSmall", [](Header& header) { header.report_slot_size = 256; }},
                Broken{"ReportAskew", [](Header& header) { header.report_slot_size = 392; }},
                Broken{"ReportsLarge", [](Header& header) { header.report_slot_size = 448; }}),
        [](const auto& broken) { return broken.param.what; });

TEST(ArenaLayoutTest, NothingAboveTheLimitIsMapped) {
        auto header = sound();
        header.size = GOVERNOR_ARENA_SIZE_MAX + 64;
        header.report_size = GOVERNOR_ARENA_SIZE_MAX;
        ArenaLayout layout;
        EXPECT_FALSE(find_layout(header, header.size, header.report_size, 0, &layout));
        header.size = GOVERNOR_ARENA_SIZE_MAX;
        EXPECT_TRUE(find_layout(header, header.size, header.report_size, 0, &layout));
        header.report_size += 64;
        EXPECT_FALSE(find_layout(header, header.size, header.report_size, 0, &layout));
}

TEST(ArenaLayoutTest, ForgedHeadersAreRefusedOrLeadNowhereOutside) {
        std::mt19937_64 random(1);
        constexpr std::uint64_t kExtremes[] = {
                0, 1, 2, 7, 8, 48, 63, 64, 128, 1024, 0x7fffffff, 0x80000000U, ~0ULL, ~63ULL};
        int accepted = 0;
        for (int i = 0; i < 300'000; i++) {
                auto header = sound();
                // A few aligned halves of it, so that some stay sound.
                for (auto left = random() % 4; left > 0; left--) {
                        const auto value = random() % 2 == 0
                                                   ? kExtremes[random() % std::size(kExtremes)]
                                                   : random() % 32 * 8;
                        const auto bytes = random() % 2 == 0 ? 4U : 8U;
                        const auto offset = 12 + random() % 13 * 4;
                        std::memcpy(reinterpret_cast<char*>(&header) + offset, &value, bytes);
                }
                ArenaLayout layout;
                if (!find_layout(header, header.size, header.report_size,
                                 static_cast<std::uint32_t>(random() % 65), &layout))
                        continue;
                accepted++;
                expect_within(layout, header.size, header.report_size);
        }
        EXPECT_GT(accepted, 1'000);
        EXPECT_LT(accepted, 250'000);
}

}  // namespace
}  // namespace threadcount
