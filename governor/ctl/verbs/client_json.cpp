// SPDX-License-Identifier: MIT
// Key by key.
#include "verbs/client_json.hpp"

namespace ctl::verbs {

nlohmann::ordered_json client_json(const governor::v1::Client& client) {
        const bool is_hidden = client.pid() == 0;
        const auto known = [is_hidden](auto value) {
                return is_hidden ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
        };
        return {{"pid", known(client.pid())},
                {"uid", client.uid()},
                {"label", known(client.label())},
                {"class",
                 known(client.scheduling_class() == governor::v1::BATCH ? "batch" : "interactive")},
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
                {"age_ms", client.age_ms()}};
}

}  // namespace ctl::verbs
