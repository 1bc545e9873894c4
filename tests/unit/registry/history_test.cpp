// SPDX-License-Identifier: MIT
// The last events, and no more.
#include "registry/history.hpp"

#include <gtest/gtest.h>
#include <string>

namespace governor::registry {
namespace {

Event event_of(EventKind kind, std::uint32_t pid, std::uint32_t uid = 1000) {
        Event event;
        event.kind = kind;
        event.pid = pid;
        event.uid = uid;
        return event;
}

std::string label_of(std::string_view text) {
        Event event;
        event.set_label(text);
        return event.label.data();
}

TEST(History, ForgetsTheOldestAndKeepsTheirNumbers) {
        History history(3);
        for (std::uint32_t pid = 0; pid < 5; pid++)
                history.add(event_of(EventKind::Joined, pid));
        EXPECT_EQ(history.begin_number(), 2U);
        EXPECT_EQ(history.end_number(), 5U);
        EXPECT_EQ(history.at(2).pid, 2U);
        EXPECT_EQ(history.at(4).pid, 4U);
}

TEST(History, CountsRefusalsOfOneUserInsteadOfKeepingThem) {
        History history(3);
        history.add(event_of(EventKind::Joined, 1));
        for (std::uint32_t pid = 2; pid < 1000; pid++)
                history.add(event_of(EventKind::Refused, pid));
        EXPECT_EQ(history.end_number(), 2U);
        EXPECT_EQ(history.at(1).pid, 999U);
        EXPECT_EQ(history.at(1).to, 998U);
        history.add(event_of(EventKind::Refused, 7, 1001));
        EXPECT_EQ(history.end_number(), 3U);
        EXPECT_EQ(history.at(2).to, 1U);
}

TEST(Event, CutsItsLabel) {
        EXPECT_EQ(label_of(""), "");
        EXPECT_EQ(label_of("prime"), "prime");
        EXPECT_EQ(label_of(std::string(31, 'x')), std::string(31, 'x'));
        EXPECT_EQ(label_of(std::string(1000, 'x')), std::string(31, 'x'));
}

TEST(Event, DoesNotCutACharacterInTwo) {
        const std::string euro = "\xe2\x82\xac";
        EXPECT_EQ(label_of(std::string(30, 'x') + euro), std::string(30, 'x'));
        EXPECT_EQ(label_of(std::string(28, 'x') + euro + "x"), std::string(28, 'x') + euro);
        EXPECT_EQ(label_of(std::string(100, '\x80')), "") << "not UTF-8 at all";
}

TEST(Event, ReplacesAnEarlierLabel) {
        Event event;
        event.set_label("a long one");
        event.set_label("b");
        EXPECT_STREQ(event.label.data(), "b");
}

}  // namespace
}  // namespace governor::registry
