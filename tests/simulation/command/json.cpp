// SPDX-License-Identifier: MIT
// Names of fields are a contract with bench/simulate.
#include "simulation/command/json.hpp"

#include "simulation/baselines/alone.hpp"

#include <nlohmann/json.hpp>

namespace simulation {

namespace {

using nlohmann::json;

std::string list(const CpuMask& cpus) { return governor::policy::format_cpu_list(cpus.to_set()); }

const char* name_of(Limit limit) {
        switch (limit) {
        case Limit::Ungoverned:
                return "ungoverned";
        case Limit::FairShare:
                return "fair share";
        case Limit::Everything:
                return "everything";
        case Limit::OwnMax:
                return "own max";
        case Limit::Cpuset:
                return "cpuset";
        case Limit::TreeMax:
                return "tree-max";
        case Limit::Quota:
                return "quota";
        case Limit::Demand:
                return "demand";
        case Limit::Idle:
                return "idle";
        case Limit::Floor:
                return "floor";
        case Limit::Light:
                return "light";
        case Limit::Parked:
                return "parked";
        case Limit::Round:
                return "round";
        case Limit::Crowded:
                return "crowded";
        case Limit::Newcomer:
                return "newcomer";
        case Limit::Handover:
                return "handover";
        case Limit::Rigid:
                return "rigid";
        case Limit::Returning:
                return "returning";
        }
        return "";
}

const char* name_of(Phase phase) {
        switch (phase) {
        case Phase::Hello:
                return "hello";
        case Phase::Region:
                return "region";
        case Phase::Serial:
                return "serial";
        case Phase::Parked:
                return "parked";
        case Phase::Sleep:
                return "sleep";
        case Phase::Gone:
                return "gone";
        }
        return "";
}

const char* name_of(Speedup::Law law) {
        switch (law) {
        case Speedup::Law::Linear:
                return "linear";
        case Speedup::Law::Amdahl:
                return "amdahl";
        case Speedup::Law::Flat:
                return "flat";
        case Speedup::Law::Power:
                return "power";
        }
        return "";
}

json figures_of(const RunReport& report) {
        json figures = json::object();
        for (const auto& figure : simulation::figures())
                figures[std::string(figure.name)] = report.figures.*(figure.value);
        return figures;
}

json moment(const std::optional<Time>& at) { return at ? json(in_seconds(*at)) : json(); }

json as_json(const Scenario& scenario, const Life& life) {
        json grants = json::array();
        for (const auto& step : life.grants)
                grants.push_back({{"at_s", in_seconds(step.at)},
                                  {"threads", step.threads},
                                  {"cpus", list(step.cpus)},
                                  {"shared", step.shared},
                                  {"limit", name_of(step.reason.limit)},
                                  {"share", step.reason.share}});
        json teams = json::array();
        for (const auto& step : life.teams)
                teams.push_back({{"at_s", in_seconds(step.at)},
                                 {"phase", name_of(step.phase)},
                                 {"stopped", step.stopped},
                                 {"threads", step.team},
                                 {"cpus", list(step.occupied)}});
        return {{"name", life.name},
                {"program", scenario.programs[life.program].name},
                {"user", life.user},
                {"governed", life.governed},
                {"started_s", in_seconds(life.started)},
                {"ended_s", moment(life.ended)},
                {"finished", life.finished},
                {"cpu_s", life.cpu_s},
                {"grants", std::move(grants)},
                {"teams", std::move(teams)}};
}

}  // namespace

std::string report_json(const Scenario& scenario, const RunReport& report) {
        json decisions = json::array();
        for (const auto& step : report.trace.decisions)
                decisions.push_back({{"at_s", in_seconds(step.at)},
                                     {"cpus", step.cpus},
                                     {"foreign", step.foreign}});
        json programs = json::array();
        for (const auto& life : report.trace.lives)
                programs.push_back(as_json(scenario, life));
        const json all{{"scenario", scenario.name},
                       {"policy", report.policy},
                       {"end_s", in_seconds(report.trace.end)},
                       {"cpus", scenario.machine.cpus},
                       {"figures", figures_of(report)},
                       {"failures", report.failures},
                       {"decisions", std::move(decisions)},
                       {"programs", std::move(programs)}};
        return all.dump();
}

std::string brief_json(const Scenario& scenario, const RunReport& report) {
        json alone = json::object();
        for (std::size_t p = 0; p < scenario.programs.size(); p++)
                alone[scenario.programs[p].name] = moment(time_alone(scenario, p));
        json batch = json::array();
        for (const auto& job : closed_batch(scenario))
                batch.push_back({{"work_s", job.work_s},
                                 {"law", name_of(job.speedup.law)},
                                 {"parameter", job.speedup.parameter}});
        json programs = json::array();
        for (const auto& life : report.trace.lives)
                programs.push_back({{"name", life.name},
                                    {"program", scenario.programs[life.program].name},
                                    {"started_s", in_seconds(life.started)},
                                    {"ended_s", moment(life.ended)},
                                    {"finished", life.finished}});
        json all{{"scenario", scenario.name},
                 {"policy", report.policy},
                 {"end_s", in_seconds(report.trace.end)},
                 {"cpus", scenario.machine.cpus},
                 {"figures", figures_of(report)},
                 {"alone_s", std::move(alone)},
                 {"batch", std::move(batch)},
                 {"programs", std::move(programs)}};
        if (report.broken)
                all["broken"] = *report.broken;
        return all.dump();
}

}  // namespace simulation
