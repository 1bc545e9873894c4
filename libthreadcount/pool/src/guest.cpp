// SPDX-License-Identifier: MIT
// Threads from outside that take part.
#include "crew.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

namespace threadcount::pool {

namespace {

LaneContext as_guest_of(Crew& crew, const LaneContext& before) {
        const auto guest = crew.guest();
        return {&crew, &crew.queues().forks(guest), static_cast<std::uint32_t>(guest), &before};
}

}  // namespace

Guest::Guest(Crew& crew) : before_(this_lane), takes_part_(crew.enter_guest()) {
        if (!takes_part_)
                return;
        crew.steering().keep_up();
        this_lane = as_guest_of(crew, before_);
}

Guest::~Guest() {
        if (takes_part_) {
                auto& crew = *this_lane.crew;
                this_lane = before_;
                crew.leave_guest();
        }
}

// No guest is let in any more, and no lane is there: what the tasks submit comes into the guest's
// queue, which nobody else looks into.
void Crew::run_the_rest() {
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
