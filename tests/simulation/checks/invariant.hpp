// SPDX-License-Identifier: MIT
//
// Something that is always true, watched while a run goes on.
#pragma once

#include "simulation/world/world.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

struct Violation {
        Time at{0};
        std::string_view invariant;
        std::string what;  ///< with the numbers

        /// "seed-7 at 12.345 s: INVARIANT: what"
        [[nodiscard]] std::string text(const Scenario& scenario) const;
};

/// The first few of each invariant in a run; the others would say the same.
class Violations {
public:
        static constexpr std::ptrdiff_t kMost = 5;
        void add(Violation violation) {
                if (std::ranges::count(list_, violation.invariant, &Violation::invariant) < kMost)
                        list_.push_back(std::move(violation));
        }
        [[nodiscard]] const std::vector<Violation>& list() const { return list_; }

private:
        std::vector<Violation> list_;
};

class Invariant : public Observer {
public:
        explicit Invariant(Violations& violations) : violations_(violations) {}

protected:
        void violated(const World& world, std::string_view invariant, std::string what) {
                violations_.add({world.now, invariant, std::move(what)});
        }

private:
        Violations& violations_;
};

/// "program3/2", and its number where that is not enough.
[[nodiscard]] std::string name_of(const Resident& resident);

/// It follows its grants, tells the truth, and its regions end.
[[nodiscard]] inline bool is_honest(const Resident& resident) {
        return resident.process->program().behaviour == Behaviour::Honest;
}

/// It can always use one CPU more.
[[nodiscard]] bool is_hungry(const Resident& resident);

/// It has not lived Settings::newcomer yet.
[[nodiscard]] bool is_young(const World& world, const Resident& resident);

/// It may run on more than it is granted now for longer than Settings::handover_max, or says so.
[[nodiscard]] bool may_be_rigid(const World& world, const Resident& resident);

/// Some program is so.
[[nodiscard]] bool may_be_rigid(const World& world);

/// No cpuset, no mask: every client may use all of the pool.
[[nodiscard]] bool all_may_run_everywhere(const World& world);

/// Things may be on their way to where they should be for this long.
[[nodiscard]] Time settling_time(const World& world);

}  // namespace simulation
