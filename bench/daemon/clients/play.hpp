// SPDX-License-Identifier: MIT
//
// A scenario of the simulator in real time: the daemon and the library are real, the machine and
// its kernel are the simulator's.
#pragma once

#include "false_machine.hpp"
#include "worker.hpp"

#include "simulation/world/hog.hpp"
#include "simulation/world/kernel.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

/// It plays honest, bound programs, their kills, and foreign threads; the rest of a scenario is
/// ignored. Not thread-safe; the process must have a single thread at the constructor. Functions
/// throw std::runtime_error or std::system_error.
class Play {
public:
        struct Actor {
                const simulation::Program* program = nullptr;
                pid_t pid = -1;
                Desk* desk = nullptr;
                std::int64_t start_ns = 0;  // since the play began
                std::int64_t end_ns = -1;   // of CLOCK_MONOTONIC; -1: there is none yet
                bool finished = false;
                double used_s = 0;       // CPU time
                std::uint32_t seen = 0;  // of its teams
                Team team;               // the last one that was seen
        };

        /// Starts the processes, which wait. Each gets the user of its program if this process is
        /// root's.
        Play(const simulation::Scenario& scenario, std::string governor, std::string root);
        ~Play();
        Play(const Play&) = delete;
        Play& operator=(const Play&) = delete;

        /// Time goes by on the machine while no program runs. Call it about every 10 ms before
        /// run().
        void idle();
        /// Returns when all programs have ended, or at the end of the scenario.
        void run();

        [[nodiscard]] const std::vector<Actor>& actors() const { return actors_; }
        /// The time of run(), of CLOCK_MONOTONIC.
        [[nodiscard]] std::int64_t began_ns() const { return began_ns_; }
        /// Between two looks at the teams.
        [[nodiscard]] std::int64_t longest_tick_ns() const { return longest_tick_ns_; }

private:
        void start(Actor& actor);
        void begin_before(std::int64_t due_ns);
        void kill_due();
        void bury();
        void end(Actor& actor, bool finished);
        void step_hogs();
        bool look(Actor& actor);
        void divide();
        void pass();
        void burn(Actor& actor, double cpus, double span_s, std::int64_t span_ns);
        [[nodiscard]] bool runs(const Actor& actor) const;
        [[nodiscard]] std::int64_t elapsed_ns() const;

        const simulation::Scenario& scenario_;
        std::string governor_;
        FalseMachine machine_;
        simulation::CpuMask all_;
        std::vector<Actor> actors_;  // by their start
        std::size_t begun_ = 0;
        std::vector<simulation::Hog> hogs_;
        simulation::Kernel kernel_;
        std::vector<simulation::Threads> threads_;
        simulation::Division division_;
        bool changed_ = true;  // the division is of other teams
        std::int64_t began_ns_ = 0;
        std::int64_t passed_ns_;
        std::int64_t longest_tick_ns_ = 0;
};

}  // namespace bench
