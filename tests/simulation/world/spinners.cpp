// SPDX-License-Identifier: MIT
// Group by group.
#include "simulation/world/spinners.hpp"

#include <algorithm>

namespace simulation {

std::uint32_t Spinners::count() const {
        std::uint32_t threads = 0;
        for (const auto& group : groups_)
                threads += group.threads;
        return threads;
}

Time Spinners::least() const { return std::ranges::min(groups_, {}, &Group::left).left; }

void Spinners::add(std::uint32_t threads, Time left) {
        if (threads > 0)
                groups_.push_back({threads, left});
}

void Spinners::take(std::uint32_t threads) {
        while (threads > 0 && !groups_.empty()) {
                auto& last = groups_.back();
                const auto taken = std::min(threads, last.threads);
                threads -= taken;
                last.threads -= taken;
                if (last.threads == 0)
                        groups_.pop_back();
        }
}

void Spinners::advance(Time span) {
        for (auto& group : groups_)
                group.left -= span;
}

bool Spinners::sleep() {
        return std::erase_if(groups_, [](const Group& group) { return group.left.count() <= 0; }) >
               0;
}

}  // namespace simulation
