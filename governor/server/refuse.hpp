// SPDX-License-Identifier: MIT
//
// An Error in place of a Reply.
#pragma once

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

}  // namespace governor::server
