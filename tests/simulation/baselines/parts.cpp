// SPDX-License-Identifier: MIT
// A program's part is the one that its CPUs are in: nothing else is remembered.
#include "simulation/baselines/parts.hpp"

#include "simulation/baselines/alone.hpp"
#include "simulation/baselines/grant.hpp"
#include "simulation/world/virtual_machine.hpp"

#include <algorithm>

namespace simulation {

namespace {

using governor::policy::Machine;
using governor::policy::fair::Client;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

std::vector<CpuMask> parts_of(const Machine& machine, std::uint32_t number) {
        std::vector<std::uint32_t> in_order;  // siblings next to each other
        for (const auto& core : machine.cores())
                core.for_each([&](std::uint32_t cpu) { in_order.push_back(cpu); });
        std::vector<CpuMask> parts(number);
        for (std::size_t i = 0; i < in_order.size(); i++)
                parts[i * number / in_order.size()].add(in_order[i]);
        return parts;
}

class Parts {
public:
        explicit Parts(std::uint32_t number) : number_(number) {}

        governor::policy::fair::Decision operator()(const Settings&, const Snapshot& snapshot) {
                const auto parts = parts_of(snapshot.machine, number_);
                crowd_.assign(number_, 0);
                for (const auto& client : snapshot.clients)
                        if (const auto k = part_of(client, parts))
                                crowd_[*k]++;
                return decision_of(snapshot, [&](const Client& client) {
                        auto k = part_of(client, parts);
                        if (!k)
                                k = choose(client, parts);
                        return k ? grant_of(client, parts[*k], parts[*k].count())
                                 : grant_of(client, {}, client.allowed.count());
                });
        }

private:
        static std::optional<std::size_t> part_of(const Client& client,
                                                  const std::vector<CpuMask>& parts) {
                const auto first = (client.granted & client.allowed).first();
                for (std::size_t k = 0; k < parts.size() && first; k++)
                        if (parts[k].contains(*first))
                                return k;
                return std::nullopt;
        }

        std::optional<std::size_t> choose(const Client& client, const std::vector<CpuMask>& parts) {
                std::optional<std::size_t> best;
                for (std::size_t k = 0; k < parts.size(); k++)
                        if (parts[k].intersects(client.allowed) &&
                            (!best || crowd_[k] < crowd_[*best]))
                                best = k;
                if (best)
                        crowd_[*best]++;
                return best;
        }

        std::uint32_t number_;
        std::vector<std::uint32_t> crowd_;  // by part
};

/// The starts and ends of all programs, each taken to run alone.
std::vector<std::pair<Time, int>> comings_and_goings(const Scenario& scenario) {
        std::vector<std::pair<Time, int>> events;
        for (std::size_t p = 0; p < scenario.programs.size(); p++) {
                const auto& program = scenario.programs[p];
                const auto alone = time_alone(scenario, p).value_or(program.killed);
                for (std::uint32_t copy = 0; copy < program.copies; copy++) {
                        const auto start = program.start + program.every * copy;
                        if (start >= scenario.end)
                                break;
                        events.emplace_back(start, 1);
                        if (alone < scenario.end - start)
                                events.emplace_back(start + alone, -1);
                }
        }
        std::ranges::sort(events);  // an end comes before a start at the same time, and makes room
        return events;
}

}  // namespace

std::uint32_t number_of_parts(const Scenario& scenario) {
        const auto cpus = VirtualMachine(scenario.machine).governed().pool().count();
        int present = 0;
        int most = 1;
        if (scenario.parts == 0)
                for (const auto& [at, change] : comings_and_goings(scenario))
                        most = std::max(most, present += change);
        const auto number = scenario.parts > 0 ? scenario.parts : static_cast<std::uint32_t>(most);
        return std::clamp(number, 1U, std::max(cpus, 1U));
}

std::function<Decide> begin_parts(const Scenario& scenario) {
        return Parts(number_of_parts(scenario));
}

}  // namespace simulation
