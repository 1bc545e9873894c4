// SPDX-License-Identifier: MIT
// One mapping holds the cells of all queues.
#include "queues.hpp"

#include <bit>

namespace threadcount::pool {

namespace {

std::size_t bytes_for_lane(std::size_t capacity, std::size_t forks) {
        return ZeroMemory::bytes_for<Queues::TaskDeque::Slot>(capacity) +
               ZeroMemory::bytes_for<Queues::TaskRing::Cell>(capacity) +
               ZeroMemory::bytes_for<ForkDeque::Slot>(forks);
}

}  // namespace

Queues::LaneQueues::LaneQueues(ZeroMemory& memory, std::size_t capacity)
        : local(memory.take<TaskDeque::Slot>(capacity), capacity),
          addressed(memory.take<TaskRing::Cell>(capacity), capacity),
          forks(memory.take<ForkDeque::Slot>(kForks), kForks) {}

Queues::Queues(std::size_t lanes, std::size_t capacity, std::size_t lane_capacity)
        : memory_(ZeroMemory::bytes_for<TaskRing::Cell>(TaskRing::cells_for(capacity)) +
                  lanes * bytes_for_lane(std::bit_ceil(lane_capacity), kForks)),
          shared_(memory_.take<TaskRing::Cell>(TaskRing::cells_for(capacity)), capacity) {
        shared_.touch();
        lanes_.reserve(lanes);
        for (std::size_t lane = 0; lane < lanes; lane++)
                lanes_.push_back(
                        std::make_unique<LaneQueues>(memory_, std::bit_ceil(lane_capacity)));
}

// Relaxed: who sees that the fork has been begun sees `runs`, and who sees what its thief has
// forked, or waits for, afterwards sees that it has ended.
void Queues::run_stolen(std::size_t lane, Fork& fork) noexcept {
        auto& mine = *lanes_[lane];
        const Theft theft(static_cast<std::uint32_t>(lane), ++mine.thefts);
        const auto outer = mine.runs.load(std::memory_order_relaxed);
        mine.runs.store(theft, std::memory_order_relaxed);
        fork.run_stolen(theft);
        mine.runs.store(outer, std::memory_order_relaxed);
}

std::size_t Queues::size() {
        auto sum = shared_.settled_size();
        for (const auto& its : lanes_)
                sum += its->local.size() + its->overflow.size() + its->addressed.settled_size();
        return sum;
}

}  // namespace threadcount::pool
