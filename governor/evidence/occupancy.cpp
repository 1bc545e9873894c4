// SPDX-License-Identifier: MIT
// Epochs of grants against epochs of regions.
#include "evidence/occupancy.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <utility>

namespace governor::evidence {

void Occupancy::remember_former() {
        if (held_.epoch == 0)
                return;
        former_.push_back({held_.epoch, held_.grant.threads, own_cpus()});
        if (former_.size() <= kFormer)
                return;
        // The one that the present region is known to go by stays as it is.
        const auto oldest = former_.begin() + (former_of_region() == &former_.front() ? 1 : 0);
        const auto next = oldest + 1;
        next->cpus |= oldest->cpus;
        next->threads = std::max(next->threads, oldest->threads);
        former_.erase(oldest);
}

std::chrono::nanoseconds Occupancy::allowed(TimePoint now) const {
        if (held_.epoch == 0 || now <= allowed_at_)
                return allowed_;
        return allowed_ + (now - allowed_at_) * (held_.grant.threads + lingering_.count());
}

/// Before what it is allowed changes.
void Occupancy::count_allowed(TimePoint now) {
        allowed_ = allowed(now);
        allowed_at_ = std::max(allowed_at_, now);
}

bool Occupancy::grant(const policy::fair::Grant& grant, TimePoint now) {
        count_allowed(now);
        const bool same = held_.epoch != 0 && held_.grant.threads == grant.threads &&
                          held_.grant.cpus == grant.cpus && held_.grant.shared == grant.shared &&
                          held_.grant.parked == grant.parked &&
                          held_.grant.crowded == grant.crowded;
        if (!same) {
                remember_former();
                held_.epoch++;
                held_.since = now;
        }
        if (grant.parked && !held_.grant.parked)
                excess_ = 0;  // that of before: a reading will tell
        held_.grant = grant;
        update(now, now);
        return !same;
}

Occupancy::Effect Occupancy::report(const Report& report, std::uint32_t most, TimePoint now) {
        count_allowed(now);
        const bool was_in_the_way = is_in_the_way();
        const auto before = std::exchange(report_, report);
        stopped_ = stopped_ && report.regions == before.regions;
        if (report_.epoch > held_.epoch)
                report_.epoch = 0;
        report_.team = std::min(report.team, most);
        // A region goes by the newest grant of its beginning: the next one by none before it.
        const auto oldest = report_.in_region ? report_.epoch : held_.epoch;
        std::erase_if(former_, [oldest](const Former& former) { return former.epoch < oldest; });
        update(now, now);
        return {was_in_the_way && !is_in_the_way(), report_.regions != before.regions};
}

void Occupancy::set_stopped(bool stopped, TimePoint now) {
        if (stopped == stopped_)
                return;
        count_allowed(now);
        stopped_ = stopped;
        update(now, now);
}

void Occupancy::set_yields(bool yields, TimePoint now) {
        if (yields == yields_)
                return;
        count_allowed(now);
        yields_ = yields;
        update(now, now);
}

void Occupancy::burned(std::uint32_t cpus, std::uint32_t excess, TimePoint since, TimePoint now) {
        excess_ = excess;
        update(std::max(since, held_.since), now);
        burning_ = cpus;
}

const Occupancy::Former* Occupancy::former_of_region() const {
        if (!report_.in_region || report_.epoch == held_.epoch || former_.empty())
                return nullptr;
        const auto found = std::ranges::find_if(
                former_, [this](const Former& former) { return former.epoch >= report_.epoch; });
        return found != former_.end() ? &*found : nullptr;
}

// A CPU that was another program's all the time is not given back.
policy::CpuMask Occupancy::own_cpus() const {
        return held_.is_own() ? held_.grant.cpus : policy::CpuMask{};
}

policy::CpuMask Occupancy::in_use() const {
        if (!report_.in_region || held_.epoch == 0 || occupies_nothing())
                return {};
        if (const auto* former = former_of_region())
                return former->cpus;
        return own_cpus();
}

bool Occupancy::is_in_the_way() const {
        const auto* former = former_of_region();
        return former != nullptr && !former->cpus.empty() && !occupies_nothing() &&
               !(held_.is_own() && former->cpus.is_within(held_.grant.cpus));
}

std::uint32_t Occupancy::knows_of() const {
        const auto* former = former_of_region();
        return former != nullptr ? former->threads : held_.epoch != 0 ? held_.grant.threads : 0;
}

void Occupancy::update(TimePoint burning_since, TimePoint now) {
        const auto* former = former_of_region();
        const bool may_linger = former != nullptr && !occupies_nothing();
        lingering_ = may_linger ? former->cpus - held_.grant.cpus : policy::CpuMask{};
        if (is_in_the_way())
                lingers_since_ = lingers_since_.value_or(now);
        else
                lingers_since_.reset();
        const bool unfinished =
                !occupies_nothing() &&
                (!lingering_.empty() || (report_.in_region && report_.team > held_.grant.threads));
        const bool is_let = (yields_ || waits_) && held_.grant.parked;
        if (held_.epoch == 0 || is_let || (!unfinished && excess_ == 0))
                above_since_.reset();
        else if (!above_since_)
                above_since_ = unfinished ? now : burning_since;
}

}  // namespace governor::evidence
