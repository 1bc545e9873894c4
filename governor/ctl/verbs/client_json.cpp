// SPDX-License-Identifier: MIT
// Key by key.
#include "verbs/client_json.hpp"

namespace ctl::verbs {

namespace {

using governor::v1::Client;
using governor::v1::Ordered;

const char* name(governor::v1::Class scheduling_class) {
        return scheduling_class == governor::v1::BATCH ? "batch" : "interactive";
}

nlohmann::ordered_json ordered_json(const Ordered& ordered) {
        const auto known = [](bool is_known, auto value) {
                return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
        };
        return {{"uid", ordered.uid()},
                {"administrator", ordered.administrator()},
                {"max", known(ordered.has_max(), ordered.max())},
                {"weight", known(ordered.has_weight(), ordered.weight())},
                {"class", known(ordered.has_scheduling_class(), name(ordered.scheduling_class()))},
                {"paused", ordered.paused()}};
}

nlohmann::ordered_json all_ordered(const Client& client) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& ordered : client.ordered())
                list.push_back(ordered_json(ordered));
        return list;
}

nlohmann::ordered_json pool_json(const Client& client) {
        if (!client.has_pool())
                return nullptr;
        const auto& pool = client.pool();
        return {{"lanes", pool.lanes()},   {"active", pool.active()}, {"executed", pool.executed()},
                {"stolen", pool.stolen()}, {"parked", pool.parked()}, {"woken", pool.woken()}};
}

}  // namespace

nlohmann::ordered_json client_json(const governor::v1::Client& client) {
        const bool is_hidden = client.pid() == 0;
        const auto known = [is_hidden](auto value) {
                return is_hidden ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
        };
        return {{"pid", known(client.pid())},
                {"uid", client.uid()},
                {"label", known(client.label())},
                {"class", known(name(client.scheduling_class()))},
                {"granted", client.granted()},
                {"max", known(client.max())},
                {"cpus", client.cpus()},
                {"parked", known(client.parked())},
                {"reason", client.reason()},
                {"id", client.id()},
                {"shared", client.shared()},
                {"in_use", client.in_use()},
                {"burning_millicpu", client.burning_millicpu()},
                {"weight", known(client.weight())},
                {"age_ms", client.age_ms()},
                {"paused", known(client.paused())},
                {"ordered", known(all_ordered(client))},
                {"pool", pool_json(client)},
                {"share", client.share()},
                {"tree", client.tree() > 0 ? nlohmann::ordered_json(client.tree())
                                           : nlohmann::ordered_json(nullptr)},
                {"processes", client.processes()},
                {"acts", known(client.acts())},
                {"adapts", known(client.adapts())}};
}

nlohmann::ordered_json clients_json(const governor::v1::Clients& clients) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& client : clients.client())
                list.push_back(client_json(client));
        return list;
}

}  // namespace ctl::verbs
