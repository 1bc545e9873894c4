// SPDX-License-Identifier: MIT
// One connection of a crowd against a server that is this test.
#include "line.hpp"
#include "questions.hpp"

#include <governor/v1/governor.pb.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace bench {

namespace {

std::string advice() {
        governor::v1::Reply reply;
        reply.mutable_advice()->set_threads(2);
        return framed(reply.SerializeAsString());
}

std::string error() {
        governor::v1::Reply reply;
        reply.mutable_error()->set_message("no");
        return framed(reply.SerializeAsString());
}

class OneLine : public testing::Test {
protected:
        explicit OneLine(std::size_t echo_bytes = 0) : line(echo_bytes) {
                int pair[2];
                EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
                line.open(UniqueFd(pair[0]));
                server = UniqueFd(pair[1]);
        }

        void says(const std::string& bytes) const {
                ASSERT_EQ(::send(server.get(), bytes.data(), bytes.size(), 0),
                          static_cast<ssize_t>(bytes.size()));
        }

        Line line;
        UniqueFd server;
        Tally tally;
};

class OneEchoLine : public OneLine {
protected:
        OneEchoLine() : OneLine(10) {}
};

}  // namespace

TEST_F(OneLine, ALateQuestionIsTimedFromWhenItWasDue) {
        const auto due = now_ns() - 1'000'000'000;
        line.ask(question(), due, tally);
        says(advice());
        line.receive(tally);
        ASSERT_EQ(tally.answered, 1U);
        EXPECT_GE(tally.from_due_ns[0], 1'000'000'000);
        EXPECT_GE(tally.from_due_ns[0] - tally.from_sent_ns[0], 1'000'000'000);
        EXPECT_EQ(line.waiting(), 0U);
}

TEST_F(OneLine, AnAnswerInPiecesIsOneWhenItIsComplete) {
        line.ask(question(), now_ns(), tally);
        says(advice().substr(0, 1));
        line.receive(tally);
        EXPECT_EQ(tally.answered, 0U);
        says(advice().substr(1));
        line.receive(tally);
        EXPECT_EQ(tally.answered, 1U);
}

TEST_F(OneLine, TwoAnswersAtOnceBelongToTwoQuestionsInOrder) {
        line.ask(question(), now_ns() - 5'000'000'000, tally);
        line.ask(question(), now_ns(), tally);
        says(advice() + advice());
        line.receive(tally);
        ASSERT_EQ(tally.answered, 2U);
        EXPECT_GT(tally.from_due_ns[0], tally.from_due_ns[1]);
}

TEST_F(OneLine, AnErrorIsNoAnswer) {
        line.ask(question(), now_ns(), tally);
        says(error());
        line.receive(tally);
        EXPECT_EQ(tally.answered, 0U);
        EXPECT_EQ(tally.wrong, 1U);
}

TEST_F(OneLine, WhatIsNoMessageIsWrong) {
        line.ask(question(), now_ns(), tally);
        says("\xff\xff\x7f");
        line.receive(tally);
        EXPECT_EQ(tally.wrong, 1U);
}

TEST_F(OneLine, AnEndIsNoticedAndNothingIsAskedAnyMore) {
        { const auto gone = std::move(server); }
        line.receive(tally);
        EXPECT_EQ(tally.ended, 1U);
        EXPECT_FALSE(line.is_open());
        line.ask(question(), now_ns(), tally);
        EXPECT_EQ(tally.unsent, 1U);
        EXPECT_EQ(tally.asked, 0U);
}

TEST_F(OneEchoLine, AnAnswerOfTheEchoServerIsSoManyBytes) {
        line.ask(question(), now_ns(), tally);
        line.ask(question(), now_ns(), tally);
        says(std::string(19, '\0'));
        line.receive(tally);
        EXPECT_EQ(tally.answered, 1U);
        says(std::string(1, '\0'));
        line.receive(tally);
        EXPECT_EQ(tally.answered, 2U);
}

}  // namespace bench
