// SPDX-License-Identifier: MIT
//
// An Error in place of a Reply.
#pragma once

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <string>
#include <utility>

namespace governor::server {

/// `message`: one sentence, the thing and its value. `accepted`: the accepted range, if there is
/// one.
[[nodiscard]] inline v1::Reply refuse(v1::Error::Code code, std::string message,
                                      std::string accepted = {}) {
        v1::Reply reply;
        reply.mutable_error()->set_code(code);
        reply.mutable_error()->set_message(std::move(message));
        reply.mutable_error()->set_accepted(std::move(accepted));
        return reply;
}

/// Limits of what requests may ask for.
inline constexpr std::uint32_t kMostThreads = 65536;
inline constexpr std::uint32_t kMostWeight = 10'000;
inline constexpr auto* kClasses = "INTERACTIVE, BATCH";

/// `field`: "Query.max"
[[nodiscard]] inline v1::Reply out_of_range(const std::string& field, std::uint32_t value,
                                            std::string accepted) {
        return refuse(v1::Error::OUT_OF_RANGE, field + " is " + std::to_string(value),
                      std::move(accepted));
}
[[nodiscard]] inline v1::Reply above(const std::string& field, std::uint32_t value,
                                     std::uint32_t most) {
        return out_of_range(field, value, "0 .. " + std::to_string(most));
}

}  // namespace governor::server
