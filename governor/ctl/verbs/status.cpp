// SPDX-License-Identifier: MIT
// governorctl status: is it there, and how does it do?
#include "render/table.hpp"
#include "verbs/ask.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

using governor::v1::Status;

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string duration(std::uint64_t ms) {
        const auto seconds = ms / 1000;
        const auto hours = seconds / 3600;
        char text[48];
        std::snprintf(text, sizeof(text), "%llu:%02u:%02u", static_cast<unsigned long long>(hours),
                      static_cast<unsigned>(seconds / 60 % 60),
                      static_cast<unsigned>(seconds % 60));
        return text;
}

std::string percent(std::uint32_t permyriad) {
        char text[16];
        std::snprintf(text, sizeof(text), "%g%%", permyriad / 100.0);
        return text;
}

/// This call's own connection does not count.
std::uint32_t others(const Status& status) {
        return status.connections() > 0 ? status.connections() - 1 : 0;
}

bool keeps_accounts(const Status& status) { return status.policy() != "threshold"; }

nlohmann::ordered_json as_json(const Status& status) {
        const auto accounted = [&status](std::uint32_t value) {
                return keeps_accounts(status) ? nlohmann::ordered_json(value)
                                              : nlohmann::ordered_json(nullptr);
        };
        return {{"cpus", status.cpus()},
                {"budget", accounted(status.budget())},
                {"foreign", accounted(status.foreign())},
                {"policy", status.policy()},
                {"mode", status.mode()},
                {"clients", status.clients()},
                {"uptime_ms", status.uptime_ms()},
                {"free", status.free()},
                {"threshold_permyriad", status.threshold_permyriad()},
                {"period_ms", status.period_ms()},
                {"warming_up", status.warming_up()},
                {"samples", status.samples()},
                {"discarded_samples", status.discarded_samples()},
                {"queries", status.queries()},
                {"bad_messages", status.bad_messages()},
                {"refused_connections", status.refused_connections()},
                {"version", status.version()},
                {"connections", others(status)},
                {"decisions", status.decisions()},
                {"paused", status.paused()}};
}

std::string policy(const Status& status) {
        return status.policy() + (status.paused() ? ", paused: programs are left alone"
                                  : status.mode() == "observe"
                                          ? ", observing: programs are left alone"
                                          : "");
}

std::string as_table(const Status& status) {
        const std::string free =
                status.warming_up() ? "not known yet" : number(status.free()) + " free";
        std::vector<std::vector<std::string>> rows{
                {"governor",
                 "version " + status.version() + ", up " + duration(status.uptime_ms())},
                {"policy", policy(status)},
                {"cpus", number(status.cpus()) + ", " + free +
                                 " (idle >= " + percent(status.threshold_permyriad()) + " over " +
                                 number(status.period_ms()) + " ms)"}};
        if (keeps_accounts(status))
                rows.push_back({"clients", number(status.clients()) + " share " +
                                                   number(status.budget()) + " cpus, " +
                                                   number(status.foreign()) +
                                                   " are left to other programs"});
        rows.push_back({"connections", number(others(status)) + " open, " +
                                               number(status.queries()) + " questions answered"});
        rows.push_back({"samples", number(status.samples()) + ", " +
                                           number(status.discarded_samples()) + " discarded"});
        rows.push_back({"bad messages", number(status.bad_messages())});
        rows.push_back({"refused", number(status.refused_connections())});
        return render::table({{""}, {""}}, rows);
}

}  // namespace

ExitCode status(const Common& common) {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = ask(common.socket, std::move(request), governor::v1::Reply::kStatus);
        if (!reply)
                return complain(reply.error());
        const auto text =
                common.json ? as_json(reply->status()).dump() + "\n" : as_table(reply->status());
        return print(text);
}

}  // namespace ctl::verbs
