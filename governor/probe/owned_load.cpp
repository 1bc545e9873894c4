// SPDX-License-Identifier: MIT
// Owners are remembered from scan to scan: to ask for one costs more than all else.
#include "probe/owned_load.hpp"

#include <algorithm>
#include <array>
#include <sched.h>

namespace governor::probe {

namespace {

// sched_prio_to_weight of the kernel's kernel/sched/core.c, from nice 0 to 19.
constexpr std::array<double, 20> kWeights{1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
                                          110,  87,  70,  56,  45,  36,  29,  23,  18,  15};

bool is_counted(const PidStat& process, const Descendants::Growth& growth) {
        return growth.holder == 0 && process.scheduling_policy != SCHED_IDLE &&
               growth.user_ticks + growth.system_ticks > 0;
}

}  // namespace

double niced_part(std::int32_t nice) {
        const auto weight = kWeights.at(static_cast<std::size_t>(std::clamp(nice, 1, 19)));
        return weight / (weight + kWeights.front());
}

/// Finds the owners of all processes that are counted. Facts about a process are kept as long as it
/// is there.
void OwnedLoad::find_owners(std::span<const PidStat> processes,
                            std::span<const Descendants::Growth> growth, const OwnerOf& owner_of) {
        struct Ask {
                std::uint64_t ticks;
                std::size_t known;
        };
        std::vector<Known> known;
        std::vector<Ask> ask;
        turn_ = (turn_ + 1) % kTurns;
        auto before = known_.begin();
        for (std::size_t i = 0; i < processes.size(); i++) {
                const auto& process = processes[i];
                while (before != known_.end() && before->pid < process.pid)
                        ++before;
                const bool is_known = before != known_.end() && before->pid == process.pid &&
                                      before->started_ticks == process.started_ticks;
                const bool counts = is_counted(process, growth[i]);
                if (!is_known && !counts)
                        continue;
                known.push_back(is_known ? *before : Known{process.pid, process.started_ticks});
                if (counts && (!known.back().is_asked || process.pid % kTurns == turn_))
                        ask.push_back(
                                {growth[i].user_ticks + growth[i].system_ticks, known.size() - 1});
        }
        const auto asked = std::min(ask.size(), kMostAsked);
        std::ranges::partial_sort(ask, ask.begin() + static_cast<std::ptrdiff_t>(asked),
                                  std::greater{}, &Ask::ticks);
        for (std::size_t i = 0; i < asked; i++) {
                auto& process = known[ask[i].known];
                process.owner = owner_of(process.pid);
                process.is_asked = true;
        }
        known_ = std::move(known);
}

void OwnedLoad::count(const PidStat& process, const Descendants::Growth& growth,
                      std::optional<std::uint32_t> owner) {
        const bool is_niced = process.nice > 0;
        const auto niced = is_niced ? static_cast<double>(growth.user_ticks) : 0;
        const auto taken = is_niced ? niced * probe::niced_part(process.nice) : 0;
        niced_ += niced;
        niced_taken_ += taken;
        if (!owner)
                return;
        auto& used = by_owner_[*owner];
        used.ticks += static_cast<double>(growth.system_ticks + (is_niced ? 0 : growth.user_ticks));
        used.niced += taken;
}

void OwnedLoad::add(std::span<const PidStat> processes, std::span<const Descendants::Growth> growth,
                    const OwnerOf& owner_of) {
        find_owners(processes, growth, owner_of);
        by_owner_.clear();
        niced_ = niced_taken_ = 0;
        auto known = known_.begin();
        for (std::size_t i = 0; i < processes.size(); i++) {
                while (known != known_.end() && known->pid < processes[i].pid)
                        ++known;
                if (is_counted(processes[i], growth[i]))
                        count(processes[i], growth[i], known->owner);
        }
}

}  // namespace governor::probe
