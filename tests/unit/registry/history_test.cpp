// SPDX-License-Identifier: MIT
// The last events, and no more.
#include "registry/history.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace governor::registry {
namespace {

Event event_of(EventKind kind, std::uint32_t pid, std::uint32_t uid = 1000) {
        Event event;
        event.kind = kind;
        event.account = {uid};
        event.pid = pid;
        event.uid = uid;
        return event;
}

std::vector<std::uint64_t> numbers(const History& history, std::uint64_t first = 0) {
        std::vector<std::uint64_t> numbers;
        for (const auto& [number, event] : history.from(first))
                numbers.push_back(number);
        return numbers;
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
        EXPECT_EQ(history.size(), 3U);
        EXPECT_EQ(history.end_number(), 5U);
        EXPECT_EQ(numbers(history), (std::vector<std::uint64_t>{2, 3, 4}));
        EXPECT_EQ(history.at(2).pid, 2U);
        EXPECT_EQ(history.at(4).pid, 4U);
}

TEST(History, OfOneUserIsNotDrivenOutByTheNoiseOfAnother) {
        History history(100);
        for (std::uint32_t pid = 0; pid < 30; pid++)
                history.add(event_of(EventKind::Joined, pid, 1001));
        for (std::uint32_t pid = 0; pid < 10'000; pid++)
                history.add(event_of(EventKind::Ordered, pid, 1000));
        EXPECT_EQ(history.size(), 100U);
        for (std::uint64_t number = 0; number < 30; number++)
                EXPECT_EQ(history.at(number).uid, 1001U) << "a hole follows";
        EXPECT_EQ(history.at(10'029).pid, 9'999U);
        EXPECT_EQ(history.at(9'960).uid, 1000U);
        EXPECT_EQ(history.end_number(), 10'030U);
}

TEST(History, IsSharedEquallyAmongThoseWhoFillIt) {
        History history(100);
        for (std::uint32_t i = 0; i < 1'000; i++)
                for (std::uint32_t user = 0; user < 1 + i % 4; user++)
                        history.add(event_of(EventKind::Granted, i, 1000 + user));
        std::map<std::uint32_t, int> events;
        for (const auto& [number, event] : history.from(0))
                events[event.uid]++;
        for (std::uint32_t user = 0; user < 4; user++)
                EXPECT_EQ(events[1000 + user], 25) << user;
}

TEST(History, OfManyUsersWithOneEventEachForgetsTheOldest) {
        History history(3);
        for (const std::uint32_t uid : {1009U, 1001U, 1005U, 1002U, 1008U})
                history.add(event_of(EventKind::Joined, 1, uid));
        EXPECT_EQ(numbers(history), (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST(History, IsReadFromTheNextNumberThatThereIs) {
        History history(3);
        history.add(event_of(EventKind::Joined, 1, 1001));
        for (std::uint32_t pid = 0; pid < 5; pid++)
                history.add(event_of(EventKind::Joined, pid, 1000));
        EXPECT_EQ(numbers(history, 1), (std::vector<std::uint64_t>{4, 5}));
        EXPECT_TRUE(numbers(history, 6).empty());
        EXPECT_TRUE(numbers(history, ~std::uint64_t{0}).empty());
}

TEST(RecentEvents, AreTheLastOnesOldestFirst) {
        RecentEvents recent;
        for (std::uint32_t pid = 0; pid < 100; pid++)
                recent.add(event_of(EventKind::Granted, pid));
        ASSERT_EQ(recent.events().size(), RecentEvents::kMost);
        EXPECT_EQ(recent.events().front().pid, 80U);
        EXPECT_EQ(recent.events().back().pid, 99U);
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
