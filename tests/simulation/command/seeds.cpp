// SPDX-License-Identifier: MIT
// A line for each mistake.
#include "simulation/command/seeds.hpp"

#include "simulation/checks/invariants.hpp"
#include "simulation/scenario/generator.hpp"

#include <cinttypes>
#include <cstdio>

namespace simulation {

int run_seeds(const SeedRange& seeds, const NamedPolicy& policy) {
        std::uint64_t broken = 0;
        for (auto seed = seeds.first; seed <= seeds.last; seed++) {
                const auto texts = broken_invariants(random_scenario(seed), policy.decide);
                if (texts.empty())
                        continue;
                broken++;
                std::printf("%s\n    simulate --seed %" PRIu64 " --timeline\n",
                            texts.front().c_str(), seed);
        }
        std::printf("%" PRIu64 " scenarios, %" PRIu64 " broken\n", seeds.last - seeds.first + 1,
                    broken);
        return broken == 0 ? kExitOk : kExitFailed;
}

int run_until_broken(const SeedRange& seeds, const NamedPolicy& policy) {
        for (auto seed = seeds.first; seed <= seeds.last; seed++) {
                const auto scenario = random_scenario(seed);
                const auto texts = broken_invariants(scenario, policy.decide);
                if (texts.empty() ||
                    !broken_invariants(scenario, policies().front().decide).empty())
                        continue;
                std::printf("found: %s\n", texts.front().c_str());
                return kExitOk;
        }
        std::printf("no invariant notices that `%.*s` is wrong: %.*s\n",
                    static_cast<int>(policy.name.size()), policy.name.data(),
                    static_cast<int>(policy.meaning.size()), policy.meaning.data());
        return kExitFailed;
}

}  // namespace simulation
