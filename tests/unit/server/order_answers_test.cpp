// SPDX-License-Identifier: MIT
// The orders that each user may give: this process, and people that the test makes up.
#include "server/answers/order_answers.hpp"

#include "server/answers/lease_answers.hpp"

#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace governor::server {
namespace {

using v1::Error;

/// The user that runs the test is the governor's own; these are not.
const std::uint32_t kOwner = ::geteuid() + 1000;
const std::uint32_t kStranger = ::geteuid() + 1001;

class OrderAnswers : public testing::Test {
protected:
        OrderAnswers() {
                EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0);
                governor_.configure(settings_, {}, {});
        }
        ~OrderAnswers() override {
                ::close(ends_[0]);
                ::close(ends_[1]);
        }

        v1::Reply ask(const v1::Request& request, std::uint32_t uid) {
                v1::Reply reply;
                const auto answer =
                        answer_about_leases(request, {ends_[0], {uid}, pid()}, governor_);
                EXPECT_TRUE(answer && reply.ParseFromString(answer->bytes));
                return reply;
        }
        static std::uint32_t pid() { return static_cast<std::uint32_t>(::getpid()); }
        void join(std::uint32_t uid = kOwner) {
                v1::Request request;
                request.mutable_hello()->set_label("mine");
                ASSERT_TRUE(ask(request, uid).has_welcome());
        }
        v1::Reply set_max(std::uint32_t max, std::uint32_t uid) {
                v1::Request request;
                request.mutable_set()->set_pid(pid());
                request.mutable_set()->set_max(max);
                return ask(request, uid);
        }
        v1::Reply pause(std::uint32_t uid, std::uint32_t whom) {
                v1::Request request;
                request.mutable_pause()->set_pid(whom);
                return ask(request, uid);
        }
        v1::Reply resume(std::uint32_t uid, std::uint32_t whom) {
                v1::Request request;
                request.mutable_resume()->set_pid(whom);
                return ask(request, uid);
        }
        v1::Reply pause_all(std::uint32_t uid) {
                v1::Request request;
                request.mutable_pause();
                return ask(request, uid);
        }
        v1::Reply resume_all(std::uint32_t uid) {
                v1::Request request;
                request.mutable_resume();
                return ask(request, uid);
        }
        std::string last_event(std::uint32_t uid) {
                v1::Request request;
                request.mutable_events();
                const auto events = ask(request, uid).events();
                return events.event_size() > 0 ? events.event(events.event_size() - 1).text() : "";
        }

        int ends_[2] = {-1, -1};
        EventLoop loop_;
        config::Settings settings_;
        Governor governor_{loop_, ""};
};

TEST_F(OrderAnswers, TheOwnerIsToldWhatIsInForce) {
        join();
        const auto reply = set_max(3, kOwner);
        ASSERT_TRUE(reply.has_client()) << reply.error().message();
        EXPECT_EQ(reply.client().pid(), pid());
        EXPECT_EQ(reply.client().max(), 3U);
        ASSERT_EQ(reply.client().ordered_size(), 1);
        const auto& ordered = reply.client().ordered(0);
        EXPECT_EQ(ordered.uid(), kOwner);
        EXPECT_FALSE(ordered.administrator());
        EXPECT_EQ(ordered.max(), 3U);
        EXPECT_FALSE(ordered.has_weight());
        EXPECT_EQ(set_max(0, kOwner).client().ordered_size(), 0);
}

TEST_F(OrderAnswers, RootMayGoBeyondWhatTheOwnerMay) {
        config::Settings settings;
        settings.programs.emplace_back();
        settings.programs.back().max = 2;
        governor_.configure(settings, {}, {});
        join();
        EXPECT_EQ(set_max(3, kOwner).error().code(), Error::NOT_PERMITTED);
        EXPECT_TRUE(set_max(3, kOwner).error().message().ends_with(" at most 2"));
        EXPECT_EQ(set_max(3, 0).client().max(), 3U);
        EXPECT_TRUE(set_max(4, kOwner).error().message().ends_with(" at most 3"));
        EXPECT_EQ(set_max(1, kOwner).client().max(), 1U);
}

TEST_F(OrderAnswers, TheGovernorsOwnUserAdministersItButSeesWhatUsersSee) {
        join(::geteuid());
        EXPECT_TRUE(set_max(3, ::geteuid()).client().ordered(0).administrator());
}

TEST_F(OrderAnswers, StrangersAreNotToldWhetherAProcessHoldsALease) {
        const auto of_none = set_max(3, kStranger);
        const auto no_pause = pause(kStranger, pid());
        join();
        EXPECT_EQ(of_none.error().code(), Error::NO_LEASE);
        EXPECT_EQ(of_none.SerializeAsString(), set_max(3, kStranger).SerializeAsString());
        EXPECT_EQ(no_pause.SerializeAsString(), pause(kStranger, pid()).SerializeAsString());
        EXPECT_EQ(pause(kOwner, 1).error().code(), Error::NO_LEASE);
        EXPECT_EQ(governor_.programs().find(ProgramId{1})->max(), 0U);
}

TEST_F(OrderAnswers, SayWhatItCanMeanThatAProcessHoldsNoLease) {
        const std::string why =
                " holds no lease: it was not started by `fairly` and does not use libthreadcount, "
                "asks another governor, was refused, or ended";
        EXPECT_EQ(pause(0, 7).error().message(), "process 7" + why);
        EXPECT_EQ(pause(kStranger, 7).error().message(), "process 7 is not yours, or" + why);
        EXPECT_LE(pause(kStranger, UINT32_MAX).error().message().size(), 160U);
        settings_.policy = config::PolicyName::Threshold;
        governor_.configure(settings_, {}, {});
        EXPECT_EQ(pause(0, 7).error().message(),
                  "process 7 holds no lease: there are none under the policy in force");
}

TEST_F(OrderAnswers, OutOfRangeChangeNothing) {
        join();
        v1::Request request;
        auto& set = *request.mutable_set();
        set.set_pid(pid());
        EXPECT_EQ(ask(request, kOwner).error().message(), "SetClient sets nothing");
        set.set_weight(1);
        set.set_max(65'537);
        EXPECT_EQ(ask(request, kOwner).error().message(), "SetClient.max is 65537");
        set.set_max(65'536);
        set.set_weight(10'001);
        EXPECT_EQ(ask(request, kOwner).error().accepted(), "0 .. 10000");
        set.set_weight(10'000);
        set.set_scheduling_class(static_cast<v1::Class>(7));
        EXPECT_EQ(ask(request, kOwner).error().code(), Error::OUT_OF_RANGE);
        EXPECT_EQ(set_max(65'536, kOwner).client().weight(), 100U);
        set.set_scheduling_class(v1::BATCH);
        const auto reply = ask(request, kOwner);
        EXPECT_EQ(reply.client().weight(), 10'000U);
        EXPECT_EQ(reply.client().scheduling_class(), v1::BATCH);
}

TEST_F(OrderAnswers, WhatRootHasPausedOnlyRootResumes) {
        join();
        EXPECT_TRUE(pause(kOwner, pid()).client().paused());
        EXPECT_FALSE(resume(kOwner, pid()).client().paused());
        EXPECT_TRUE(pause(0, pid()).client().paused());
        EXPECT_EQ(resume(kOwner, pid()).error().code(), Error::NOT_PERMITTED);
        const auto resumed = resume(0, pid());
        EXPECT_FALSE(resumed.client().paused());
        EXPECT_EQ(resumed.client().ordered_size(), 0);
}

TEST_F(OrderAnswers, StrangersAreNotToldThatAProgramIsPaused) {
        join();
        ASSERT_TRUE(pause(kOwner, pid()).client().paused());
        const auto reason_for = [&](std::uint32_t uid) {
                v1::Request request;
                request.mutable_clients();
                const auto clients = ask(request, uid).clients();
                return clients.client_size() == 1 ? clients.client(0).reason() : "";
        };
        EXPECT_TRUE(reason_for(kOwner).starts_with("paused; ")) << reason_for(kOwner);
        EXPECT_FALSE(reason_for(kStranger).empty());
        EXPECT_EQ(reason_for(kStranger).find("paused"), std::string::npos);
}

TEST_F(OrderAnswers, OnlyTheAdministratorPausesGoverning) {
        EXPECT_EQ(pause_all(kOwner).error().code(), Error::NOT_PERMITTED);
        EXPECT_FALSE(governor_.cycle().is_paused());
        EXPECT_TRUE(pause_all(::geteuid()).has_done());
        EXPECT_TRUE(governor_.cycle().is_paused());
        EXPECT_EQ(governor_.cycle().arbiter().mode(), registry::Mode::Observe);
        EXPECT_EQ(resume_all(kOwner).error().code(), Error::NOT_PERMITTED);
        EXPECT_TRUE(resume_all(0).has_done());
        EXPECT_EQ(governor_.cycle().arbiter().mode(), registry::Mode::Govern);
        EXPECT_TRUE(resume_all(0).has_done()) << "it is so already";
}

TEST_F(OrderAnswers, WhileGoverningIsPausedAnExplanationSaysSo) {
        join();
        v1::Request request;
        request.mutable_explain()->set_pid(pid());
        const auto paused = "governing is paused: it is left alone, and this is what it would have";
        EXPECT_NE(ask(request, kOwner).explanation().step(0), paused);
        EXPECT_TRUE(pause_all(0).has_done());
        EXPECT_EQ(ask(request, kOwner).explanation().step(0), paused);
}

TEST_F(OrderAnswers, APauseOutlastsAReloadButNotThePolicy) {
        EXPECT_TRUE(pause_all(0).has_done());
        governor_.configure(settings_, {}, {});
        EXPECT_EQ(governor_.cycle().arbiter().mode(), registry::Mode::Observe);
        settings_.policy = config::PolicyName::Threshold;
        governor_.configure(settings_, {}, {});
        EXPECT_FALSE(governor_.cycle().is_paused());
        EXPECT_EQ(pause_all(0).error().code(), Error::NOT_GOVERNING);
        settings_.policy = config::PolicyName::Fair;
        governor_.configure(settings_, {}, {});
        EXPECT_EQ(governor_.cycle().arbiter().mode(), registry::Mode::Govern);
}

TEST_F(OrderAnswers, ToOthersAreOnlyThatThereIsOne) {
        join();
        (void)set_max(3, 0);
        EXPECT_EQ(last_event(kOwner), "root set max 3");
        EXPECT_EQ(last_event(kStranger), "was given other limits");
        (void)pause(kOwner, pid());
        EXPECT_EQ(last_event(0), "user " + std::to_string(kOwner) + " paused it");
        EXPECT_EQ(last_event(kStranger), "was given other limits");
}

}  // namespace
}  // namespace governor::server
