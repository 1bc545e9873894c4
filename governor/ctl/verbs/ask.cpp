// SPDX-License-Identifier: MIT
// Calls to the governor, and what holds without one.
#include "verbs/ask.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>
#include <utility>

namespace ctl::verbs {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kWarmUpPatience{1000};
constexpr std::uint32_t kMostThreads = 65536;

/// THREADCOUNT_MAX as the library understands it; 0: not set.
std::uint32_t user_limit() {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.max_threads = kMostThreads;
        threadcount_handle* handle = nullptr;
        if (threadcount_open(&options, &handle) < 0)
                return 0;
        const auto max = threadcount_max(handle);
        threadcount_close(handle);
        return max < kMostThreads ? max : 0;
}

}  // namespace

tl::expected<governor::v1::Reply, Failure>
ask(const std::string& socket, governor::v1::Request request, governor::v1::Reply::KindCase kind) {
        auto connection = Connection::open(socket_paths(socket));
        if (!connection)
                return tl::unexpected(std::move(connection.error()));
        return connection->call(std::move(request), kind);
}

tl::expected<governor::v1::Advice, Failure> ask_advice(const std::string& socket,
                                                       std::uint32_t current, std::uint32_t max) {
        governor::v1::Request request;
        request.mutable_query()->set_current(current);
        request.mutable_query()->set_max(max);
        auto connection = Connection::open(socket_paths(socket));
        if (!connection)
                return tl::unexpected(std::move(connection.error()));
        const auto give_up = steady_clock::now() + kWarmUpPatience;
        for (;;) {
                auto reply = connection->call(request, governor::v1::Reply::kAdvice);
                if (!reply)
                        return tl::unexpected(std::move(reply.error()));
                const auto& advice = reply->advice();
                const auto left = std::chrono::ceil<milliseconds>(give_up - steady_clock::now());
                if (advice.reason() != governor::v1::Advice::WARMING_UP || left.count() <= 0)
                        return advice;
                std::this_thread::sleep_for(std::min(left, milliseconds{advice.warm_in_ms() + 1}));
        }
}

std::uint32_t smaller_limit(std::uint32_t a, std::uint32_t b) {
        return a == 0 || b == 0 ? a + b : std::min(a, b);
}

std::uint32_t own_limit() { return smaller_limit(threadcount_max(nullptr), user_limit()); }

std::uint32_t limit(std::uint32_t asked) {
        const auto own = threadcount_max(nullptr);
        const auto online = sysconf(_SC_NPROCESSORS_ONLN);
        const bool narrowed = online > 0 && own < static_cast<std::uint32_t>(online);
        return smaller_limit(smaller_limit(asked, user_limit()), narrowed ? own : 0);
}

ExitCode print(const std::string& text) {
        if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0)
                return kOk;
        return complain({kFailed, std::string("cannot write the result: ") + std::strerror(errno)});
}

ExitCode complain(const Failure& failure) {
        std::fprintf(stderr, "governorctl: %s\n", failure.message.c_str());
        return failure.code;
}

}  // namespace ctl::verbs
