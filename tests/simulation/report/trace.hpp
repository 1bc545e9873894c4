// SPDX-License-Identifier: MIT
//
// Records a run: when each process lived, its grants, and the CPUs that it ran on.
#pragma once

#include "simulation/world/run.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

using governor::policy::fair::Limit;

struct GrantStep {
        Time at{0};
        std::uint32_t threads = 0;
        CpuMask cpus;
        bool shared = false;
        governor::policy::fair::Reason reason;
};

struct TeamStep {
        Time at{0};
        Phase phase = Phase::Hello;
        bool stopped = false;
        std::uint32_t team = 0;  ///< threads that run: 0 in a sleep, 1 in a serial part
        CpuMask occupied;        ///< what the team was given when its region began
};

/// One process, from its start to its end.
struct Life {
        std::size_t program = 0;  ///< index in Scenario::programs
        std::uint32_t copy = 0;
        std::string name;  ///< of the program; with "/COPY" where there are several
        std::uint32_t user = 0;
        bool governed = false;
        Time started{0};
        std::optional<Time> ended;  ///< empty: alive at the end
        bool finished = false;      ///< all its work is done
        double cpu_s = 0;
        std::vector<GrantStep> grants;  ///< where something changed
        std::vector<TeamStep> teams;    ///< likewise

        /// nullptr: nothing granted by then, or gone.
        [[nodiscard]] const GrantStep* granted(Time at) const;
        [[nodiscard]] const TeamStep* ran(Time at) const;
};

struct DecisionStep {
        Time at{0};
        std::uint32_t cpus = 0;     ///< distributed
        std::uint32_t foreign = 0;  ///< of these, left to others
};

struct Trace {
        std::vector<Life> lives;              ///< in the order of their starts
        std::vector<DecisionStep> decisions;  ///< where one of the two numbers changed
        std::vector<Time> disturbances;       ///< as World::disturbed
        std::uint64_t decisions_taken = 0;
        Time end{0};

        /// nullptr: no such process. `copy` counts from 0.
        [[nodiscard]] const Life* find(std::string_view program, std::uint32_t copy = 0) const;
        /// Threads granted then; 0: none, or not alive.
        [[nodiscard]] std::uint32_t granted(std::string_view program, Time at,
                                            std::uint32_t copy = 0) const;
};

class Recorder final : public Observer {
public:
        void started(const World& world, const Resident& resident) override;
        void ended(const World& world, const Resident& resident) override;
        void decided(const World& world) override;
        void passes(const World& world, Time span) override;
        void over(const World& world) override;

        [[nodiscard]] const Trace& trace() const { return trace_; }
        [[nodiscard]] Trace take() { return std::move(trace_); }

private:
        void note_team(const World& world, const Resident& resident);
        void note_disturbance(const World& world);

        Trace trace_;
        std::map<std::size_t, std::size_t> life_of_;  // by Resident::number
};

/// Runs and records.
[[nodiscard]] Trace record(const Scenario& scenario, RunOptions options = {});

}  // namespace simulation
