// SPDX-License-Identifier: MIT
// governorctl cpus: how idle each core is.
#include "render/bar.hpp"
#include "render/table.hpp"
#include "verbs/ask.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

using governor::v1::Cpu;
using governor::v1::Cpus;
using governor::v1::Reply;
using governor::v1::Request;

constexpr std::size_t kBarWidth = 20;

tl::expected<Cpus, Failure> all_cpus(const std::string& socket) {
        Cpus all;
        Request first;
        first.mutable_cpus();
        const auto asked =
                ask_pages(socket, first, Reply::kCpus, [&](const Reply& reply, Request& request) {
                        all.mutable_cpu()->MergeFrom(reply.cpus().cpu());
                        request.mutable_cpus()->set_first(reply.cpus().next());
                        return reply.cpus().has_next();
                });
        if (!asked)
                return tl::unexpected(asked.error());
        return all;
}

template <class Number>
nlohmann::ordered_json known(bool is_known, Number value) {
        return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json as_json(const Cpus& cpus) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& cpu : cpus.cpu())
                list.push_back(
                        {{"cpu", cpu.cpu()},
                         {"idle_permyriad", known(cpu.has_idle_permyriad(), cpu.idle_permyriad())},
                         {"available", cpu.available()},
                         {"core", known(cpu.has_core(), cpu.core())},
                         {"package", known(cpu.has_package(), cpu.package())},
                         {"node", known(cpu.has_node(), cpu.node())},
                         {"holder", nullptr},
                         {"governed", cpu.governed()}});
        return list;
}

std::string state(const Cpu& cpu) {
        if (!cpu.governed())
                return "not governed";
        if (!cpu.has_idle_permyriad())
                return "not known yet";
        return cpu.available() ? "free" : "busy";
}

std::vector<std::string> row(const Cpu& cpu, bool utf8) {
        const auto number = [](bool is_known, std::uint32_t value) {
                return is_known ? std::to_string(value) : std::string("-");
        };
        char idle[16] = "-";
        if (cpu.has_idle_permyriad())
                std::snprintf(idle, sizeof(idle), "%.1f%%", cpu.idle_permyriad() / 100.0);
        return {std::to_string(cpu.cpu()),
                idle,
                render::bar(cpu.idle_permyriad(), kBarWidth, utf8),
                state(cpu),
                number(cpu.has_core(), cpu.core()),
                number(cpu.has_package(), cpu.package()),
                number(cpu.has_node(), cpu.node())};
}

std::string as_table(const Cpus& cpus) {
        const bool utf8 = render::terminal_is_utf8();
        std::vector<std::vector<std::string>> rows;
        for (const auto& cpu : cpus.cpu())
                rows.push_back(row(cpu, utf8));
        using enum render::Align;
        return render::table({{"CPU", Right},
                              {"IDLE", Right},
                              {"", Left},
                              {"STATE", Left},
                              {"CORE", Right},
                              {"PACKAGE", Right},
                              {"NODE", Right}},
                             rows);
}

}  // namespace

ExitCode cpus(const Common& common) {
        const auto cpus = all_cpus(common.socket);
        if (!cpus)
                return complain(cpus.error());
        const auto text = common.json ? as_json(*cpus).dump() + "\n" : as_table(*cpus);
        return print(text);
}

}  // namespace ctl::verbs
