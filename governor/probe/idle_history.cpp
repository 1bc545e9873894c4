// SPDX-License-Identifier: MIT
// The sliding window over readings of /proc/stat.
#include "probe/idle_history.hpp"

#include "policy/permyriad.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace governor::probe {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

const CpuTicks* find(const StatReading& reading, std::uint32_t cpu) {
        const auto it = std::ranges::lower_bound(reading.cpus, cpu, {}, &CpuTicks::cpu);
        return it != reading.cpus.end() && it->cpu == cpu ? &*it : nullptr;
}

std::uint64_t growth(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

std::uint32_t permyriad(double part, double whole) {
        return static_cast<std::uint32_t>(std::clamp(part / whole, 0.0, 1.0) * policy::kPermyriad +
                                          0.5);
}

}  // namespace

milliseconds IdleHistory::window(milliseconds period) { return std::max(period, kShortest); }

/// Timers are late by some milliseconds: a window a little too short is full all the same.
milliseconds IdleHistory::full_enough(milliseconds period) const {
        return std::max(period, shortest_) * 9 / 10;
}

void IdleHistory::forget() {
        readings_.clear();
        last_.clear();
        sample_.warming_up = true;
        for (auto& cpu : sample_.cpus)
                cpu = {cpu.cpu, std::nullopt, 0};
}

bool IdleHistory::add(StatReading reading, TimePoint now, milliseconds period) {
        if (!readings_.empty() && readings_.back().reading.list_ended && !reading.list_ended)
                return false;
        if (readings_.empty() && base_ == TimeBase::Ticks)
                readings_.push_back({StatReading{}, now});
        readings_.push_back({std::move(reading), now});

        const bool by_wall = base_ == TimeBase::Wall;
        while (readings_.size() > 2 && (!by_wall || now - readings_[1].at >= full_enough(period)))
                readings_.pop_front();

        update_ratios(readings_.front(), readings_.back());
        if (!by_wall || now - readings_.front().at >= full_enough(period))
                sample_.warming_up = false;
        return true;
}

std::optional<IdleHistory::Ratios>
IdleHistory::ratios(const CpuTicks* before, const CpuTicks& after, nanoseconds elapsed) const {
        if (before == nullptr && base_ == TimeBase::Wall)
                return std::nullopt;
        const auto from = before != nullptr ? *before : CpuTicks{};
        if (after.total <= from.total || after.idle < from.idle)
                return std::nullopt;
        const auto idle = after.idle - from.idle + growth(from.iowait, after.iowait);
        const double elapsed_ticks = base_ == TimeBase::Ticks
                                             ? static_cast<double>(after.total - from.total)
                                             : std::chrono::duration<double>(elapsed).count() *
                                                       static_cast<double>(ticks_per_second_);
        if (elapsed_ticks <= 0)
                return std::nullopt;
        const auto idle_part = permyriad(static_cast<double>(idle), elapsed_ticks);
        const auto busy_part = [&](std::uint64_t before_it, std::uint64_t after_it) {
                const auto ticks = static_cast<double>(growth(before_it, after_it));
                return std::min(permyriad(ticks, elapsed_ticks), policy::kPermyriad - idle_part);
        };
        return Ratios{idle_part, busy_part(from.nice, after.nice),
                      busy_part(from.stolen, after.stolen)};
}

std::optional<IdleHistory::Ratios> IdleHistory::last_of(std::uint32_t cpu) const {
        const auto it = std::ranges::lower_bound(last_, cpu, {}, &Known::cpu);
        return it != last_.end() && it->cpu == cpu ? std::optional(it->ratios) : std::nullopt;
}

void IdleHistory::update_ratios(const TimedReading& from, const TimedReading& to) {
        std::vector<Known> known;
        known.reserve(to.reading.cpus.size());
        sample_.cpus.clear();
        for (const auto& ticks : to.reading.cpus) {
                auto measured = ratios(find(from.reading, ticks.cpu), ticks, to.at - from.at);
                if (!measured)
                        measured = last_of(ticks.cpu);
                policy::CpuIdle cpu{ticks.cpu, std::nullopt, 0};
                if (measured) {
                        known.push_back({ticks.cpu, *measured});
                        cpu.idle_permyriad = measured->idle_permyriad;
                        cpu.nice_permyriad = measured->nice_permyriad;
                        cpu.stolen_permyriad = measured->stolen_permyriad;
                }
                sample_.cpus.push_back(cpu);
        }
        last_ = std::move(known);
}

milliseconds IdleHistory::warm_in(TimePoint now, milliseconds period) const {
        if (!sample_.warming_up)
                return milliseconds{0};
        const auto since = readings_.empty() ? nanoseconds{0} : now - readings_.front().at;
        return std::max(milliseconds{1}, std::chrono::ceil<milliseconds>(window(period) - since));
}

}  // namespace governor::probe
