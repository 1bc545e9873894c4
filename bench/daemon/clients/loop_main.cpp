// SPDX-License-Identifier: MIT
//
// The machine, the kernel and the programs of bench/loop. Prints "ready" when the files of the
// machine are there, starts at SIGUSR1 and prints "began". The last line is JSON: the programs as
// `simulate --json` prints them.
#include "descriptors.hpp"
#include "play.hpp"
#include "say.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "simulation/scenario/scenario_file.hpp"

namespace bench {

namespace {

using governor::policy::format_cpu_list;
using nlohmann::json;

void idle_until_told(Play& play, const sigset_t& signals) {
        const timespec tick{0, 10'000'000};
        while (::sigtimedwait(&signals, nullptr, &tick) != SIGUSR1)
                play.idle();
}

json as_json(const Play& play, const Play::Actor& actor) {
        const auto& desk = *actor.desk;
        const auto seconds = [&](std::int64_t at_ns) {
                return static_cast<double>(at_ns - play.began_ns()) * 1e-9;
        };
        json teams = json::array();
        for (std::uint32_t i = 0; i < desk.count; i++)
                teams.push_back({{"at_s", seconds(desk.teams[i].at_ns)},
                                 {"threads", desk.teams[i].threads},
                                 {"cpus", format_cpu_list(desk.teams[i].mask().to_set())}});
        return {{"name", actor.program->name},
                {"user", actor.program->user},
                {"started_s", static_cast<double>(actor.start_ns) * 1e-9},
                {"asked_s", seconds(desk.asked_ns)},
                {"ended_s", actor.end_ns < 0 ? json() : json(seconds(actor.end_ns))},
                {"finished", actor.finished},
                {"cpu_s", actor.used_s},
                {"late_s", static_cast<double>(desk.late_ns) * 1e-9},
                {"latest_s", static_cast<double>(desk.latest_ns) * 1e-9},
                {"wakes", desk.wakes},
                {"teams", std::move(teams)}};
}

int run(const std::string& file, const std::string& governor, const std::string& root) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGUSR1);
        ::sigprocmask(SIG_BLOCK, &signals, nullptr);
        const auto scenario = simulation::load_scenario(file);
        if (!scenario) {
                for (const auto& error : scenario.error())
                        std::fprintf(stderr, "%s\n", error.text().c_str());
                return 2;
        }
        Play play(*scenario, governor, root);
        say("ready");
        idle_until_told(play, signals);
        say("began");
        play.run();
        json programs = json::array();
        for (const auto& actor : play.actors())
                programs.push_back(as_json(play, actor));
        say(json({{"cpus", scenario->machine.cpus},
                  {"longest_tick_s", static_cast<double>(play.longest_tick_ns()) * 1e-9},
                  {"programs", std::move(programs)}})
                    .dump());
        return 0;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
        std::string file;
        std::string governor;
        std::string root;
        CLI::App app{"A made-up machine in real time; see bench/loop.", "bench/loop"};
        app.add_option("--scenario", file, "The scenario, a file for `simulate`")->required();
        app.add_option("--governor", governor, "Socket of the governor")->required();
        app.add_option("--root", root, "Folder for the files of the machine")->required();
        CLI11_PARSE(app, argc, argv);
        try {
                return bench::run(file, governor, root);
        } catch (const std::exception& error) {
                std::fprintf(stderr, "loop: %s\n", error.what());
                return 1;
        }
}
