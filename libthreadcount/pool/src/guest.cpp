// SPDX-License-Identifier: MIT
// Threads from outside that take part.
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

namespace threadcount::pool {

namespace {

LaneContext as_guest_of(Scheduler& scheduler) {
        const auto guest = scheduler.guest();
        return {scheduler, scheduler.queues().forks(guest), guest};
}

}  // namespace

Guest::Guest(Scheduler& scheduler)
        : context_(as_guest_of(scheduler)), takes_part_(scheduler.enter_guest()) {
        if (!takes_part_)
                return;
        scheduler.steering().keep_up();
        threadcount_this_lane = &context_;
}

Guest::~Guest() {
        if (takes_part_) {
                threadcount_this_lane = context_.outer;
                context_.scheduler->leave_guest();
        }
}

bool Scheduler::run_in_caller(const TaskSource& source) {
        // Counted before it looks: it is either seen by stop(), or sees that.
        visits_.fetch_add(1, std::memory_order_seq_cst);
        const bool is_let_in = !is_closed();
        if (is_let_in) {
                const Visit visit(this, Visit::Awaited::Yes);
                source.make()();
        }
        visits_.fetch_sub(1, std::memory_order_seq_cst);
        tell_of_leaver();
        return is_let_in;
}

// No guest is let in any more, and no lane is there: what the tasks submit comes into the guest's
// queue, which nobody else looks into.
void Scheduler::run_the_rest() {
        const auto context = as_guest_of(*this);
        const AsLane as_guest(context);
        for (auto rest = take_the_rest(); !rest.empty(); rest = take_the_rest())
                for (auto& task : rest)
                        task();
        tell_end();
}

}  // namespace threadcount::pool
