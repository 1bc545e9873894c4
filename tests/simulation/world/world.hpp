// SPDX-License-Identifier: MIT
//
// The virtual world as it is at one moment, and the observers that may watch it.
#pragma once

#include "evidence/short_lived.hpp"
#include "simulation/scenario/scenario.hpp"
#include "simulation/world/decider.hpp"
#include "simulation/world/facts.hpp"
#include "simulation/world/hog.hpp"
#include "simulation/world/process.hpp"
#include "simulation/world/virtual_machine.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace simulation {

/// A process that is alive.
struct Resident {
        std::size_t number = 0;  ///< counts all that ever started, from 0
        std::unique_ptr<Process> process;
        std::optional<ProgramId> client;     ///< empty: not governed
        std::optional<ProgramId> tree = {};  ///< the client that holds its tree; empty: it has none
};

struct World {
        /// `deciding` is called before each decision.
        World(const Scenario& a_scenario, const Decider& a_decider, std::function<void()> deciding);
        World(const World&) = delete;
        World& operator=(const World&) = delete;

        const Scenario& scenario;
        Time now{0};
        VirtualMachine machine;
        Decider decider;
        std::function<Decide> decide;  ///< `decider`, as it decides in this run
        Facts facts;
        governor::registry::Cycle cycle;  ///< the daemon's own
        std::vector<Resident> residents;  ///< in the order in which they started
        std::vector<Hog> hogs;
        std::vector<CpuMask> cpusets;  ///< effective, by control group
        double foreign_rate = 0;       ///< CPUs that hogs use now
        /// CPUs that foreign load uses now: these but those that are niced or yield to all others,
        /// and processes that are not governed.
        double foreign_load = 0;
        /// The burn of clients that were gone at once.
        std::map<std::uint32_t, governor::evidence::ShortLived> short_lived;  // by user

        /// Something outside of the governor changed last then: a process came, went, was stopped
        /// or went on, foreign load or CPUs came or went.
        Time disturbed{0};
        /// The same for foreign load, what is not governed, and CPUs alone; kNever: not yet.
        Time foreign_disturbed = kNever;

        /// nullptr: it has no lease, or was not granted anything yet.
        [[nodiscard]] const Held* held(const Resident& resident) const;
        /// It takes its turns with all of its tree.
        [[nodiscard]] bool turns_with_tree(const Resident& resident) const;
        /// And waits, and runs on what nobody else wants.
        [[nodiscard]] bool yields(const Resident& resident) const {
                return turns_with_tree(resident) && held(resident) != nullptr &&
                       held(resident)->grant.parked;
        }
        [[nodiscard]] const governor::policy::fair::Decision& last() const {
                return cycle.arbiter().last();
        }
        /// The machine as the governor knows it: it learns at the next sample that CPUs came or
        /// went.
        [[nodiscard]] const governor::policy::Machine& known() const {
                return cycle.arbiter().machine();
        }
        /// The snapshot that a decision now would go by. Valid until something changes.
        [[nodiscard]] governor::policy::fair::Snapshot snapshot() const {
                return cycle.arbiter().snapshot(time_point(now));
        }
        /// The same as the policy is told it.
        [[nodiscard]] governor::policy::fair::Snapshot believed() const {
                return decider.told != nullptr ? decider.told(snapshot()) : snapshot();
        }
        /// The policy's decision on another snapshot.
        [[nodiscard]] governor::policy::fair::Decision
        decide_on(const governor::policy::fair::Snapshot& of) const {
                return decider.decide(scenario.governor.fair, of);
        }
};

/// Is told what happens, while it happens.
class Observer {
public:
        Observer() = default;
        Observer(const Observer&) = delete;
        Observer& operator=(const Observer&) = delete;
        virtual ~Observer() = default;

        virtual void started(const World&, const Resident&) {}
        /// It is still in World::residents, and no longer known to the governor.
        virtual void ended(const World&, const Resident&) {}
        /// The governor is about to decide by World::snapshot().
        virtual void deciding(const World&) {}
        /// It has decided.
        virtual void decided(const World&) {}
        /// Nothing changes until World::now + span; Process::rate() holds for all of it.
        virtual void passes(const World&, Time) {}
        virtual void over(const World&) {}
};

}  // namespace simulation
