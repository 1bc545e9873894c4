// SPDX-License-Identifier: MIT
//
// Bad clients until SIGTERM; bench/hostile starts them. On stdout: "begun" when each connection has
// had its first turn, and at the end a line of JSON that says what happened.
#include "hostile.hpp"
#include "identity.hpp"
#include "mains.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

namespace bench {

namespace {

volatile std::sig_atomic_t asked_to_end = 0;

nlohmann::ordered_json as_json(const Deeds& deeds) {
        return {{"turns", deeds.turns},
                {"connected", deeds.connected},
                {"refused", deeds.refused},
                {"ended", deeds.ended},
                {"blocked", deeds.blocked},
                {"sent_bytes", deeds.sent_bytes},
                {"received_bytes", deeds.received_bytes}};
}

void drive(const HostileOptions& options) {
        Hostile hostile(options);
        while (asked_to_end == 0 && !hostile.in_full_swing())
                hostile.step();
        std::puts("begun");
        std::fflush(stdout);
        while (asked_to_end == 0)
                hostile.step();
        nlohmann::ordered_json kinds;
        for (std::size_t i = 0; i < options.manners.size(); i++)
                kinds[options.manners[i].name] = as_json(hostile.deeds()[i]);
        const nlohmann::ordered_json report{{"kinds", kinds}, {"left_out", hostile.left_out()}};
        std::puts(report.dump().c_str());
}

std::string all_names() {
        std::string names;
        for (const auto& manner : all_manners())
                names += (names.empty() ? "" : ",") + std::string(manner.name);
        return names;
}

std::string all_manners_explained() {
        std::string text = "Kinds:\n";
        for (const auto& manner : all_manners())
                text += "  " + std::string(manner.name) + ": " + manner.what + "\n";
        return text + "A turn is shared evenly among the connections; one that the server ends is "
                      "opened again.";
}

}  // namespace

}  // namespace bench

int bench::hostile_main(int argc, char** argv) {
        bench::HostileOptions options;
        auto kinds = bench::all_names();
        std::optional<uid_t> user;
        CLI::App app{"Treats a server badly until SIGTERM; see bench/hostile.", "bench/hostile"};
        app.add_option("--socket", options.socket, "The server's socket")->required();
        app.add_option("--connections", options.connections)
                ->required()
                ->check(CLI::PositiveNumber);
        app.add_option("--rate", options.rate, "Turns per second, all connections together")
                ->required()
                ->check(CLI::PositiveNumber);
        app.add_option("--kinds", kinds, "What they do")->capture_default_str();
        app.add_option("--user", user, "Become this user first");
        app.footer(bench::all_manners_explained());
        CLI11_PARSE(app, argc, argv);
        for (const int number : {SIGTERM, SIGINT})
                std::signal(number, [](int) { bench::asked_to_end = 1; });
        try {
                options.manners = bench::manners_named(kinds);
                bench::become(user);
                bench::drive(options);
                return 0;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "hostile: %s\n", error.what());
                return 1;
        }
}
