// SPDX-License-Identifier: MIT
// A program's own page gives the same reasons as the daemon.
#include "server/sharing/arena.hpp"

#include <array>
#include <governor/v1/reasons.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <unistd.h>

namespace governor::server {
namespace {

using policy::fair::Grant;
using policy::fair::Limit;
using policy::fair::Reason;

governor_grant_reason written(const Arena& arena, std::uint32_t epoch) {
        governor_grant_header header{};
        governor_grant_reason reason{};
        EXPECT_EQ(::pread(arena.grants_fd(), &header, sizeof(header), 0),
                  static_cast<ssize_t>(sizeof(header)));
        const auto offset =
                header.slots_offset + header.buffers_offset + (epoch & 1) * header.buffer_size;
        EXPECT_EQ(::pread(arena.grants_fd(), &reason, sizeof(reason), static_cast<off_t>(offset)),
                  static_cast<ssize_t>(sizeof(reason)));
        return reason;
}

std::string sentence(const governor_grant_reason& reason, std::uint32_t threads) {
        std::array<char, 400> text{};
        const int length = governor_reason_explain(&reason, threads, text.data(), text.size());
        EXPECT_EQ(std::string(text.data()).size(), static_cast<std::size_t>(length));
        return text.data();
}

governor_grant_reason of(Limit limit) {
        governor_grant_reason reason{};
        reason.limit = static_cast<std::uint32_t>(limit);
        return reason;
}

constexpr std::array kAll{
#define GOVERNOR_REASON(number, constant, name, sentence, meaning) Limit::name,
        GOVERNOR_REASONS(GOVERNOR_REASON)
#undef GOVERNOR_REASON
};

}  // namespace

TEST(Reasons, AreTheSameInThePageOfAProgram) {
        Arena arena(1, 64);
        for (const auto limit : kAll)
                for (const auto& reason :
                     {Reason{limit, 64, 9, 8, 7, 3, 2, 14, 4, 5},
                      Reason{limit, 1, 0, 0, 0, 1, 1, 1, 1, 0},
                      Reason{limit, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U}}) {
                        Grant grant;
                        grant.threads = 14;
                        grant.reason = reason;
                        const auto epoch = arena.publish(0, grant);
                        EXPECT_EQ(sentence(written(arena, epoch), 14),
                                  policy::fair::explain(grant));
                }
}

TEST(Reasons, DifferInNumberAndSentence) {
        std::set<std::string> sentences;
        for (const auto limit : kAll)
                sentences.insert(sentence(of(limit), 1));
        EXPECT_EQ(sentences.size(), kAll.size());
}

TEST(Reasons, FillInNumbersAndPlurals) {
        EXPECT_EQ(sentence({GOVERNOR_LIMIT_FAIR_SHARE, 64, 9, 0, 0, 3, 2, 9, 0, 5, {}}, 9),
                  "fair share: 64 cpus - 9 foreign (5 of its account), 3 programs of 2 accounts "
                  "-> 9");
        EXPECT_EQ(sentence({GOVERNOR_LIMIT_FAIR_SHARE, 64, 9, 0, 0, 3, 2, 14, 0, 0, {}}, 14),
                  "fair share: 64 cpus - 9 foreign, 3 programs of 2 accounts -> 14");
        EXPECT_EQ(
                sentence({GOVERNOR_LIMIT_FLOOR, 1, 0, 8, 7, 1, 1, 1, 0, 0, {}}, 1),
                "no cpu left, so one that is shared: 1 cpu - 8 for newcomers - 7 kept by programs "
                "that do not follow, 1 program of 1 account -> 1");
        EXPECT_EQ(sentence({GOVERNOR_LIMIT_QUOTA, 64, 0, 0, 0, 3, 2, 14, 4, 0, {}}, 4),
                  "quota of its control group: 4 cpus for all programs in it, fair share 14 -> 4");
        EXPECT_EQ(sentence({GOVERNOR_LIMIT_PARKED, 64, 0, 0, 0, 3, 2, 14, 1, 0, {}}, 1),
                  "parked: 1 batch job first, fair share 14 -> 1");
}

TEST(Reasons, OneThatIsNotKnownIsASentenceToo) {
        EXPECT_EQ(sentence(of(static_cast<Limit>(99)), 3), "another reason -> 3");
}

TEST(Reasons, AreCutWhereTheBufferEnds) {
        const governor_grant_reason reason{
                GOVERNOR_LIMIT_OWN_MAX, 64, 0, 0, 0, 1, 1, 64, 12, 0, {}};
        const auto whole = sentence(reason, 12);
        for (std::size_t size = 0; size <= whole.size() + 1; size++) {
                std::string text(whole.size() + 2, '#');
                EXPECT_EQ(governor_reason_explain(&reason, 12, text.data(), size),
                          static_cast<int>(whole.size()));
                EXPECT_EQ(text.substr(size), std::string(text.size() - size, '#')) << size;
                if (size > 0) {
                        EXPECT_EQ(std::string(text.c_str()), whole.substr(0, size - 1)) << size;
                }
        }
}

}  // namespace governor::server
