// SPDX-License-Identifier: MIT
//
// The messages that a governor may send to the library, in its encoding.
#pragma once

#include <cstdint>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <gtest/gtest.h>
#include <pb_encode.h>
#include <string>

namespace threadcount {

inline std::string framed(const std::string& message) {
        std::uint8_t prefix[GOVERNOR_PREFIX_MAX];
        const auto size = governor_frame_prefix(message.size(), prefix);
        return std::string(reinterpret_cast<const char*>(prefix), size) + message;
}

inline std::string encode(const governor_v1_Reply& reply) {
        std::uint8_t buffer[2 * governor_v1_Reply_size];
        auto stream = pb_ostream_from_buffer(buffer, sizeof(buffer));
        EXPECT_TRUE(pb_encode(&stream, governor_v1_Reply_fields, &reply));
        return {reinterpret_cast<const char*>(buffer), stream.bytes_written};
}

inline std::string advice(std::uint32_t threads, governor_v1_Advice_Reason reason,
                          std::uint32_t warm_in_ms = 0,
                          const std::string& explanation = "because") {
        governor_v1_Reply reply = governor_v1_Reply_init_zero;
        reply.which_kind = governor_v1_Reply_advice_tag;
        reply.kind.advice.threads = threads;
        reply.kind.advice.free = 3;
        reply.kind.advice.total = 8;
        reply.kind.advice.reason = reason;
        reply.kind.advice.warm_in_ms = warm_in_ms;
        explanation.copy(reply.kind.advice.explanation, sizeof(reply.kind.advice.explanation) - 1);
        return encode(reply);
}

}  // namespace threadcount
