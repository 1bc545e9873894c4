// SPDX-License-Identifier: MIT
// Idle is what neither clients nor others burn, as the registry knows it.
#include "simulation/baselines/threshold.hpp"

#include "simulation/baselines/grant.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace simulation {

namespace {

using governor::policy::TimePoint;
using governor::policy::fair::Client;
using governor::policy::fair::ProgramId;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

constexpr std::chrono::seconds kAsksEvery{10};

std::uint32_t idle_cpus(const Snapshot& snapshot) {
        const auto& pool = snapshot.machine.pool();
        double busy = std::round(snapshot.foreign.millicpu(pool) / 1000.0);
        for (const auto& client : snapshot.clients)
                busy += client.burning;
        return static_cast<std::uint32_t>(std::max(pool.count() - busy, 0.0));
}

class Threshold {
public:
        governor::policy::fair::Decision operator()(const Settings&, const Snapshot& snapshot) {
                const auto idle = idle_cpus(snapshot);
                auto decision = decision_of(snapshot, [&](const Client& client) {
                        const auto usable = client.allowed & snapshot.machine.pool();
                        auto& asked = asked_[client.id];
                        if (snapshot.now >= asked.next) {
                                asked.threads =
                                        grant_of(client, usable, asked.threads + idle).threads;
                                asked.next = snapshot.now + kAsksEvery;
                        }
                        return grant_of(client, usable, asked.threads);
                });
                for (const auto& client : snapshot.clients) {
                        const auto next = asked_[client.id].next;
                        decision.again = std::min(decision.again.value_or(next), next);
                }
                return decision;
        }

private:
        struct Asked {
                std::uint32_t threads = 0;
                TimePoint next{};
        };
        std::map<ProgramId, Asked> asked_;
};

}  // namespace

std::function<Decide> begin_threshold(const Scenario&) { return Threshold(); }

}  // namespace simulation
