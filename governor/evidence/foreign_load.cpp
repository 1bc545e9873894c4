// SPDX-License-Identifier: MIT
// Busy time is shared out among those who burned it; the rest is foreign.
#include "evidence/foreign_load.hpp"

#include "policy/numbers.hpp"
#include "policy/permyriad.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <utility>

namespace governor::evidence {

namespace {

using policy::kPermyriad;
using policy::fair::sum;
using std::chrono::duration;

constexpr float kMillicpu = 1000;
constexpr float kNoise = numbers::kNoise * kMillicpu;

float small(const CpuMask& pool) {
        const auto root = static_cast<float>(std::sqrt(static_cast<double>(pool.count())));
        return std::max(numbers::kNoise, numbers::kNoiseOfRoot * root) * kMillicpu;
}

float millicpu(std::uint32_t permyriad) {
        return static_cast<float>(std::min(permyriad, kPermyriad)) * kMillicpu /
               static_cast<float>(kPermyriad);
}

/// Takes `amount` from `load`, from each of `cpus` in proportion. Returns what was not there.
float take(std::vector<float>& load, const CpuMask& cpus, float amount) {
        const auto there = amount > 0 ? sum(load, cpus) : 0;
        if (there <= 0)
                return amount;
        const auto kept = std::max(0.F, 1 - amount / there);
        cpus.for_each([&](std::uint32_t cpu) {
                if (cpu < load.size())
                        load[cpu] *= kept;
        });
        return std::max(0.F, amount - there);
}

/// All burns on one set.
struct Claim {
        const CpuMask* cpus;
        std::uint32_t count;
        float plain;
        float niced;
        float load;
};

/// Smallest sets first: a client that may run anywhere must not be charged for the busy time of a
/// CPU that another one is bound to.
std::vector<Claim> claims(std::span<const Burn> burns) {
        std::vector<Claim> sorted;
        sorted.reserve(burns.size());
        for (const auto& burn : burns) {
                const auto amount = static_cast<float>(burn.millicpu);
                sorted.push_back({&burn.cpus, burn.cpus.count(), burn.niced ? 0 : amount,
                                  burn.niced ? amount : 0, static_cast<float>(burn.load_millicpu)});
        }
        std::ranges::sort(sorted, [](const Claim& a, const Claim& b) {
                return a.count != b.count ? a.count < b.count : *a.cpus < *b.cpus;
        });
        std::vector<Claim> merged;
        for (const auto& claim : sorted) {
                if (merged.empty() || *merged.back().cpus != *claim.cpus) {
                        merged.push_back(claim);
                        continue;
                }
                merged.back().plain += claim.plain;
                merged.back().niced += claim.niced;
                merged.back().load += claim.load;
        }
        return merged;
}

/// Gives `amount` back to where something was taken, in proportion.
void put_back(std::vector<float>& load, const std::vector<float>& before, const CpuMask& cpus,
              float amount) {
        const auto taken = sum(before, cpus) - sum(load, cpus);
        if (amount <= 0 || taken <= 0)
                return;
        const auto part = std::min(1.F, amount / taken);
        cpus.for_each([&](std::uint32_t cpu) {
                if (cpu < load.size())
                        load[cpu] += part * (before[cpu] - load[cpu]);
        });
}

/// Sets of CPUs that hang together by overlaps, and what their claims did not find. The CPUs of its
/// set that a claim was for are guessed. A wrong guess for one claim leaves too little in the set
/// of another, and as much too much elsewhere.
struct Component {
        CpuMask cpus;
        float missing = 0;
};

/// No two of `components` overlap, so they are no more than CPUs. O(components).
void add_claim(std::vector<Component>& components, const CpuMask& cpus, float missing) {
        Component merged{cpus, missing};
        std::erase_if(components, [&merged](const Component& other) {
                if (!other.cpus.intersects(merged.cpus))
                        return false;
                merged.cpus |= other.cpus;
                merged.missing += other.missing;
                return true;
        });
        components.push_back(std::move(merged));
}

}  // namespace

ForeignLoad::Load ForeignLoad::measure(const Sample& sample, std::span<const Burn> clients) const {
        const std::size_t size = sample.cpus.empty() ? 0 : std::size_t{sample.cpus.back().cpu} + 1;
        Foreign::PerCpu plain(size);
        Foreign::PerCpu niced(size);
        Foreign::PerCpu left(size);  // by what is not niced
        for (const auto& cpu : sample.cpus) {
                const auto busy = kMillicpu - millicpu(cpu.idle_permyriad.value_or(kPermyriad));
                niced[cpu.cpu] = std::min(busy, millicpu(cpu.nice_permyriad));
                plain[cpu.cpu] = busy - niced[cpu.cpu];
                left[cpu.cpu] = kMillicpu - plain[cpu.cpu];
        }
        // The kernel's split is not quite that of the clients: system time is never niced, and one
        // thread may be niced by itself. Time that does not fit the one kind is taken from the
        // other.
        std::vector<Component> components;
        const auto busy = plain;
        const auto sorted = claims(clients);
        for (const auto& claim : sorted) {
                const auto niced_left = take(niced, *claim.cpus, claim.niced);
                const auto plain_left = take(plain, *claim.cpus, claim.plain);
                const auto missing =
                        take(plain, *claim.cpus, niced_left) + take(niced, *claim.cpus, plain_left);
                add_claim(components, *claim.cpus, missing);
        }
        for (const auto& [cpus, missing] : components)
                take(plain, cpus, missing);
        for (const auto& claim : sorted)
                put_back(plain, busy, *claim.cpus, claim.load);
        // No task ran then. Last, since the clocks of tasks go on meanwhile under some kernels.
        for (const auto& cpu : sample.cpus)
                plain[cpu.cpu] = std::max(0.F, plain[cpu.cpu] - millicpu(cpu.stolen_permyriad));
        Load load{std::move(plain), 0, 0};
        for (const auto& cpu : sample.cpus) {
                const auto burned = niced[cpu.cpu];
                if (burned <= 0)
                        continue;
                const auto counts = burned * std::min(1.F, niced_part_ * kMillicpu / left[cpu.cpu]);
                load.all[cpu.cpu] += counts;
                load.niced += counts;
                load.niced_burned += burned;
        }
        return load;
}

bool ForeignLoad::add(const Sample& sample, std::span<const Burn> clients, const CpuMask& pool,
                      TimePoint now) {
        if (sample.warming_up)
                return false;
        auto load = measure(sample, clients).all;
        if (limit_ && sum(*limit_, pool) < sum(load, pool))
                load = *limit_;
        const auto total = sum(load, pool);
        last_load_ = load;
        recent_.push_back({now, std::move(load), total});
        while (recent_.size() > 1 && now - recent_.front().at > numbers::kLasting)
                recent_.pop_front();
        follow_cycle(small(pool));
        const auto& least = *std::ranges::min_element(recent_, {}, &Measured::sum);
        if (last_ && (total < last_->least - small(pool) || least.sum > last_->most + small(pool) ||
                      now - fell_at_ >= numbers::kPeriod))
                last_.reset();
        if (last_)
                return believe(last_->load, pool);
        return now - fell_at_ >= numbers::kTickWindow && believe(least.load, pool);
}

void ForeignLoad::catch_sight(std::uint32_t running, const CpuMask& pool) {
        if (recent_.empty() || last_)
                return;
        const auto least = std::ranges::min(recent_, {}, &Measured::sum).sum;
        const auto most = std::max(least, kMillicpu * static_cast<float>(running));
        auto newest = std::move(recent_.back());
        recent_.clear();
        auto load = newest.load;
        take(load, pool, newest.sum - most);
        believe(load, pool);
        recent_.push_back(std::move(newest));
}

void ForeignLoad::limit(const Sample& sample, std::span<const Burn> clients) {
        if (!sample.warming_up)
                limit_ = measure(sample, clients).all;
}

void ForeignLoad::limit_to_last() {
        if (!recent_.empty())
                limit_ = last_load_;
}

void ForeignLoad::attribute(const Sample& sample, std::span<const Burn> clients,
                            const Ungoverned& ungoverned, const CpuMask& pool) {
        if (sample.warming_up)
                return;
        niced_part_ = millicpu(ungoverned.niced_permyriad) / kMillicpu;
        const auto load = measure(sample, clients);
        last_load_ = load.all;
        const auto alone = load.niced_burned * niced_part_;
        const auto crowded = alone > 0 ? load.niced / alone : 1.F;
        std::vector<Foreign::Owned> owned;
        for (const auto& owner : ungoverned.owners) {
                auto now = static_cast<float>(owner.millicpu) +
                           crowded * static_cast<float>(owner.niced_millicpu);
                const auto known =
                        std::ranges::find(seen_.owned, owner.account, &Foreign::Owned::account);
                const bool is_known = known != seen_.owned.end();
                if (is_known && std::abs(now - known->millicpu) <= small(pool))
                        now = known->millicpu;
                if (is_known ? now > 0 : now > small(pool))
                        owned.push_back({owner.account, now});
        }
        seen_.owned = std::move(owned);
}

/// From one fall to the next.
void ForeignLoad::follow_cycle(float small) {
        const auto& [now, load, sum] = recent_.back();
        const duration<float> step = now - added_at_;
        added_at_ = now;
        cycle_.load.resize(std::max(cycle_.load.size(), load.size()));
        for (std::size_t cpu = 0; cpu < load.size(); cpu++)
                cycle_.load[cpu] += load[cpu] * step.count();
        cycle_.least = std::min(cycle_.least, sum);
        cycle_.most = std::max(cycle_.most, sum);
        turn_ = is_falling_ ? std::min(turn_, sum) : std::max(turn_, sum);
        if (std::abs(sum - turn_) <= small)
                return;
        turn_ = sum;
        is_falling_ = !is_falling_;
        if (!is_falling_)
                return;
        const duration<float> whole = now - fell_at_;
        for (auto& cpu : cycle_.load)
                cpu /= whole.count();
        last_.reset();
        if (now - fell_at_ < numbers::kPeriod)
                last_ = std::move(cycle_);
        cycle_ = {{}, sum, sum};
        fell_at_ = now;
}

/// A small change of the sum over `pool` is none. The CPUs that bear the load may change all the
/// same.
bool ForeignLoad::believe(const Foreign::PerCpu& load, const CpuMask& pool) {
        const auto before = sum(seen_.load, pool);
        const auto total = sum(load, pool);
        seen_.load = load;
        if (total < kNoise || std::abs(total - before) > small(pool))
                return (total >= kNoise || before >= kNoise) && total != before;
        pool.for_each([&](std::uint32_t cpu) {
                if (cpu < seen_.load.size())
                        seen_.load[cpu] *= before / total;
        });
        return false;
}

}  // namespace governor::evidence
