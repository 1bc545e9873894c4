// SPDX-License-Identifier: MIT
// Busy time is shared out among those who burned it; the rest is foreign.
#include "evidence/foreign_load.hpp"

#include "policy/permyriad.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <utility>

namespace governor::evidence {

namespace {

using policy::kPermyriad;
using policy::fair::sum;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kPastSpacing{500};
constexpr float kMillicpu = 1000;
constexpr float kNoise = kMillicpu / 2;  // no CPU is left to it
constexpr float kLasting = 2.0F / 3;     // barriers, compilers and disks make loads dip

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
};

/// Smallest sets first: a client that may run anywhere must not be charged for the busy time of a
/// CPU that another one is bound to.
std::vector<Claim> claims(std::span<const Burn> burns) {
        std::vector<Claim> sorted;
        sorted.reserve(burns.size());
        for (const auto& burn : burns) {
                const auto amount = static_cast<float>(burn.millicpu);
                sorted.push_back({&burn.cpus, burn.cpus.count(), burn.niced ? 0 : amount,
                                  burn.niced ? amount : 0});
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
        }
        return merged;
}

/// Sets of CPUs that hang together by overlaps, and what their claims did not find. Which CPUs of
/// its set a claim was for is guessed: where another one's was guessed wrong, one finds too little
/// in its own set, and as much is too much elsewhere.
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

Foreign::PerCpu ForeignLoad::measure(const Sample& sample, std::span<const Burn> clients) {
        const std::size_t size = sample.cpus.empty() ? 0 : std::size_t{sample.cpus.back().cpu} + 1;
        Foreign::PerCpu plain(size);
        Foreign::PerCpu niced(size);
        for (const auto& cpu : sample.cpus) {
                const auto busy = kMillicpu - millicpu(cpu.idle_permyriad.value_or(kPermyriad));
                niced[cpu.cpu] = std::min(busy, millicpu(cpu.nice_permyriad));
                plain[cpu.cpu] = busy - niced[cpu.cpu];
        }
        // The kernel's split is not quite that of the clients: system time is never niced, and one
        // thread may be niced by itself. What does not fit the one kind is taken from the other.
        std::vector<Component> components;
        for (const auto& claim : claims(clients)) {
                const auto niced_left = take(niced, *claim.cpus, claim.niced);
                const auto plain_left = take(plain, *claim.cpus, claim.plain);
                const auto missing =
                        take(plain, *claim.cpus, niced_left) + take(niced, *claim.cpus, plain_left);
                add_claim(components, *claim.cpus, missing);
        }
        for (const auto& [cpus, missing] : components)
                take(plain, cpus, missing);
        return plain;
}

void ForeignLoad::add(const Sample& sample, std::span<const Burn> clients, const CpuMask& pool,
                      TimePoint now) {
        if (sample.warming_up)
                return;
        auto measured = measure(sample, clients);
        auto& smoothed = seen_.now.smoothed;
        if (seen_.past.empty()) {
                smoothed = measured;
        } else {
                // A low-pass filter of first order (backward Euler): stable for any step, and
                // close to 1 - exp(-step / time constant) for small ones.
                const duration<float> step = std::max(now - seen_.now.at, TimePoint::duration{});
                const auto part = step / (step + duration<float>(kSmoothing));
                smoothed.resize(std::max(smoothed.size(), measured.size()));
                for (std::size_t cpu = 0; cpu < smoothed.size(); cpu++)
                        smoothed[cpu] += part * ((cpu < measured.size() ? measured[cpu] : 0) -
                                                 smoothed[cpu]);
        }
        seen_.now.measured = std::move(measured);
        seen_.now.at = now;
        while (!seen_.past.empty() && seen_.past.front().at + kHold < now)
                seen_.past.pop_front();
        if (seen_.past.empty() || now - seen_.past.back().at >= kPastSpacing)
                seen_.past.push_back(seen_.now);
        look_for_return(pool);
        look_for_end(pool);
}

// Not smoothed: a return is to be known before much of it is given room to again.
void ForeignLoad::look_for_return(const CpuMask& pool) {
        if (!end_)
                return;
        const bool is_back = sum(seen_.now.measured, pool) >= kLasting * end_->peak;
        if (!is_back && seen_.now.at - end_->at <= kHold)
                return;
        comes_and_goes_ = is_back;
        end_.reset();
}

void ForeignLoad::look_for_end(const CpuMask& pool) {
        const auto peak = static_cast<float>(seen_.held_millicpu(pool));
        if (peak <= kNoise || seen_.now.on(pool) >= kLasting * peak) {
                low_since_.reset();
                return;
        }
        if (!low_since_)
                low_since_ = seen_.now.at;
        if (seen_.now.at - *low_since_ < kEnd || (end_ && comes_and_goes_))
                return;
        end_ = {*low_since_, peak};
        if (comes_and_goes_)
                return;
        seen_.now.smoothed = seen_.now.measured;
        seen_.past = {seen_.now};
        low_since_.reset();
}

}  // namespace governor::evidence
