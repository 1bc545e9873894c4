// SPDX-License-Identifier: MIT
// The protocol's messages.
#include "questions.hpp"

#include <array>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>

namespace bench {

using governor::v1::Reply;
using governor::v1::Request;

namespace {

std::string framed_request(Request request, std::uint32_t protocol) {
        request.set_protocol(protocol);
        return bench::framed(request.SerializeAsString());
}

}  // namespace

std::string framed(const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
        const auto length = governor_frame_prefix(message.size(), prefix.data());
        return std::string(prefix.begin(), prefix.begin() + length) + message;
}

std::string question(std::uint32_t protocol) {
        Request request;
        request.mutable_query()->set_current(2);
        return framed_request(std::move(request), protocol);
}

std::string costly_questions() {
        Request status;
        status.mutable_status();
        Request cpus;
        cpus.mutable_cpus();
        Request config;
        config.mutable_config();
        return framed_request(std::move(status), 1) + framed_request(std::move(cpus), 1) +
               framed_request(std::move(config), 1);
}

std::optional<Answer> first_answer(std::string_view received) {
        std::size_t begin = 0;
        std::size_t end = 0;
        const auto found =
                governor_frame_parse(reinterpret_cast<const std::uint8_t*>(received.data()),
                                     received.size(), GOVERNOR_REPLY_MAX, &begin, &end);
        if (found == GOVERNOR_FRAME_PARTIAL)
                return std::nullopt;
        if (found == GOVERNOR_FRAME_INVALID)
                return Answer{received.size(), false};
        Reply reply;
        const bool parsed =
                reply.ParseFromArray(received.data() + begin, static_cast<int>(end - begin));
        return Answer{end, parsed && reply.has_advice()};
}

}  // namespace bench
