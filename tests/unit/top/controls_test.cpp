// SPDX-License-Identifier: MIT
// Keys, and what they do.
#include "top/controls.hpp"

#include <gtest/gtest.h>

namespace ctl::top {
namespace {

std::vector<Key> of(std::initializer_list<Special> specials) {
        std::vector<Key> keys;
        for (const auto special : specials)
                keys.push_back({special});
        return keys;
}

TEST(Keys, AreReadOneByOne) {
        EXPECT_EQ(parse_keys("qx\r"),
                  (std::vector<Key>{
                          {Special::None, 'q'}, {Special::None, 'x'}, {Special::None, '\r'}}));
}

TEST(Keys, ThatMoveAreKnownInBothModes) {
        EXPECT_EQ(parse_keys("\x1b[A\x1bOA\x1b[B\x1b[5~\x1b[6~\x1b[H\x1bOF"),
                  of({Special::Up, Special::Up, Special::Down, Special::PageUp, Special::PageDown,
                      Special::Home, Special::End}));
        EXPECT_EQ(parse_keys("\x1b[1~\x1b[4~"), of({Special::Home, Special::End}));
}

TEST(Keys, ThatNobodyKnowsAreLeftOutWhole) {
        EXPECT_EQ(parse_keys("\x1b[1;5Cq\x1b[200~"), (std::vector<Key>{{Special::None, 'q'}}));
        EXPECT_EQ(parse_keys("\xc3\xa4q"), (std::vector<Key>{{Special::None, 'q'}}));
}

TEST(Keys, EscapeAloneIsOne) {
        EXPECT_EQ(parse_keys("\x1b"), of({Special::Escape}));
        EXPECT_EQ(parse_keys("\x1b["), of({Special::Escape}));
        EXPECT_EQ(parse_keys("\x1b\x1b"), of({Special::Escape, Special::Escape}));
        EXPECT_TRUE(parse_keys("\x1b[12;").empty());
}

class ControlsTest : public testing::Test {
protected:
        void type(std::string_view bytes) {
                for (const auto& key : parse_keys(bytes))
                        press(controls_, key, 10);
        }
        Controls controls_;
};

TEST_F(ControlsTest, ChooseTheOrder) {
        for (const auto& [key, name] : {std::pair{"u", "uses"},
                                        {"p", "pid"},
                                        {"l", "label"},
                                        {"a", "age"},
                                        {"g", "granted"}}) {
                type(key);
                EXPECT_STREQ(name_of(controls_.sort), name);
        }
        type("r");
        EXPECT_TRUE(controls_.reversed);
        type("r");
        EXPECT_FALSE(controls_.reversed);
}

TEST_F(ControlsTest, QuitByQAndByCtrlC) {
        type("x");
        EXPECT_FALSE(controls_.quit);
        type("q");
        EXPECT_TRUE(controls_.quit);
        controls_ = {};
        type("/\x03");
        EXPECT_TRUE(controls_.quit);
}

TEST_F(ControlsTest, TakeAFilterInWhichLettersAreLetters) {
        type("/quar");
        EXPECT_TRUE(controls_.editing);
        EXPECT_FALSE(controls_.quit);
        EXPECT_EQ(controls_.filter, "quar");
        type("\x7f\x7f");
        EXPECT_EQ(controls_.filter, "qu");
        type("\r");
        EXPECT_FALSE(controls_.editing);
        EXPECT_EQ(controls_.filter, "qu");
        type("/a\x1b");
        EXPECT_FALSE(controls_.editing);
        EXPECT_EQ(controls_.filter, "");
        type("/a\rq");
        EXPECT_TRUE(controls_.quit);
}

TEST_F(ControlsTest, KeepAFilterShort) {
        type("/" + std::string(100, 'x'));
        EXPECT_EQ(controls_.filter.size(), 40U);
}

TEST_F(ControlsTest, Scroll) {
        type("\x1b[A");
        EXPECT_EQ(controls_.scroll, 0U);
        type("\x1b[Bj\x1b[6~k");
        EXPECT_EQ(controls_.scroll, 11U);
        type("\x1b[5~\x1b[5~");
        EXPECT_EQ(controls_.scroll, 0U);
        type("\x1b[F\x1b[F\x1b[B");
        EXPECT_GT(controls_.scroll, 1'000'000U);
        type("\x1b[H");
        EXPECT_EQ(controls_.scroll, 0U);
}

}  // namespace
}  // namespace ctl::top
