// SPDX-License-Identifier: MIT
//
// Foreign threads, which burn CPU time now and then.
#pragma once

#include "simulation/scenario/scenario.hpp"
#include "simulation/world/kernel.hpp"

#include <optional>

namespace simulation {

class Hog {
public:
        /// `allowed`: cpuset and taskset. `foreign` must outlive this.
        Hog(const Foreign& foreign, CpuMask allowed, bool idle);

        [[nodiscard]] const Foreign& foreign() const { return *foreign_; }
        [[nodiscard]] bool busy() const { return busy_; }
        /// It yields to all others: it runs only where nobody else wants to.
        [[nodiscard]] bool yields() const { return idle_; }
        /// The time when it begins or stops being busy.
        [[nodiscard]] Time next() const { return next_; }
        void step(Time now);
        [[nodiscard]] std::optional<Threads> threads() const;

private:
        const Foreign* foreign_;
        CpuMask allowed_;
        bool idle_;
        bool busy_ = false;
        Time next_;
};

}  // namespace simulation
