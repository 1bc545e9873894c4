// SPDX-License-Identifier: MIT
//
// The report for programs: bench/simulate draws from it.
#pragma once

#include "simulation/report/run_report.hpp"

#include <string>

namespace simulation {

/// One object: scenario, policy, end_s, cpus, figures {name: number}, failures [text],
/// decisions [{at_s, cpus, foreign}], programs [{name, program, user, governed, started_s,
/// ended_s or null, finished, cpu_s, grants [{at_s, threads, cpus "0-3", shared, limit, share}],
/// teams [{at_s, phase, stopped, threads, cpus}]}].
[[nodiscard]] std::string report_json(const Scenario& scenario, const RunReport& report);

/// One object: scenario, policy, end_s, cpus, figures {name: number}, alone_s {program: seconds or
/// null}, batch [{work_s, law, parameter}] (empty: it is no closed batch), programs [{name,
/// program, started_s, ended_s or null, finished}]. `scenario` as it is before a policy prepares
/// it. Runs each program alone.
[[nodiscard]] std::string brief_json(const Scenario& scenario, const RunReport& report);

}  // namespace simulation
