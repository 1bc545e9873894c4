// SPDX-License-Identifier: MIT
// governorctl monitor: what the governor decides, as it does.
#include "verbs/ask.hpp"
#include "verbs/client_list.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

namespace ctl::verbs {

namespace {

using governor::v1::Event;
using governor::v1::Reply;

/// It is asked for news this often.
constexpr std::chrono::milliseconds kPause{200};

/// "14:03:59.250", local time.
std::string time_of(const Event& event) {
        using std::chrono::milliseconds;
        const auto at = std::chrono::time_point_cast<milliseconds>(
                std::chrono::system_clock::now() - milliseconds(event.age_ms()));
        const auto seconds = std::chrono::system_clock::to_time_t(at);
        std::tm local{};
        ::localtime_r(&seconds, &local);
        char text[32];
        std::snprintf(text, sizeof(text), "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min,
                      local.tm_sec, static_cast<int>(at.time_since_epoch().count() % 1000));
        return text;
}

/// `lost`: events before it that the governor had to forget.
std::string as_line(const Event& event, std::uint64_t lost) {
        if (lost > 0)
                return std::to_string(lost) + (lost == 1 ? " event was" : " events were") +
                       " lost\n" + as_line(event, 0);
        const auto who = event.id() == 0 ? std::string("machine")
                         : event.pid() != 0
                                 ? event.label() + "[" + std::to_string(event.pid()) + "]"
                                 : "a program of user " + user_name(event.uid());
        return time_of(event) + " " + who + ": " + with_user_names(event.text()) + "\n";
}

std::string as_json(const Event& event, std::uint64_t lost) {
        const bool is_hidden = event.pid() == 0;
        nlohmann::ordered_json json{{"number", event.number()}, {"age_ms", event.age_ms()},
                                    {"id", event.id()},         {"uid", event.uid()},
                                    {"pid", nullptr},           {"label", nullptr},
                                    {"from", event.from()},     {"to", event.to()},
                                    {"text", event.text()},     {"lost", lost}};
        if (!is_hidden) {
                json["pid"] = event.pid();
                json["label"] = event.label();
        }
        return json.dump() + "\n";
}

}  // namespace

ExitCode monitor(const Common& common) {
        governor::v1::Request request;
        request.mutable_events()->set_from_now(true);
        auto connection = Connection::open(addresses(common.socket));
        if (!connection)
                return complain(connection.error());
        std::uint64_t expected = 0;
        for (;; std::this_thread::sleep_for(kPause)) {
                const auto reply = connection->call(request, Reply::kEvents);
                if (!reply)
                        return complain(reply.error());
                for (const auto& event : reply->events().event()) {
                        const auto lost = event.number() - std::min(expected, event.number());
                        expected = event.number() + 1;
                        const auto code =
                                print(common.json ? as_json(event, lost) : as_line(event, lost));
                        if (code != kOk)
                                return code;
                }
                if (request.events().from_now())
                        expected = reply->events().next();
                request.mutable_events()->set_from_now(false);
                request.mutable_events()->set_first(reply->events().next());
        }
}

}  // namespace ctl::verbs
