// SPDX-License-Identifier: MIT
// Calls to the governor, results and complaints.
#include "verbs/ask.hpp"

#include "own_name.hpp"
#include "render/columns.hpp"
#include "render/status_text.hpp"
#include "verbs/limits.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace ctl::verbs {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// From the first answer on: a governor that this very question has started needs a second to
/// measure, and a moment more on a busy host.
constexpr milliseconds kWarmUpPatience{1250};

/// Pages of 64 KiB at most: more than a governor has to tell, and no more than there is memory for.
constexpr int kMostPages = 4096;

/// The program that answers may be no governor, and its number starts threads here.
std::uint32_t within(std::uint32_t threads, std::uint32_t max) {
        return std::clamp(threads, 1U, smaller_limit(max, kMostThreads));
}

}  // namespace

tl::expected<governor::v1::Reply, Failure>
ask(const std::string& socket, governor::v1::Request request, governor::v1::Reply::KindCase kind) {
        auto connection = Connection::open(addresses(socket));
        if (!connection)
                return tl::unexpected(std::move(connection.error()));
        return connection->call(std::move(request), kind);
}

tl::expected<void, Failure> ask_pages(Connection& connection, governor::v1::Request request,
                                      governor::v1::Reply::KindCase kind, const TakePage& take) {
        for (int page = 0; page < kMostPages; page++) {
                const auto reply = connection.call(request, kind);
                if (!reply)
                        return tl::unexpected(reply.error());
                if (!take(*reply, request))
                        return {};
        }
        return tl::unexpected(Failure{kFailed, "what answers is no governor: its list has no end"});
}

tl::expected<void, Failure> ask_pages(const std::string& socket,
                                      const governor::v1::Request& request,
                                      governor::v1::Reply::KindCase kind, const TakePage& take) {
        auto connection = Connection::open(addresses(socket));
        if (!connection)
                return tl::unexpected(std::move(connection.error()));
        return ask_pages(*connection, request, kind, take);
}

tl::expected<governor::v1::Advice, Failure> ask_advice(const std::string& socket,
                                                       std::uint32_t current, std::uint32_t max,
                                                       const std::string& label) {
        governor::v1::Request request;
        request.mutable_query()->set_current(current);
        request.mutable_query()->set_max(max);
        request.mutable_query()->set_label(label);
        auto connection = Connection::open(addresses(socket));
        if (!connection)
                return tl::unexpected(std::move(connection.error()));
        std::optional<steady_clock::time_point> give_up;
        for (;;) {
                auto reply = connection->call(request, governor::v1::Reply::kAdvice);
                if (!reply)
                        return tl::unexpected(std::move(reply.error()));
                auto advice = reply->advice();
                const auto now = steady_clock::now();
                give_up = give_up.value_or(now + kWarmUpPatience);
                const auto left = std::chrono::ceil<milliseconds>(*give_up - now);
                if (advice.reason() != governor::v1::Advice::WARMING_UP || left.count() <= 0) {
                        advice.set_threads(within(advice.threads(), max));
                        return advice;
                }
                const auto warm = milliseconds{advice.warm_in_ms()} + milliseconds{1};
                std::this_thread::sleep_for(std::min(left, warm));
        }
}

void note_if_left_alone(Connection& connection, const std::string& consequence) {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = connection.call(std::move(request), governor::v1::Reply::kStatus);
        const auto why = reply ? render::left_alone(reply->status()) : std::string();
        if (!why.empty())
                complain({kOk, why + ", and " + consequence});
}

ExitCode print(const std::string& text) {
        if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
                return kOk;
        return complain({kFailed, std::string("cannot write the result: ") + std::strerror(errno)});
}

ExitCode complain(const Failure& failure) {
        // It may quote a variable, or an argument.
        std::fprintf(stderr, "%s: %s\n", own_name(), render::printable(failure.message).c_str());
        return failure.code;
}

}  // namespace ctl::verbs
