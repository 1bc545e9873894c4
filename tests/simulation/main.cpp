// SPDX-License-Identifier: MIT
//
// simulate: scenarios in, reports out.
#include "simulation/command/json.hpp"
#include "simulation/command/options.hpp"
#include "simulation/command/seeds.hpp"
#include "simulation/command/text.hpp"
#include "simulation/command/timeline.hpp"
#include "simulation/report/explainer.hpp"
#include "simulation/scenario/generator.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <cstdio>
#include <cstdlib>

namespace simulation {

namespace {

constexpr std::size_t kColumns = 100;

int explain(const Scenario& scenario, const Options& options) {
        Explainer explainer(*options.explain);
        run(scenario, {options.policy->decider, {&explainer}});
        std::fputs(explainer.text().empty() ? "Nothing was decided from then on.\n"
                                            : explainer.text().c_str(),
                   stdout);
        return kExitOk;
}

int run_one(Scenario given, const Options& options) {
        if (options.runtime && given.machine.runtime == Runtime::Free)
                given.machine.runtime = *options.runtime;
        const auto scenario = options.policy->prepared(given);
        if (options.print) {
                std::fputs(write_scenario(scenario).c_str(), stdout);
                return kExitOk;
        }
        if (options.explain)
                return explain(scenario, options);
        const auto found = report(scenario, *options.policy, !options.brief || options.check);
        if (options.brief) {
                std::puts(brief_json(given, found).c_str());
        } else if (options.json) {
                std::puts(report_json(scenario, found).c_str());
        } else {
                if (options.timeline)
                        std::printf("%s\n",
                                    draw_timeline(found.trace, kColumns, options.colour).c_str());
                std::fputs(report_text(scenario, found).c_str(), stdout);
        }
        return found.failures.empty() ? kExitOk : kExitFailed;
}

int run_file(const Options& options) {
        const auto scenario = load_scenario(options.file);
        if (scenario)
                return run_one(*scenario, options);
        for (const auto& error : scenario.error())
                std::fprintf(stderr, "%s\n", error.text().c_str());
        return kExitUsage;
}

}  // namespace

}  // namespace simulation

int main(int argc, char** argv) {
        const auto parsed = simulation::parse_options(argc, argv);
        if (const auto* exit_code = std::get_if<int>(&parsed))
                return *exit_code;
        const auto& options = std::get<simulation::Options>(parsed);
        if (options.seeds)
                return options.must_break
                               ? simulation::run_until_broken(*options.seeds, *options.policy)
                               : simulation::run_seeds(*options.seeds, *options.policy);
        return options.seed
                       ? simulation::run_one(simulation::random_scenario(*options.seed), options)
                       : simulation::run_file(options);
}
