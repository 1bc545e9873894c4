// SPDX-License-Identifier: MIT
// Every mistake has a line that exists, and an accepted scenario is written and read back.
#include "require.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <algorithm>

using namespace simulation;

namespace {

void check_mistakes(const Errors& errors, std::string_view text) {
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
        require(!errors.empty(), "what is refused has a mistake");
        for (const auto& error : errors)
                require(error.origin.file == "f.sim" && error.origin.line >= 1 &&
                                error.origin.line <= lines,
                        "a mistake has its file and line");
}

void check_cpus(const Scenario& scenario, const std::optional<CpuSet>& cpus) {
        require(!cpus || cpus->empty() || cpus->back() < scenario.machine.cpus,
                "CPUs are those of the machine");
}

void check_scenario(const Scenario& scenario) {
        require(scenario.end.count() > 0, "it takes some time");
        require(scenario.machine.cpus >= 1 && scenario.machine.cpus <= 8192,
                "the machine's size is in range");
        for (const auto& program : scenario.programs) {
                check_cpus(scenario, program.cpus);
                require(program.max == 0 || program.min <= program.max,
                        "nobody asks for more than he may have");
                require(!program.cgroup || *program.cgroup < scenario.cgroups.size(),
                        "a control group exists");
        }
        for (const auto& event : scenario.hotplug)
                require(event.at <= scenario.end, "nothing happens after the end");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto scenario = parse_scenario(text, "f.sim");
        if (!scenario) {
                check_mistakes(scenario.error(), text);
                return 0;
        }
        check_scenario(*scenario);
        const auto written = write_scenario(*scenario);
        const auto again = parse_scenario(written, "f.sim");
        require(again.has_value(), "what is written is accepted");
        require(write_scenario(*again) == written, "what is written reads back");
        return 0;
}
