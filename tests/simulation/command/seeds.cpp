// SPDX-License-Identifier: MIT
// A line for each mistake.
#include "simulation/command/seeds.hpp"

#include "simulation/checks/invariants.hpp"
#include "simulation/scenario/generator.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

namespace simulation {

namespace {

/// The policy as an argument of simulate, empty for the real one.
std::string option_of(const NamedPolicy& policy) {
        return policy.name == policies().front().name ? ""
                                                      : " --policy " + std::string(policy.name);
}

/// "invariant (seeds), invariant (seeds)"
std::string counted(const std::map<std::string_view, std::uint64_t>& seeds_of) {
        std::string text;
        for (const auto& [invariant, seeds] : seeds_of)
                text += (text.empty() ? "" : ", ") + std::string(invariant) + " (" +
                        std::to_string(seeds) + ")";
        return text.empty() ? "none" : text;
}

}  // namespace

int run_seeds(const SeedRange& seeds, const NamedPolicy& policy) {
        std::uint64_t broken = 0;
        for (auto seed = seeds.first; seed <= seeds.last; seed++) {
                const auto scenario = policy.prepared(random_scenario(seed));
                const auto violations = broken_invariants(scenario, policy.decider);
                if (violations.empty())
                        continue;
                broken++;
                std::printf("%s\n    simulate --seed %" PRIu64 "%s --timeline\n",
                            violations.front().text(scenario).c_str(), seed,
                            option_of(policy).c_str());
        }
        std::printf("%" PRIu64 " scenarios, %" PRIu64 " broken\n", seeds.last - seeds.first + 1,
                    broken);
        return broken == 0 ? kExitOk : kExitFailed;
}

int run_until_broken(const SeedRange& seeds, const NamedPolicy& policy) {
        std::map<std::string_view, std::uint64_t> others;
        for (auto seed = seeds.first; seed <= seeds.last; seed++) {
                const auto scenario = policy.prepared(random_scenario(seed));
                const auto violations = broken_invariants(scenario, policy.decider);
                const auto found =
                        std::ranges::find(violations, policy.caught_by, &Violation::invariant);
                if (!violations.empty() && found == violations.end())
                        others[violations.front().invariant]++;
                if (found == violations.end() ||
                    !broken_invariants(scenario, policies().front().decider).empty())
                        continue;
                std::printf("found: %s\n", found->text(scenario).c_str());
                return kExitOk;
        }
        const std::string name(policy.name);
        const std::string meaning(policy.meaning);
        const std::string caught_by(policy.caught_by);
        std::printf("`%s` does not notice that `%s` is wrong: %s\nbroken first, without it: %s\n",
                    caught_by.c_str(), name.c_str(), meaning.c_str(), counted(others).c_str());
        return kExitFailed;
}

}  // namespace simulation
