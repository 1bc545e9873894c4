// SPDX-License-Identifier: MIT
//
// The virtual governord: the real registry and policy, and when they are asked, as in the daemon.
#pragma once

#include "registry/agenda.hpp"
#include "registry/arbiter.hpp"
#include "simulation/scenario/scenario.hpp"
#include "simulation/world/process.hpp"

#include <optional>
#include <vector>

namespace simulation {

using governor::policy::fair::Decision;
using governor::registry::Arbiter;
using governor::registry::ProgramId;

/// The policy's clock at a virtual time.
[[nodiscard]] governor::policy::TimePoint time_point(Time at);

/// Who decides.
struct Decider {
        Arbiter::Decide decide = governor::policy::fair::decide;
        /// What the policy is told instead of what the registry says, as `decide` does it: so that
        /// those who watch can know it. nullptr: it is told what the registry says.
        governor::policy::fair::Snapshot (*told)(const governor::policy::fair::Snapshot&) = nullptr;
};

struct Lease {
        ProgramId id{};
        const Process* process = nullptr;
};

/// It samples every period, and decides and reads reports as the daemon's agenda says.
class Governor {
public:
        Governor(const Scenario& scenario, const Decider& decider,
                 const governor::policy::Machine& machine);

        /// Empty: refused. `process` must live until leave().
        std::optional<ProgramId> join(const Process& process,
                                      const governor::registry::Confinement& where, Time now);
        void leave(ProgramId id, Time now);
        void set_machine(const governor::policy::Machine& machine, Time now);

        /// When it has something to do.
        [[nodiscard]] Time next() const;
        [[nodiscard]] bool samples_at(Time now) const { return next_sample_ <= now; }
        /// A reading of the counters, and what threads burned that yield to everybody; a decision
        /// is due then.
        void sample(const governor::policy::Sample& sample, std::uint32_t yielding_millicpu,
                    Time now);
        /// Reads reports, and looks who was stopped, if it is time to. True if a decision is due.
        bool wake(Time now);
        /// Decides; then changed() tells for whom something changed.
        void decide(Time now);
        [[nodiscard]] const std::vector<ProgramId>& changed() const { return changed_; }

        [[nodiscard]] const std::vector<Lease>& leases() const { return leases_; }
        /// nullptr: none, or not granted anything yet.
        [[nodiscard]] const Held* held(ProgramId id) const { return arbiter_.clients().held(id); }
        [[nodiscard]] const Decision& last() const { return arbiter_.last(); }
        /// What a decision now would go by. Good until the next call of anything here.
        [[nodiscard]] governor::policy::fair::Snapshot snapshot(Time now) const;
        /// The same as the policy is told it.
        [[nodiscard]] governor::policy::fair::Snapshot believed(Time now) const;
        [[nodiscard]] const governor::policy::Machine& machine() const { return machine_; }
        /// What its policy says to something else.
        [[nodiscard]] Decision decide_on(const governor::policy::fair::Snapshot& snapshot) const {
                return decider_.decide(settings_, snapshot);
        }

private:
        bool read_reports(Time now);
        bool find_stopped(Time now);

        Time period_;
        governor::policy::fair::Settings settings_;
        Decider decider_;
        governor::policy::Machine machine_;
        governor::evidence::ForeignLoad foreign_;  // as the arbiter's own, for snapshot()
        Arbiter arbiter_;
        governor::registry::Agenda agenda_;
        std::vector<Lease> leases_;  // in the order in which they joined
        std::vector<ProgramId> changed_;
        Time next_sample_{0};
};

}  // namespace simulation
