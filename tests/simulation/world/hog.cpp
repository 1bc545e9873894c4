// SPDX-License-Identifier: MIT
// On, off, on, off.
#include "simulation/world/hog.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

Hog::Hog(const Foreign& foreign, CpuMask allowed, bool idle)
        : foreign_(&foreign), allowed_(std::move(allowed)), idle_(idle || foreign.idle),
          next_(foreign.start) {}

void Hog::step(Time now) {
        while (next_ <= now) {
                const bool pulses = foreign_->on.count() > 0 && foreign_->off.count() > 0;
                if (next_ >= foreign_->end) {
                        busy_ = false;
                        next_ = kNever;
                        return;
                }
                busy_ = !busy_;
                const auto change =
                        pulses ? next_ + (busy_ ? foreign_->on : foreign_->off) : kNever;
                next_ = std::min(change, foreign_->end);
        }
}

std::optional<Threads> Hog::threads() const {
        if (!busy_)
                return std::nullopt;
        Threads threads;
        threads.cpus = allowed_;
        threads.count = foreign_->threads;
        threads.weight = idle_ ? idle_weight() : nice_weight(foreign_->nice);
        threads.niced = foreign_->nice > 0;
        threads.foreign = !idle_;
        threads.cgroup = foreign_->cgroup;
        return threads;
}

}  // namespace simulation
