// SPDX-License-Identifier: MIT
// Numbers with their units.
#include "render/region_times.hpp"

#include <cstdio>
#include <iterator>

namespace ctl::render {

namespace {

using governor::v1::RegionTime;

std::string team(const RegionTime& time) {
        const auto from = std::to_string(time.team_from());
        if (time.team_to() == 0)
                return from + " or more threads";
        if (time.team_to() == time.team_from())
                return from + (time.team_from() == 1 ? " thread" : " threads");
        return from + "-" + std::to_string(time.team_to()) + " threads";
}

}  // namespace

std::string region_time(std::uint64_t ns) {
        static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
        auto value = static_cast<double>(ns);
        std::size_t unit = 0;
        // A value that would be rounded to a digit more counts as that.
        for (; value >= 999.5 && unit + 1 < std::size(kUnits); unit++)
                value /= 1000;
        const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
        char text[48];
        std::snprintf(text, sizeof(text), "%.*f %s", decimals, value, kUnits[unit]);
        return text;
}

std::string region_times(const governor::v1::Explanation& explanation) {
        std::string text;
        for (const auto& time : explanation.region_time())
                text += (text.empty() ? "" : ", ") + team(time) + " " +
                        region_time(time.mean_ns()) + " (" + std::to_string(time.count()) + ")";
        return text;
}

}  // namespace ctl::render
