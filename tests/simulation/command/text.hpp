// SPDX-License-Identifier: MIT
//
// The report for people.
#pragma once

#include "simulation/report/run_report.hpp"

#include <string>

namespace simulation {

/// A line for each program, the figures, and what went wrong.
[[nodiscard]] std::string report_text(const Scenario& scenario, const RunReport& report);

}  // namespace simulation
