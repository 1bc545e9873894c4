// SPDX-License-Identifier: MIT
// No text of a governor's reply steers the terminal of its reader.
#include "printable_reply.hpp"

#include <gtest/gtest.h>
#include <string>

namespace ctl {
namespace {

using governor::v1::Reply;

const std::string kSteers = "\x1b]0;x\x07";
const std::string kShown = "?]0;x?";

TEST(PrintableReply, HasNothingInAnyTextThatSteersATerminal) {
        Reply reply;
        reply.mutable_error()->set_message(kSteers);
        reply.mutable_error()->set_accepted(kSteers);
        make_printable(reply);
        EXPECT_EQ(reply.error().message(), kShown);
        EXPECT_EQ(reply.error().accepted(), kShown);

        auto& rule = *reply.mutable_config()->add_program();
        rule.set_name(kSteers);
        rule.add_setting()->set_value(kSteers);
        reply.mutable_config()->add_setting()->set_origin(kSteers);
        make_printable(reply);
        EXPECT_EQ(rule.name(), kShown);
        EXPECT_EQ(rule.setting(0).value(), kShown);
        EXPECT_EQ(reply.config().setting(0).origin(), kShown);

        auto& explanation = *reply.mutable_explanation();
        explanation.mutable_client()->set_label(kSteers);
        explanation.add_step(kSteers);
        explanation.add_event(kSteers);
        make_printable(reply);
        EXPECT_EQ(explanation.client().label(), kShown);
        EXPECT_EQ(explanation.step(0), kShown);
        EXPECT_EQ(explanation.event(0), kShown);
}

TEST(PrintableReply, KeepsWhatItSaysOtherwise) {
        Reply reply;
        auto& client = *reply.mutable_clients()->add_client();
        client.set_label("Größe ✓");
        client.set_granted(7);
        make_printable(reply);
        EXPECT_EQ(reply.clients().client(0).label(), "Größe ✓");
        EXPECT_EQ(reply.clients().client(0).granted(), 7U);
        Reply empty;
        make_printable(empty);
        EXPECT_EQ(empty.kind_case(), Reply::KIND_NOT_SET);
}

}  // namespace
}  // namespace ctl
