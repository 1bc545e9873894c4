// SPDX-License-Identifier: MIT
// governorctl cpus: how idle each core is.
#include "render/bar.hpp"
#include "render/client_row.hpp"
#include "render/columns.hpp"
#include "render/table.hpp"
#include "verbs/ask.hpp"
#include "verbs/client_list.hpp"
#include "verbs/cpu_list.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace ctl::verbs {

namespace {

using governor::v1::Cpu;
using governor::v1::Cpus;

constexpr std::size_t kBarWidth = 20;

/// Client.id -> what to call it.
using Names = std::map<std::uint64_t, std::string>;

/// Holders that have gone meanwhile are not in it.
Names names_of_holders(Connection& connection, const Cpus& cpus) {
        Names names;
        if (std::ranges::all_of(cpus.cpu(), [](const Cpu& cpu) { return cpu.holder_size() == 0; }))
                return names;
        if (const auto clients = all_clients(connection))
                for (const auto& client : clients->client())
                        names[client.id()] = render::cut(name_of(client), render::kLabelWidth);
        return names;
}

std::string holders(const Cpu& cpu, const Names& names) {
        std::string text;
        for (const auto id : cpu.holder())
                if (const auto found = names.find(id); found != names.end())
                        text += (text.empty() ? "" : ", ") + found->second;
        return text.empty() ? "-" : text;
}

std::string state(const Cpu& cpu) {
        if (!cpu.governed())
                return "not governed";
        if (!cpu.has_idle_permyriad())
                return "not known yet";
        return cpu.available() ? "free" : "busy";
}

std::vector<std::string> row(const Cpu& cpu, const Names& names, bool utf8) {
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
                holders(cpu, names),
                number(cpu.has_core(), cpu.core()),
                number(cpu.has_package(), cpu.package()),
                number(cpu.has_node(), cpu.node())};
}

std::string as_table(const Cpus& cpus, const Names& names) {
        const bool utf8 = render::terminal_is_utf8();
        std::vector<std::vector<std::string>> rows;
        for (const auto& cpu : cpus.cpu())
                rows.push_back(row(cpu, names, utf8));
        using enum render::Align;
        return render::table({{"CPU", Right},
                              {"IDLE", Right},
                              {"", Left},
                              {"STATE", Left},
                              {"HOLDER", Left},
                              {"CORE", Right},
                              {"PACKAGE", Right},
                              {"NODE", Right}},
                             rows);
}

}  // namespace

ExitCode cpus(const Common& common) {
        auto connection = Connection::open(addresses(common.socket));
        if (!connection)
                return complain(connection.error());
        const auto cpus = all_cpus(*connection);
        if (!cpus)
                return complain(cpus.error());
        return print(common.json ? cpus_json(*cpus).dump() + "\n"
                                 : as_table(*cpus, names_of_holders(*connection, *cpus)));
}

}  // namespace ctl::verbs
