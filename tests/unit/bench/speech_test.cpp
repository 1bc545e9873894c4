// SPDX-License-Identifier: MIT
// The messages of hostile clients are wrong in the way that their names promise.
#include "kinds.hpp"
#include "questions.hpp"

#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <gtest/gtest.h>
#include <set>

namespace bench {

namespace {

std::minstd_rand random_numbers;

governor_frame framing(const std::string& bytes) {
        std::size_t begin = 0;
        std::size_t end = 0;
        return governor_frame_parse(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                    bytes.size(), GOVERNOR_REQUEST_MAX, &begin, &end);
}

/// The requests that `bytes` consist of; fails the test when something else is left.
std::vector<governor::v1::Request> requests(std::string bytes) {
        std::vector<governor::v1::Request> all;
        std::size_t begin = 0;
        std::size_t end = 0;
        while (framing(bytes) == GOVERNOR_FRAME_COMPLETE) {
                (void)governor_frame_parse(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                           bytes.size(), GOVERNOR_REQUEST_MAX, &begin, &end);
                EXPECT_TRUE(all.emplace_back().ParseFromString(bytes.substr(begin, end - begin)));
                bytes.erase(0, end);
        }
        EXPECT_TRUE(bytes.empty());
        return all;
}

}  // namespace

TEST(Speech, IdleAndStormAskAnHonestQuestion) {
        for (const auto kind : {Kind::Idle, Kind::Storm}) {
                const auto asked = requests(speech(kind, 0, random_numbers));
                ASSERT_EQ(asked.size(), 1U);
                EXPECT_EQ(asked[0].protocol(), 1U);
                EXPECT_TRUE(asked[0].has_query());
        }
}

TEST(Speech, HalfIsTheBeginningOfAMessage) {
        const auto said = speech(Kind::Half, 0, random_numbers);
        EXPECT_FALSE(said.empty());
        EXPECT_EQ(framing(said), GOVERNOR_FRAME_PARTIAL);
}

TEST(Speech, BytesBecomeAQuestionInTheEnd) {
        std::string said;
        for (std::uint64_t turn = 0; turn < 2 * question().size(); turn++) {
                const auto byte = speech(Kind::Bytes, turn, random_numbers);
                ASSERT_EQ(byte.size(), 1U);
                said += byte;
        }
        EXPECT_EQ(requests(said).size(), 2U);
}

TEST(Speech, FloodsAreManyQuestionsAtOnce) {
        EXPECT_EQ(requests(speech(Kind::Deaf, 0, random_numbers)).size(), 16U);
        EXPECT_EQ(requests(speech(Kind::Flood, 0, random_numbers)).size(), 16U);
}

TEST(Speech, CostlyAsksForAllThatIsLong) {
        const auto asked = requests(speech(Kind::Costly, 0, random_numbers));
        ASSERT_EQ(asked.size(), 3U);
        EXPECT_TRUE(asked[0].has_status() && asked[1].has_cpus() && asked[2].has_config());
}

TEST(Speech, VersionIsAQuestionInAnotherLanguage) {
        const auto asked = requests(speech(Kind::Version, 0, random_numbers));
        ASSERT_EQ(asked.size(), 1U);
        EXPECT_NE(asked[0].protocol(), 1U);
}

TEST(Speech, HugeIsTooLongOrAsLongAsItMayBeForNothing) {
        EXPECT_EQ(framing(speech(Kind::Huge, 0, random_numbers)), GOVERNOR_FRAME_INVALID);
        const auto allowed = requests(speech(Kind::Huge, 1, random_numbers));
        ASSERT_EQ(allowed.size(), 1U);
        EXPECT_EQ(allowed[0].kind_case(), governor::v1::Request::KIND_NOT_SET);
        const auto too_long = speech(Kind::Huge, 2, random_numbers);
        EXPECT_GT(too_long.size(), 50'000U);
        EXPECT_EQ(framing(too_long), GOVERNOR_FRAME_INVALID);
}

TEST(Speech, RandomIsNeverTheSame) {
        std::set<std::string> said;
        for (int i = 0; i < 100; i++)
                said.insert(speech(Kind::Random, 0, random_numbers));
        EXPECT_EQ(said.size(), 100U);
}

TEST(Manners, AreChosenByNameAndInThatOrder) {
        const auto manners = manners_named("flood,idle");
        ASSERT_EQ(manners.size(), 2U);
        EXPECT_EQ(manners[0].kind, Kind::Flood);
        EXPECT_EQ(manners[1].kind, Kind::Idle);
}

TEST(Manners, ThatNobodyKnowsAreRefused) {
        EXPECT_THROW((void)manners_named("flood,polite"), std::runtime_error);
        EXPECT_THROW((void)manners_named(""), std::runtime_error);
}

}  // namespace bench
