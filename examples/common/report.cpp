// SPDX-License-Identifier: MIT
//
// Writes the report; the keys of the JSON object are a contract with the programs that
// read it (README.md).
#include "report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace examples {
namespace {

std::string fixed(double value) {
        char text[64];

        std::snprintf(text, sizeof text, "%.3f", value);
        return text;
}

std::string hex(std::uint64_t value) {
        char text[17];

        std::snprintf(text, sizeof text, "%016" PRIx64, value);
        return text;
}

std::string quoted(std::string_view text) {
        std::string quoted_text = "\"";

        for (const char c : text) {
                if (c == '"' || c == '\\') {
                        quoted_text += '\\';
                        quoted_text += c;
                } else if (static_cast<unsigned char>(c) < 0x20) {
                        char escape[8];

                        std::snprintf(escape, sizeof escape, "\\u%04x",
                                      static_cast<unsigned>(static_cast<unsigned char>(c)));
                        quoted_text += escape;
                } else {
                        quoted_text += c;
                }
        }
        return quoted_text + '"';
}

std::string teams_text(const TeamRecord& record) {
        std::string text;

        for (const auto& team : record.teams()) {
                text += text.empty() ? "" : ", ";
                text += std::to_string(team.threads) + " (" + std::to_string(team.regions) +
                        (team.regions == 1 ? " region)" : " regions)");
        }
        return text;
}

std::string changes_text(const Measurement& measured) {
        constexpr std::size_t kMostShown = 20;
        const auto& changes = measured.record.changes();
        const std::size_t shown = std::min(changes.size(), kMostShown);
        const auto hidden = changes.size() - shown + measured.record.changes_dropped();
        std::string text;

        for (std::size_t i = 0; i < shown; ++i) {
                text += i == 0 ? "" : ", ";
                text += std::to_string(changes[i].threads) + " at " +
                        fixed(changes[i].at_ms - measured.started_at_ms) + " ms";
        }
        return hidden == 0 ? text : text + ", and " + std::to_string(hidden) + " more";
}

std::string teams_json(const TeamRecord& record) {
        std::string text;

        for (const auto& team : record.teams()) {
                text += text.empty() ? "" : ",";
                text += "{\"threads\":" + std::to_string(team.threads) +
                        ",\"regions\":" + std::to_string(team.regions) + "}";
        }
        return "[" + text + "]";
}

std::string changes_json(const TeamRecord& record) {
        std::string text;

        for (const auto& change : record.changes()) {
                text += text.empty() ? "" : ",";
                text += "{\"at_ms\":" + fixed(change.at_ms) +
                        ",\"threads\":" + std::to_string(change.threads) + "}";
        }
        return "[" + text + "]";
}

double elapsed_ms(const Measurement& measured) {
        return measured.finished_at_ms - measured.started_at_ms;
}

}  // namespace

std::string report_text(const Report& report) {
        const auto& measured = report.measured;
        std::string text = std::string{report.load} + ": " +
                           std::to_string(report.options.iterations) + " regions of " +
                           std::to_string(report.work) + " units each, " +
                           std::string{report.runtime} + "\n";

        text += "elapsed     " + fixed(elapsed_ms(measured)) + " ms\n";
        text += "in regions  " + fixed(measured.regions_ms) + " ms\n";
        text += "team sizes  " + teams_text(measured.record) + ", at most " +
                std::to_string(measured.max_threads) + "\n";
        text += "changes     " + changes_text(measured) + "\n";
        text += "result      " + report.result + "\n";
        text += "checksum    " + hex(report.checksum) + "\n";
        text += "reason      " + measured.reason + "\n";
        return text;
}

std::string report_json(const Report& report) {
        const auto& measured = report.measured;
        const auto region_us = report.options.region_us;
        std::string text = "{\"load\":" + quoted(report.load);

        text += ",\"pid\":" + std::to_string(getpid());
        text += ",\"runtime\":" + quoted(report.runtime);
        text += ",\"iterations\":" + std::to_string(report.options.iterations);
        text += ",\"region_us\":" + (region_us == 0 ? "null" : std::to_string(region_us));
        text += ",\"work\":" + std::to_string(report.work);
        text += ",\"elapsed_ms\":" + fixed(elapsed_ms(measured));
        text += ",\"regions_ms\":" + fixed(measured.regions_ms);
        text += ",\"max_threads\":" + std::to_string(measured.max_threads);
        text += ",\"teams\":" + teams_json(measured.record);
        text += ",\"changes\":" + changes_json(measured.record);
        text += ",\"changes_dropped\":" + std::to_string(measured.record.changes_dropped());
        text += ",\"started_at_ms\":" + fixed(measured.started_at_ms);
        text += ",\"finished_at_ms\":" + fixed(measured.finished_at_ms);
        text += ",\"checksum\":" + quoted(hex(report.checksum));
        // Every load computes the same bits whatever the team; none needs a tolerance.
        text += ",\"tolerance\":0";
        text += ",\"reason\":" + quoted(measured.reason);
        return text + "}\n";
}

std::string calibration_text(std::uint64_t work) { return std::to_string(work) + "\n"; }

std::string calibration_json(std::string_view load, std::uint64_t region_us, std::uint64_t work) {
        return "{\"work\":" + std::to_string(work) + ",\"load\":" + quoted(load) +
               ",\"region_us\":" + std::to_string(region_us) + "}\n";
}

}  // namespace examples
