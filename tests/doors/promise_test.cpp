// SPDX-License-Identifier: MIT
// What a program is told of its number of threads stays true, whatever it does and is granted.
extern "C" {
#include "promise.h"
}

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr unsigned kWidth = 3;

struct Event {
        enum Kind : std::uint8_t {
                Ask,       // under a grant of `number`
                Set,       // by the program
                SetApart,  // the same by a call that nobody has seen
                Region,    // without a clause, under a grant of `number`
                Clause,    // a region with `number` threads
                Keep,      // a region of an object that has data in threads is about to begin
                Share,     // another thread was answered `number`
        } kind;
        unsigned number;
};

/// In words of the rules: what the program knows, and what it may rely on.
class Program {
public:
        /// The answer to the program, or the team of its region; 0: neither.
        [[nodiscard]] unsigned expected(const Event& event) {
                const auto now = std::min(event.number == 0 ? kWidth : event.number, own_);
                switch (event.kind) {
                case Event::Ask:
                        if (!wish_ && !kept_)
                                answer_ = now;
                        return relied_on().value_or(now);
                case Event::Set:
                case Event::SetApart:
                        set(event.number);
                        return 0;
                case Event::Region:
                        return relied_on().value_or(now);
                case Event::Clause:
                        return event.number;
                case Event::Keep:
                        if (!wish_ && !kept_)
                                kept_ = answer_.value_or(own_);
                        return 0;
                case Event::Share:
                        if (!relied_on())
                                answer_ = now;
                        return 0;
                }
                return 0;
        }

private:
        [[nodiscard]] std::optional<unsigned> relied_on() const {
                return wish_ ? wish_ : kept_ ? kept_ : answer_;
        }
        void set(unsigned number) {
                const bool is_echo = answer_ == number && !wish_ && !kept_;
                if (!is_echo)
                        wish_ = own_ = number;
        }

        unsigned own_ = kWidth;
        std::optional<unsigned> wish_;
        std::optional<unsigned> kept_;
        std::optional<unsigned> answer_;
};

/// The runtime, and the promise between it and the program.
class Governed {
public:
        Governed() { promise_see(&promise_, runtime_); }

        [[nodiscard]] unsigned happens(const Event& event) {
                unsigned result = 0;
                if (event.kind == Event::SetApart)
                        runtime_ = event.number;
                promise_see(&promise_, runtime_);
                if (event.kind == Event::Ask)
                        result = promise_ask(&promise_, event.number);
                else if (event.kind == Event::Set)
                        promise_set(&promise_, event.number);
                else if (event.kind == Event::Keep)
                        promise_keep(&promise_);
                else if (event.kind == Event::Share)
                        promise_share(&promise_, event.number);
                else if (event.kind == Event::SetApart)
                        return 0;
                else if (event.kind == Event::Clause)
                        result = promise_begin(&promise_, event.number, 1);
                else
                        result = promise_begin(&promise_, 0, event.number);
                runtime_ = promise_.size;
                return result;
        }
        /// A region without a clause has this team, whatever was said.
        [[nodiscard]] unsigned runtime() const { return runtime_; }
        [[nodiscard]] const promise& state() const { return promise_; }

private:
        promise promise_{};
        unsigned runtime_ = kWidth;
};

constexpr std::array kEvents = {
        Event{Event::Ask, 0},    Event{Event::Ask, 1},      Event{Event::Ask, 2},
        Event{Event::Ask, 9},    Event{Event::Set, 1},      Event{Event::Set, 2},
        Event{Event::Set, 4},    Event{Event::SetApart, 1}, Event{Event::SetApart, 2},
        Event{Event::Region, 0}, Event{Event::Region, 1},   Event{Event::Region, 2},
        Event{Event::Region, 9}, Event{Event::Clause, 2},   Event{Event::Share, 2},
        Event{Event::Keep, 0},
};

/// False: the rules are broken at the last of these.
bool is_right(const std::vector<Event>& events) {
        Program program;
        Governed governed;
        for (const auto& event : events) {
                // To the number that is there already it sets nothing that anybody could see.
                if (event.kind == Event::SetApart && governed.runtime() == event.number)
                        continue;
                const auto expected = program.expected(event);
                if (governed.happens(event) != expected)
                        return false;
                if (event.kind == Event::Region && governed.runtime() != expected)
                        return false;
        }
        return true;
}

std::string words(const std::vector<Event>& events) {
        static const char* const kNames[] = {"ask",    "set",  "set-apart", "region",
                                             "clause", "keep", "share"};
        std::string all;
        for (const auto& event : events)
                all += std::string(kNames[event.kind]) + ' ' + std::to_string(event.number) + ", ";
        return all;
}

void expect_all_right(std::vector<Event>& events, std::size_t left) {
        if (!events.empty() && !is_right(events)) {
                ADD_FAILURE() << words(events);
                return;
        }
        for (const auto& event : kEvents) {
                if (left == 0 || testing::Test::HasFailure())
                        return;
                events.push_back(event);
                expect_all_right(events, left - 1);
                events.pop_back();
        }
}

TEST(Promise, HoldsInAllShortRuns) {
        std::vector<Event> events;
        expect_all_right(events, 5);
}

TEST(Promise, HoldsInLongOnes) {
        std::mt19937 random(1);
        for (int run = 0; run < 20'000; run++) {
                std::vector<Event> events;
                for (int i = 0; i < 40; i++)
                        events.push_back(kEvents[random() % (kEvents.size() - (run % 2))]);
                ASSERT_TRUE(is_right(events)) << words(events);
        }
}

TEST(Promise, WhoeverKnowsNoNumberFollowsAtEachRegion) {
        Governed governed;
        EXPECT_EQ(governed.happens({Event::Region, 2}), 2U);
        EXPECT_EQ(governed.happens({Event::Region, 1}), 1U);
        EXPECT_EQ(governed.happens({Event::Region, 0}), kWidth);
        EXPECT_EQ(governed.happens({Event::Region, 9}), kWidth) << "no more than its own";
        EXPECT_TRUE(promise_begins_by_grant(&governed.state(), 0));
        EXPECT_FALSE(promise_begins_by_grant(&governed.state(), 2)) << "a clause is its own";
}

TEST(Promise, AnAnswerHoldsUntilTheNextQuestion) {
        Governed governed;
        EXPECT_EQ(governed.happens({Event::Ask, 2}), 2U);
        EXPECT_FALSE(promise_begins_by_grant(&governed.state(), 0));
        EXPECT_EQ(governed.happens({Event::Region, 1}), 2U);
        EXPECT_EQ(governed.happens({Event::Ask, 1}), 1U);
        EXPECT_EQ(governed.happens({Event::Region, 3}), 1U);
}

TEST(Promise, AnEchoIsNoWish) {
        Governed governed;
        EXPECT_EQ(governed.happens({Event::Ask, 1}), 1U);
        EXPECT_EQ(governed.happens({Event::Set, 1}), 0U);
        EXPECT_EQ(governed.happens({Event::Ask, 3}), 3U) << "it would have one for ever";
}

TEST(Promise, AWishHoldsForGood) {
        Governed governed;
        EXPECT_EQ(governed.happens({Event::Ask, 1}), 1U);
        EXPECT_EQ(governed.happens({Event::Set, 4}), 0U);
        EXPECT_FALSE(promise_answers_by_grant(&governed.state()));
        EXPECT_EQ(governed.happens({Event::Ask, 1}), 4U);
        EXPECT_EQ(governed.happens({Event::Set, 1}), 0U) << "no echo: it was answered 4 since";
        EXPECT_EQ(governed.happens({Event::Ask, 3}), 1U);
}

TEST(Promise, AThreadThatKnowsNoNumberHasTheAnswerOfOthers) {
        Governed knows_nothing;
        EXPECT_EQ(knows_nothing.happens({Event::Region, 1}), 1U);
        EXPECT_EQ(knows_nothing.happens({Event::Share, 2}), 0U);
        EXPECT_FALSE(promise_begins_by_grant(&knows_nothing.state(), 0));
        EXPECT_EQ(knows_nothing.happens({Event::Region, 3}), 2U);
        EXPECT_EQ(knows_nothing.happens({Event::Set, 2}), 0U);
        EXPECT_EQ(knows_nothing.happens({Event::Ask, 1}), 1U) << "that was an echo";
        Governed has_asked;
        EXPECT_EQ(has_asked.happens({Event::Ask, 1}), 1U);
        EXPECT_EQ(has_asked.happens({Event::Share, 2}), 0U);
        EXPECT_EQ(has_asked.happens({Event::Region, 3}), 1U);
        Governed has_set;
        EXPECT_EQ(has_set.happens({Event::Set, 4}), 0U);
        EXPECT_EQ(has_set.happens({Event::Share, 2}), 0U);
        EXPECT_EQ(has_set.happens({Event::Region, 3}), 4U);
}

TEST(Promise, DataInThreadsKeepsWhatWasToldOrElseTheProgramsOwn) {
        Governed told;
        EXPECT_EQ(told.happens({Event::Ask, 2}), 2U);
        EXPECT_EQ(told.happens({Event::Keep, 0}), 0U);
        EXPECT_EQ(told.happens({Event::Ask, 1}), 2U);
        Governed untold;
        EXPECT_EQ(untold.happens({Event::Region, 1}), 1U);
        EXPECT_EQ(untold.happens({Event::Keep, 0}), 0U);
        EXPECT_EQ(untold.runtime(), kWidth);
        EXPECT_EQ(untold.happens({Event::Region, 1}), kWidth);
}

}  // namespace
