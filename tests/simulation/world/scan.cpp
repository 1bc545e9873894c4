// SPDX-License-Identifier: MIT
// CPU time by user, as the probe adds it up.
#include "simulation/world/scan.hpp"

#include "policy/permyriad.hpp"
#include "simulation/world/kernel.hpp"

#include <cmath>
#include <utility>

namespace simulation {

void Scan::advance(Time span, std::span<const Seen> running) {
        const auto passed_s = std::chrono::duration<double>(span).count();
        passed_s_ += passed_s;
        for (const auto& [user, nice, rate] : running) {
                const auto used_s = rate * passed_s;
                if (nice <= 0) {
                        used_[user].plain_s += used_s;
                        continue;
                }
                const auto taken_s = used_s * niced_part(nice);
                used_[user].taken_s += taken_s;
                niced_s_ += used_s;
                taken_s_ += taken_s;
        }
}

governor::evidence::Ungoverned Scan::take() {
        const auto scan = std::exchange(*this, {});
        governor::evidence::Ungoverned found;
        if (scan.passed_s_ <= 0)
                return found;
        const auto millicpu = [&](double used_s) {
                return static_cast<std::uint32_t>(std::lround(used_s / scan.passed_s_ * 1000));
        };
        for (const auto& [user, used] : scan.used_)
                found.owners.push_back({governor::policy::fair::AccountId{user},
                                        millicpu(used.plain_s), millicpu(used.taken_s)});
        if (scan.niced_s_ > 0)
                found.niced_permyriad = static_cast<std::uint32_t>(
                        std::lround(scan.taken_s_ / scan.niced_s_ * governor::policy::kPermyriad));
        return found;
}

}  // namespace simulation
