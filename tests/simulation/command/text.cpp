// SPDX-License-Identifier: MIT
// Columns of text.
#include "simulation/command/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace simulation {

namespace {

std::string rounded(double value, int digits) {
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "%.*f", digits, value);
        return text.data();
}

using Row = std::vector<std::string>;

/// The first column to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows) {
        std::vector<std::size_t> widths;
        for (const auto& row : rows)
                for (std::size_t c = 0; c < row.size(); c++) {
                        widths.resize(std::max(widths.size(), c + 1));
                        widths[c] = std::max(widths[c], row[c].size());
                }
        std::string text;
        for (const auto& row : rows) {
                for (std::size_t c = 0; c < row.size(); c++) {
                        const std::string gap(widths[c] - row[c].size(), ' ');
                        text += c == 0 ? row[c] + gap : "  " + gap + row[c];
                }
                text += "\n";
        }
        return text;
}

/// Granted threads, over its life.
double mean_grant(const Life& life, Time end) {
        double granted_s = 0;
        for (std::size_t i = 0; i < life.grants.size(); i++) {
                const auto until = i + 1 < life.grants.size() ? life.grants[i + 1].at
                                                              : life.ended.value_or(end);
                granted_s += life.grants[i].threads * in_seconds(until - life.grants[i].at);
        }
        const double lived_s = in_seconds(life.ended.value_or(end) - life.started);
        return lived_s > 0 ? granted_s / lived_s : 0;
}

std::size_t changes(const Life& life) {
        std::size_t count = 0;
        for (std::size_t i = 1; i < life.grants.size(); i++)
                count += life.grants[i].cpus != life.grants[i - 1].cpus ? 1 : 0;
        return count;
}

Row row_of(const Scenario& scenario, std::size_t program, const Trace& trace) {
        double lived_s = 0;
        double cpu_s = 0;
        double granted = 0;
        std::size_t changed = 0;
        std::size_t copies = 0;
        std::size_t finished = 0;
        for (const auto& life : trace.lives) {
                if (life.program != program)
                        continue;
                copies++;
                finished += life.finished ? 1 : 0;
                lived_s += in_seconds(life.ended.value_or(trace.end) - life.started);
                cpu_s += life.cpu_s;
                granted += mean_grant(life, trace.end);
                changed += changes(life);
        }
        const double n = static_cast<double>(std::max<std::size_t>(copies, 1));
        return {scenario.programs[program].name, std::to_string(scenario.programs[program].user),
                std::to_string(copies),          std::to_string(finished),
                rounded(lived_s / n, 2),         rounded(cpu_s / n, 2),
                rounded(granted / n, 2),         rounded(static_cast<double>(changed) / n, 1)};
}

}  // namespace

std::string report_text(const Scenario& scenario, const RunReport& report) {
        std::string text = scenario.name + ", policy " + report.policy + ", " +
                           rounded(in_seconds(report.trace.end), 2) + " s\n\n";
        std::vector<Row> programs{
                {"program", "user", "copies", "done", "time s", "cpu s", "granted", "changes"}};
        for (std::size_t p = 0; p < scenario.programs.size(); p++)
                programs.push_back(row_of(scenario, p, report.trace));
        text += aligned(programs) + "(times, CPUs granted and changes are means of the copies)\n\n";
        std::vector<Row> rows;
        for (const auto& figure : figures())
                rows.push_back({std::string(figure.name),
                                rounded(report.figures.*(figure.value), 3),
                                std::string(figure.meaning)});
        for (const auto& row : rows)
                text += aligned(
                        {{row[0] + std::string(20 - row[0].size(), ' '),
                          std::string(10 - std::min<std::size_t>(10, row[1].size()), ' ') + row[1],
                          row[2]}});
        for (const auto& failure : report.failures)
                text += "FAILED " + failure + "\n";
        return text;
}

}  // namespace simulation
