// SPDX-License-Identifier: MIT
// governorctl config: the settings in force and where they come from.
#include "verbs/ask.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

using governor::v1::Config;

nlohmann::ordered_json as_json(const Config& config) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& setting : config.setting())
                list.push_back({{"key", setting.key()},
                                {"value", setting.value()},
                                {"origin", setting.origin()}});
        return list;
}

/// As a file that could be given to governord.
std::string as_ini(const Config& config) {
        std::string text = "[governor]\n";
        for (const auto& setting : config.setting())
                text += "# " + setting.origin() + "\n" + setting.key() + " = " + setting.value() +
                        "\n";
        return text;
}

}  // namespace

ExitCode config(const Common& common) {
        governor::v1::Request request;
        request.mutable_config();
        const auto reply = ask(common.socket, std::move(request), governor::v1::Reply::kConfig);
        if (!reply)
                return complain(reply.error());
        const auto text =
                common.json ? as_json(reply->config()).dump() + "\n" : as_ini(reply->config());
        return print(text);
}

}  // namespace ctl::verbs
