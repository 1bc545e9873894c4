// SPDX-License-Identifier: MIT
// Side by side or one after the other.
#include "policy/fair/efficient_width.hpp"

#include <algorithm>
#include <cmath>

namespace governor::policy::fair {

std::uint32_t efficient_width(std::uint32_t cpus, std::size_t gangs, std::uint32_t knee,
                              std::uint32_t enough) {
        if (knee == 0 || gangs == 0)
                return cpus;
        const double best =
                std::round(std::sqrt(double{1} * cpus * knee / static_cast<double>(gangs)));
        const double most = cpus;
        const auto pays = static_cast<std::uint32_t>(std::clamp(best, 1.0, std::max(most, 1.0)));
        return std::min(std::max(pays, enough), cpus);
}

std::uint32_t efficient_width_without_end(std::uint32_t cpus, std::size_t gangs, std::uint32_t knee,
                                          std::uint32_t enough) {
        if (knee == 0 || gangs == 0)
                return cpus;
        const auto part = static_cast<std::uint32_t>(std::max<std::size_t>(cpus / gangs, 1));
        const auto pays = efficient_width(cpus, gangs, knee, 0);
        return std::min(std::max(std::min(part, pays), enough), cpus);
}

}  // namespace governor::policy::fair
