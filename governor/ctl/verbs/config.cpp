// SPDX-License-Identifier: MIT
// governorctl config: the settings in force and where they come from.
#include "render/ini.hpp"
#include "render/status_text.hpp"
#include "verbs/ask.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

using governor::v1::Config;
using governor::v1::Reply;
using governor::v1::Request;
using governor::v1::Setting;

tl::expected<Config, Failure> whole_config(const std::string& socket) {
        Config all;
        Request first;
        first.mutable_config();
        const auto asked =
                ask_pages(socket, first, Reply::kConfig, [&](const Reply& reply, Request& request) {
                        all.MergeFrom(reply.config());
                        request.mutable_config()->set_first_program(reply.config().next_program());
                        return reply.config().has_next_program();
                });
        if (!asked)
                return tl::unexpected(asked.error());
        return all;
}

/// `program`: the name of a rule, or null.
nlohmann::ordered_json as_json(const Setting& setting, const nlohmann::ordered_json& program) {
        return {{"key", setting.key()},
                {"value", setting.value()},
                {"origin", setting.origin()},
                {"program", program}};
}

nlohmann::ordered_json as_json(const Config& config) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& setting : config.setting())
                list.push_back(as_json(setting, nullptr));
        for (const auto& program : config.program())
                for (const auto& setting : program.setting())
                        list.push_back(as_json(setting, program.name()));
        return list;
}

std::string as_ini(const Setting& setting) {
        return "# " + setting.origin() + "\n" + render::assignment(setting.key(), setting.value());
}

/// The files were wrong at the start.
bool is_fallback(const Config& config) {
        return std::ranges::any_of(config.setting(), [](const Setting& setting) {
                return setting.key() == "mode" && setting.origin() == "fallback";
        });
}

/// The configuration as a file that could be given to governord.
std::string as_ini(const Config& config) {
        std::string text;
        if (!config.configuration_error().empty())
                text += "# " + render::refused(config.configuration_error(), is_fallback(config)) +
                        "\n# " + render::kMendConfiguration + "\n";
        text += "[governor]\n";
        for (const auto& setting : config.setting())
                text += as_ini(setting);
        for (const auto& program : config.program()) {
                text += "\n[program " + program.name() + "]\n";
                for (const auto& setting : program.setting())
                        text += as_ini(setting);
        }
        return text;
}

}  // namespace

ExitCode config(const Common& common) {
        const auto config = whole_config(common.socket);
        if (!config)
                return complain(config.error());
        return print(common.json ? as_json(*config).dump() + "\n" : as_ini(*config));
}

}  // namespace ctl::verbs
