// SPDX-License-Identifier: MIT
// Threads from outside that take part.
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

namespace threadcount::pool {

namespace {

LaneContext as_guest_of(Scheduler& scheduler, const LaneContext& before) {
        const auto guest = scheduler.guest();
        return {&scheduler, &scheduler.queues().forks(guest), static_cast<std::uint32_t>(guest),
                &before};
}

}  // namespace

Guest::Guest(Scheduler& scheduler) : before_(this_lane), takes_part_(scheduler.enter_guest()) {
        if (!takes_part_)
                return;
        scheduler.steering().keep_up();
        this_lane = as_guest_of(scheduler, before_);
}

Guest::~Guest() {
        if (takes_part_) {
                auto& scheduler = *this_lane.scheduler;
                this_lane = before_;
                scheduler.leave_guest();
        }
}

// No guest is let in any more, and no lane is there: what the tasks submit comes into the guest's
// queue, which nobody else looks into.
void Scheduler::run_the_rest() {
        struct Restored {
                const LaneContext before = this_lane;
                ~Restored() { this_lane = before; }
        } restored;
        this_lane = as_guest_of(*this, restored.before);
        for (auto rest = take_the_rest(); !rest.empty(); rest = take_the_rest())
                for (auto& task : rest)
                        task();
}

}  // namespace threadcount::pool
