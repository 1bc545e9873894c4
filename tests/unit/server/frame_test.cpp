// SPDX-License-Identifier: MIT
// The length in front of every message.
#include <governor/v1/frame.h>

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace {

constexpr std::size_t kUntouched = 12345;

struct Parsed {
        governor_frame frame;
        std::size_t begin = kUntouched;
        std::size_t end = kUntouched;
};

Parsed parse(const std::vector<std::uint8_t>& data) {
        Parsed parsed{};
        parsed.begin = parsed.end = kUntouched;
        parsed.frame = governor_frame_parse(data.data(), data.size(), GOVERNOR_REPLY_MAX,
                                            &parsed.begin, &parsed.end);
        return parsed;
}

std::vector<std::uint8_t> prefix(std::size_t length) {
        std::array<std::uint8_t, 8> bytes{};
        const auto size = governor_frame_prefix(length, bytes.data());
        return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(Frame, WritesLengthsAsVarints) {
        using Bytes = std::vector<std::uint8_t>;
        EXPECT_EQ(prefix(0), (Bytes{0x00}));
        EXPECT_EQ(prefix(1), (Bytes{0x01}));
        EXPECT_EQ(prefix(127), (Bytes{0x7f}));
        EXPECT_EQ(prefix(128), (Bytes{0x80, 0x01}));
        EXPECT_EQ(prefix(300), (Bytes{0xac, 0x02}));
        EXPECT_EQ(prefix(16383), (Bytes{0xff, 0x7f}));
        EXPECT_EQ(prefix(16384), (Bytes{0x80, 0x80, 0x01}));
        EXPECT_EQ(prefix(65536), (Bytes{0x80, 0x80, 0x04}));
}

TEST(Frame, ReadsEveryLengthThatItWrites) {
        for (const std::size_t length :
             {0U, 1U, 2U, 127U, 128U, 129U, 16383U, 16384U, 65535U, 65536U}) {
                SCOPED_TRACE(length);
                auto data = prefix(length);
                const auto begin = data.size();
                ASSERT_LE(begin, GOVERNOR_PREFIX_MAX);
                data.resize(begin + length, 0xee);
                const auto whole = parse(data);
                EXPECT_EQ(whole.frame, GOVERNOR_FRAME_COMPLETE);
                EXPECT_EQ(whole.begin, begin);
                EXPECT_EQ(whole.end, begin + length);
                data.push_back(0xff);  // the next message does not matter
                EXPECT_EQ(parse(data).end, begin + length);
        }
}

TEST(Frame, IsPartialUntilItsLastByte) {
        for (const std::size_t length : {1U, 127U, 128U, 300U, 16384U}) {
                auto data = prefix(length);
                data.resize(data.size() + length);
                for (data.pop_back(); !data.empty(); data.pop_back()) {
                        const auto parsed = parse(data);
                        ASSERT_EQ(parsed.frame, GOVERNOR_FRAME_PARTIAL)
                                << data.size() << " of " << length;
                        ASSERT_EQ(parsed.begin, kUntouched);
                        ASSERT_EQ(parsed.end, kUntouched);
                }
        }
        EXPECT_EQ(parse({}).frame, GOVERNOR_FRAME_PARTIAL);
}

TEST(Frame, RefusesALengthAboveTheLimitAsSoonAsItIsSeen) {
        EXPECT_EQ(parse(prefix(65536)).frame, GOVERNOR_FRAME_PARTIAL);
        EXPECT_EQ(parse(prefix(65537)).frame, GOVERNOR_FRAME_INVALID);
        EXPECT_EQ(parse({0xff, 0xff, 0x7f}).frame, GOVERNOR_FRAME_INVALID);
}

TEST(Frame, RefusesALengthThatDoesNotEnd) {
        EXPECT_EQ(parse({0x80}).frame, GOVERNOR_FRAME_PARTIAL);
        EXPECT_EQ(parse({0x80, 0x80}).frame, GOVERNOR_FRAME_PARTIAL);
        EXPECT_EQ(parse({0x80, 0x80, 0x80}).frame, GOVERNOR_FRAME_INVALID);
        EXPECT_EQ(parse({0xff, 0xff, 0xff, 0xff, 0x01}).frame, GOVERNOR_FRAME_INVALID);
}

TEST(Frame, AcceptsALengthThatIsLongerThanItNeedsToBe) {
        const auto parsed = parse({0x82, 0x80, 0x00, 'a', 'b'});
        EXPECT_EQ(parsed.frame, GOVERNOR_FRAME_COMPLETE);
        EXPECT_EQ(parsed.begin, 3U);
        EXPECT_EQ(parsed.end, 5U);
}

}  // namespace
