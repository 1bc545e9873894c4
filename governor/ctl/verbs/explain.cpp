// SPDX-License-Identifier: MIT
// governorctl explain: why a program has what it has.
#include "render/pool.hpp"
#include "render/region_times.hpp"
#include "verbs/ask.hpp"
#include "verbs/client_json.hpp"
#include "verbs/client_list.hpp"
#include "verbs/verbs.hpp"

namespace ctl::verbs {

namespace {

using governor::v1::Explanation;

std::string as_text(const Explanation& explanation) {
        const auto& client = explanation.client();
        std::string text = "process " + std::to_string(client.pid()) + " (" + client.label() +
                           "): granted " + std::to_string(client.granted()) + ", cpus " +
                           client.cpus() + (client.shared() ? ", shared with others" : "") + "\n";
        for (const auto& step : explanation.step())
                text += "  " + with_user_names(step) + "\n";
        if (const auto times = render::region_times(explanation); !times.empty())
                text += "  timed regions: " + times + "\n";
        if (client.has_pool())
                text += "  thread pool: " + render::pool_in_words(client.pool()) + "\n";
        if (!client.acts().empty())
                text += "  acts on it from outside: " + client.acts() + "\n";
        for (const auto& event : explanation.event())
                text += "  " + with_user_names(event) + "\n";
        return text;
}

nlohmann::ordered_json as_json(const Explanation& explanation) {
        auto json = client_json(explanation.client());
        json["steps"] = nlohmann::ordered_json::array();
        for (const auto& step : explanation.step())
                json["steps"].push_back(step);
        json["events"] = nlohmann::ordered_json::array();
        for (const auto& event : explanation.event())
                json["events"].push_back(event);
        json["region_time"] = nlohmann::ordered_json::array();
        for (const auto& time : explanation.region_time()) {
                nlohmann::ordered_json to;
                if (time.team_to() > 0)
                        to = time.team_to();
                json["region_time"].push_back({{"team_from", time.team_from()},
                                               {"team_to", std::move(to)},
                                               {"count", time.count()},
                                               {"mean_ns", time.mean_ns()}});
        }
        return json;
}

}  // namespace

ExitCode explain(const Common& common, std::uint32_t pid) {
        governor::v1::Request request;
        request.mutable_explain()->set_pid(pid);
        const auto reply =
                ask(common.socket, std::move(request), governor::v1::Reply::kExplanation);
        if (!reply)
                return complain(reply.error());
        const auto& explanation = reply->explanation();
        return print(common.json ? as_json(explanation).dump() + "\n" : as_text(explanation));
}

}  // namespace ctl::verbs
