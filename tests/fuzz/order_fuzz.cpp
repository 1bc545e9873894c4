// SPDX-License-Identifier: MIT
// The governor gives one reply to each question or order about leases, whoever sends it, and the
// reply is small enough. A stranger changes nothing. The holder of the lease keeps the maximum that
// it asked for as its limit.
#include "require.hpp"
#include "server/answers/lease_answers.hpp"
#include "server/journal/log.hpp"

#include <cstring>
#include <governor/v1/frame.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace governor;

namespace {

constexpr std::uint32_t kOwner = 4'000'000'000;
constexpr std::uint32_t kStranger = kOwner + 1;
constexpr std::uint32_t kOwnMax = 7;

std::string in_words(const v1::Ordered& ordered) {
        std::string text = ordered.administrator() ? "administrator " : "owner ";
        text += std::to_string(ordered.uid()) + ":";
        if (ordered.has_max())
                text += " max " + std::to_string(ordered.max());
        if (ordered.has_weight())
                text += " weight " + std::to_string(ordered.weight());
        if (ordered.has_scheduling_class())
                text += " class " + std::to_string(ordered.scheduling_class());
        return text + (ordered.paused() ? " paused; " : "; ");
}

/// This process holds a lease, as if it were kOwner's.
struct World {
        server::EventLoop loop;
        server::Governor governor{loop, ""};
        int ends[2] = {-1, -1};

        World() {
                server::set_log_level(server::Level::Error);
                require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "sockets");
                config::Settings settings;
                settings.programs.emplace_back();
                settings.programs.back().max = 5;
                governor.configure(settings, {}, {});
                v1::Request request;
                request.mutable_hello()->mutable_wishes()->set_max(kOwnMax);
                require(answer(request, kOwner)->has_welcome(), "the lease");
                lie();
        }
        /// Empty: it is about something else.
        [[nodiscard]] std::optional<v1::Reply> answer(const v1::Request& request,
                                                      std::uint32_t uid) {
                const auto answer = server::answer_about_leases(
                        request, {ends[0], {uid}, static_cast<std::uint32_t>(::getpid())},
                        governor);
                if (!answer)
                        return std::nullopt;
                require(answer->bytes.size() <= GOVERNOR_REPLY_MAX, "a reply fits into a message");
                v1::Reply reply;
                require(reply.ParseFromString(answer->bytes), "a reply can be read");
                return reply;
        }
        /// In its report: explanations are as long as they get.
        void lie() {
                const auto& place =
                        governor.lease_of(static_cast<std::uint32_t>(::getpid()))->place;
                governor_report_slot said;
                std::memset(&said, 0xff, sizeof(said));
                require(::pwrite(place.arena->reports_fd(), &said, sizeof(said),
                                 static_cast<off_t>(place.slot * sizeof(said))) ==
                                static_cast<ssize_t>(sizeof(said)),
                        "the report");
        }
        /// In words.
        [[nodiscard]] std::string orders() {
                v1::Request request;
                request.mutable_explain()->set_pid(static_cast<std::uint32_t>(::getpid()));
                const auto reply = answer(request, 0);
                require(reply->has_explanation(), "the lease is there", reply->error().message());
                std::string text;
                for (const auto& ordered : reply->explanation().client().ordered())
                        text += in_words(ordered);
                return text;
        }
};

void check(const v1::Error& error) {
        require(error.code() != v1::Error::UNKNOWN, "a refusal has a code");
        require(!error.message().empty() && error.message().size() <= 160,
                "a refusal's message fits into the library's answer");
        require(error.accepted().size() <= 96, "an accepted range fits into the library's answer");
}

/// A corpus cannot know our number.
void put_own_pid_for_1(v1::Request& request) {
        const auto own = static_cast<std::uint32_t>(::getpid());
        if (request.set().pid() == 1)
                request.mutable_set()->set_pid(own);
        if (request.pause().pid() == 1)
                request.mutable_pause()->set_pid(own);
        if (request.resume().pid() == 1)
                request.mutable_resume()->set_pid(own);
        if (request.explain().pid() == 1)
                request.mutable_explain()->set_pid(own);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        static World world;
        v1::Request request;
        if (size > GOVERNOR_REQUEST_MAX || !request.ParseFromArray(data, static_cast<int>(size)) ||
            request.has_hello() || request.has_update() || request.has_bye())
                return 0;  // those are the program's own
        put_own_pid_for_1(request);
        const auto before = world.orders();
        const std::uint32_t uids[] = {0, kOwner, kStranger};
        const auto uid = uids[request.protocol() % 3];
        const auto answer = world.answer(request, uid);
        if (!answer)
                return 0;
        const auto& reply = *answer;
        require(reply.kind_case() != v1::Reply::KIND_NOT_SET, "each request has a reply");
        if (reply.has_error())
                check(reply.error());
        const auto after = world.orders();
        const auto both = "'" + before + "' before, '" + after + "' after";
        require(uid != kStranger || !reply.has_client(), "a stranger sees no client");
        require(uid != kStranger || after == before, "a stranger changes nothing", both);
        require(!reply.has_error() || after == before, "what is refused changes nothing", both);
        if (reply.has_client())
                require(reply.client().max() >= 1 && reply.client().max() <= kOwnMax,
                        "the program's own maximum holds");
        return 0;
}
