// SPDX-License-Identifier: MIT
//
// What a run prints: text for people, or one line of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loop.hpp"
#include "options.hpp"

namespace examples {

struct Report {
        std::string_view load;
        std::string_view runtime;
        Options options;
        std::uint64_t work = 0;
        const Measurement& measured;
        std::uint64_t checksum = 0;
        std::string result;  ///< what the load computed, one line
};

[[nodiscard]] std::string report_text(const Report& report);
[[nodiscard]] std::string report_json(const Report& report);

[[nodiscard]] std::string calibration_text(std::uint64_t work);
[[nodiscard]] std::string calibration_json(std::string_view load, std::uint64_t region_us,
                                           std::uint64_t work);

}  // namespace examples
