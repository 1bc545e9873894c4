// SPDX-License-Identifier: MIT
//
// Models how the threads of a program wait for each other, and the cost of that where they lack
// CPUs. README.md says where the numbers come from.
#pragma once

#include "simulation/scenario/scenario.hpp"

namespace simulation {

/// The waiting of one program under one runtime. Costs nothing with Runtime::Free.
class Waiting {
public:
        explicit Waiting(Runtime runtime = Runtime::Free, const Program& program = {});

        /// Part of the pace that the CPU time of a team allows, 0 < result <= 1. A region costs
        /// each of its `threads` `work_s` of CPU time; each gets `share` of a CPU on average.
        /// `alike`: so does every other thread, and all of them always want to run.
        [[nodiscard]] double pace(double work_s, std::uint32_t threads, double share,
                                  bool alike) const;
        /// Threads sleep as soon as they wait, or do what the program says.
        void sleep(bool sleeps) { spins_ = may_spin_ && !sleeps; }
        [[nodiscard]] bool spins() const { return spins_; }
        /// A thread that has nothing to do burns CPU time for so long before it sleeps.
        [[nodiscard]] Time spins_on() const { return spins_ ? spins_on_ : Time{0}; }
        /// Threads that a smaller team does not need end. libomp's spin on before they sleep.
        [[nodiscard]] bool ends_surplus() const { return runtime_ != Runtime::Libomp; }
        /// The part of that time that passes in `span` where a thread gets `share` of a CPU:
        /// libgomp counts its rounds, libomp looks at the clock.
        [[nodiscard]] Time spun(Time span, double share) const;
        /// The time when `left` of it is over.
        [[nodiscard]] Time asleep(Time now, Time left, double share) const;
        /// The extra time of a region whose threads slept before it.
        [[nodiscard]] Time wake() const;

private:
        Runtime runtime_;
        bool may_spin_;
        bool spins_;  // now
        Time spins_on_{0};
};

}  // namespace simulation
