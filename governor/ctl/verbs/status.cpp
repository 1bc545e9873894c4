// SPDX-License-Identifier: MIT
// governorctl status: is it there, and how does it do?
#include "render/status_text.hpp"
#include "render/table.hpp"
#include "verbs/ask.hpp"
#include "verbs/status_json.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>

namespace ctl::verbs {

namespace {

using governor::v1::Status;

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string counted(std::uint64_t value, const char* noun) {
        return number(value) + " " + noun + (value == 1 ? "" : "s");
}

std::string percent(std::uint32_t permyriad) {
        char text[16];
        std::snprintf(text, sizeof(text), "%g%%", permyriad / 100.0);
        return text;
}

std::string waiting(const Status& status) {
        const auto n = status.waiting();
        return n == 0 ? ""
                      : "; " + number(n) + (n == 1 ? " program waits" : " programs wait") +
                                " for a turn";
}

std::string as_table(const Status& status) {
        const std::string free =
                status.warming_up() ? "not known yet" : number(status.free()) + " free";
        std::vector<std::vector<std::string>> rows{
                {"governor",
                 "version " + status.version() + ", up " + render::duration(status.uptime_ms())},
                {"policy", render::policy(status)},
                {"cpus", number(status.cpus()) + ", " + free +
                                 " (idle >= " + percent(status.threshold_permyriad()) + " over " +
                                 number(status.period_ms()) + " ms)"}};
        if (render::keeps_accounts(status))
                rows.push_back({"clients", counted(status.clients(), "program") + " on " +
                                                   counted(status.budget(), "cpu") + ", " +
                                                   number(status.foreign()) +
                                                   " left to programs that are not governed" +
                                                   waiting(status)});
        rows.push_back({"connections", number(others(status)) + " open, " +
                                               number(status.queries()) + " questions answered"});
        rows.push_back({"samples", number(status.samples()) + ", " +
                                           number(status.discarded_samples()) + " discarded"});
        rows.push_back({"bad messages", number(status.bad_messages())});
        rows.push_back({"connections refused", number(status.refused_connections())});
        if (!status.configuration_error().empty()) {
                rows.push_back({"configuration",
                                render::refused(status.configuration_error(), status.fallback())});
                rows.push_back({"", render::kMendConfiguration});
        }
        return render::table({{""}, {""}}, rows);
}

}  // namespace

ExitCode status(const Common& common) {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = ask(common.socket, std::move(request), governor::v1::Reply::kStatus);
        if (!reply)
                return complain(reply.error());
        const auto text = common.json ? status_json(reply->status()).dump() + "\n"
                                      : as_table(reply->status());
        return print(text);
}

}  // namespace ctl::verbs
