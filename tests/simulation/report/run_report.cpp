// SPDX-License-Identifier: MIT
// Expectations are checked against figures and grants.
#include "simulation/report/run_report.hpp"

#include "simulation/checks/invariants.hpp"
#include "simulation/scenario/quantities.hpp"

#include <algorithm>

namespace simulation {

namespace {

std::string place(const Scenario& scenario, std::size_t line) {
        return scenario.name + ":" + std::to_string(line) + ": ";
}

void check_grant(const Scenario& scenario, const ExpectedGrant& expected, const Trace& trace,
                 std::vector<std::string>& failures) {
        bool found = false;
        for (const auto& life : trace.lives) {
                if (scenario.programs[life.program].name != expected.program)
                        continue;
                const auto* step = life.granted(expected.at);
                if (step == nullptr)
                        continue;
                found = true;
                if (!expected.range.contains(step->threads))
                        failures.push_back(place(scenario, expected.line) + life.name +
                                           " was granted " + std::to_string(step->threads) +
                                           " at " + format_time(expected.at) + ", expected " +
                                           format_range(expected.range));
        }
        if (!found)
                failures.push_back(place(scenario, expected.line) + "nobody called " +
                                   expected.program + " was there at " + format_time(expected.at));
}

}  // namespace

std::vector<std::string> unmet(const Scenario& scenario, const Figures& figures,
                               const Trace& trace) {
        std::vector<std::string> failures;
        for (const auto& expected : scenario.expected) {
                const auto known = simulation::figures();
                const auto figure = std::ranges::find(known, expected.figure, &Figure::name);
                const double value = figures.*(figure->value);
                if (!expected.range.contains(value))
                        failures.push_back(place(scenario, expected.line) + expected.figure +
                                           " is " + format_real(value) + ", expected " +
                                           format_range(expected.range));
        }
        for (const auto& expected : scenario.expected_grants)
                check_grant(scenario, expected, trace, failures);
        return failures;
}

RunReport report(const Scenario& scenario, const NamedPolicy& policy, bool is_checked) {
        is_checked = is_checked && !policy.is_baseline;
        RunReport report;
        Recorder recorder;
        Meter meter;
        RunOptions options;
        options.decider = policy.decider;
        Invariants invariants;
        if (is_checked)
                options.observers = invariants.observers();
        options.observers.insert(options.observers.end(), {&recorder, &meter});
        run(scenario, options);
        report.policy = policy.name;
        report.trace = recorder.take();
        report.figures = meter.figures();
        if (!is_checked)
                return report;
        report.failures = unmet(scenario, report.figures, report.trace);
        report.broken.emplace();
        if (!report.failures.empty())
                report.broken->emplace("expectations");
        for (const auto& violation : invariants.violations()) {
                report.failures.push_back(violation.text(scenario));
                report.broken->emplace(violation.invariant);
        }
        return report;
}

}  // namespace simulation
