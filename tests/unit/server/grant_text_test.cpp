// SPDX-License-Identifier: MIT
// A program says of its grant what the governor says of it.
#include "grant_text.hpp"
#include "server/sharing/arena.hpp"

#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>

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

std::string said_by_program(const governor_grant_reason& reason, std::uint32_t threads) {
        char text[400];
        const int length = threadcount::describe_grant(reason, threads, text, sizeof(text));
        EXPECT_EQ(std::string(text).size(), static_cast<std::size_t>(length));
        return text;
}

TEST(GrantText, IsThatOfTheGovernor) {
        Arena arena(1, 64);
        for (const auto limit :
             {Limit::Ungoverned, Limit::FairShare, Limit::Everything, Limit::OwnMax, Limit::Cpuset,
              Limit::Quota, Limit::Demand, Limit::Idle, Limit::Floor, Limit::Newcomer,
              Limit::Handover, Limit::Rigid, Limit::Returning, Limit::Light, Limit::Parked,
              Limit::TreeMax})
                for (const auto& reason : {Reason{limit, 64, 9, 8, 7, 3, 2, 14, 4},
                                           Reason{limit, 1, 0, 0, 0, 1, 1, 1, 1},
                                           Reason{limit, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U}}) {
                        Grant grant;
                        grant.threads = 14;
                        grant.reason = reason;
                        const auto epoch = arena.publish(0, grant, 0);
                        EXPECT_EQ(said_by_program(written(arena, epoch), 14),
                                  policy::fair::explain(grant));
                }
}

TEST(GrantText, OfALimitThatIsNotKnownIsASentenceToo) {
        governor_grant_reason reason{};
        reason.limit = 99;
        EXPECT_EQ(said_by_program(reason, 3), "another reason -> 3");
}

}  // namespace
}  // namespace governor::server
