// SPDX-License-Identifier: MIT
// The fields of the snapshot, as far as they say something.
#include "simulation/report/explainer.hpp"

#include "simulation/scenario/quantities.hpp"

#include <algorithm>

namespace simulation {

namespace {

using governor::policy::fair::Client;
using governor::policy::fair::Snapshot;

std::string list(const CpuMask& cpus) {
        return "{" + governor::policy::format_cpu_list(cpus.to_set()) + "}";
}

std::string name(const World& world, governor::registry::ProgramId id) {
        for (const auto& resident : world.residents)
                if (resident.client == id)
                        return resident.process->program().name + "/" +
                               std::to_string(resident.process->copy() + 1);
        return "?";
}

std::string describe(const Client& client, const Snapshot& snapshot) {
        const auto ago = [&](governor::policy::TimePoint at) {
                return format_time(std::chrono::duration_cast<Time>(snapshot.now - at));
        };
        std::string text = "user " + std::to_string(static_cast<std::uint64_t>(client.account)) +
                           ", lived " + ago(client.joined);
        const auto add = [&](bool matters, const std::string& what) {
                if (matters)
                        text += ", " + what;
        };
        add(client.weight != 100, "weight " + std::to_string(client.weight));
        add(client.min > 1, "min " + std::to_string(client.min));
        add(client.guaranteed > 1, "guaranteed " + std::to_string(client.guaranteed));
        add(client.max.has_value(), "max " + std::to_string(client.max.value_or(0)));
        add(client.allowed != snapshot.machine.pool(), "may use " + list(client.allowed));
        add(true, "had " + list(client.granted));
        add(client.shared, "shared");
        add(!client.in_use.empty(), "in a region on " + list(client.in_use));
        add(client.above_since.has_value(),
            "above for " + (client.above_since ? ago(*client.above_since) : ""));
        add(true, "burns " + std::to_string(client.burning));
        add(client.wants.has_value(), "wants " + std::to_string(client.wants.value_or(0)));
        add(client.idle, "idle");
        if (!client.gang)
                return text;
        const auto& gang = snapshot.gangs[*client.gang];
        const auto lasting = [](std::chrono::nanoseconds span) {
                return format_time(std::chrono::floor<std::chrono::milliseconds>(span));
        };
        add(gang.has_turn, "has its turn");
        if (gang.waits_since)
                text += ", waits for " + ago(*gang.waits_since);
        text += ", was served for " + lasting(gang.served);
        add(gang.is_on_trial, "on trial");
        if (gang.remaining)
                text += ", needs " + lasting(*gang.remaining);
        return text;
}

}  // namespace

void Explainer::deciding(const World& world) {
        is_open_ = text_.empty() && world.now >= at_;
        if (!is_open_)
                return;
        const auto snapshot = world.snapshot();
        seen_.clear();
        reserved_.clear();
        if (const auto cpus = sum_of(snapshot.kept); cpus > 0)
                reserved_ = std::to_string(cpus) + " kept free for newcomers\n";
        for (const auto& client : snapshot.clients)
                seen_.push_back(describe(client, snapshot));
}

void Explainer::decided(const World& world) {
        if (!is_open_)
                return;
        const auto& decision = world.last();
        text_ = "At " + format_time(world.now) + ": " + std::to_string(decision.cpus) +
                " CPUs, of these " + std::to_string(decision.foreign) + " left to others\n" +
                reserved_;
        for (std::size_t i = 0; i < decision.grants.size(); i++) {
                const auto& grant = decision.grants[i];
                text_ += name(world, grant.id) + ": " + seen_[i] + "\n    -> " + list(grant.cpus) +
                         (grant.shared ? " shared" : "") + ", " +
                         governor::policy::fair::explain(grant) + "\n";
        }
}

}  // namespace simulation
