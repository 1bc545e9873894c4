// SPDX-License-Identifier: MIT
// Key by key.
#include "verbs/status_json.hpp"

#include "render/status_text.hpp"

namespace ctl::verbs {

using governor::v1::Status;

std::uint32_t others(const Status& status) {
        return status.connections() > 0 ? status.connections() - 1 : 0;
}

nlohmann::ordered_json status_json(const Status& status) {
        const auto accounted = [&status](std::uint32_t value) {
                return render::keeps_accounts(status) ? nlohmann::ordered_json(value)
                                                      : nlohmann::ordered_json(nullptr);
        };
        const auto& error = status.configuration_error();
        return {{"cpus", status.cpus()},
                {"budget", accounted(status.budget())},
                {"foreign", accounted(status.foreign())},
                {"policy", status.policy()},
                {"mode", status.mode()},
                {"clients", status.clients()},
                {"waiting", status.waiting()},
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
                {"paused", status.paused()},
                {"fallback", status.fallback()},
                {"configuration_error",
                 error.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(error)}};
}

}  // namespace ctl::verbs
