// SPDX-License-Identifier: MIT
//
// A bystander of an attack, and its view of the server; bench/attacks starts it. On stdout: "ready"
// when the server has answered it, and a line of JSON when the window is over, which begins at
// SIGUSR1.
#include "bystander.hpp"
#include "identity.hpp"
#include "mains.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace bench {

namespace {

constexpr unsigned kLongest = 60;  // s, besides the window: then SIGALRM ends it

nlohmann::json as_json(const Waited& waited) {
        return {{"answered_ns", waited.answered_ns}, {"open_ns", waited.open_ns}};
}

void run(const BystanderOptions& options) {
        sigset_t begin;
        sigemptyset(&begin);
        sigaddset(&begin, SIGUSR1);
        ::sigprocmask(SIG_BLOCK, &begin, nullptr);
        ::alarm(kLongest + options.window_ms / 1000);
        Bystander bystander(options);
        std::puts("ready");
        std::fflush(stdout);
        int number = 0;
        ::sigwait(&begin, &number);
        const auto sight = bystander.watch();
        nlohmann::json report{{"asking", as_json(sight.asking)},
                              {"connecting", as_json(sight.connecting)},
                              {"heartbeat_ns", nullptr}};
        if (sight.heartbeat_ns)
                report["heartbeat_ns"] = *sight.heartbeat_ns;
        std::puts(report.dump().c_str());
        std::fflush(stdout);
}

}  // namespace

}  // namespace bench

int bench::bystander_main(int argc, char** argv) {
        bench::BystanderOptions options;
        std::optional<uid_t> user;
        CLI::App app{"Asks a server and watches its heartbeat; see bench/attacks.",
                     "bench/bystander"};
        app.add_option("--socket", options.socket, "The server's socket")->required();
        app.add_option("--echo-bytes", options.echo_bytes, "Of an echo server's answer");
        app.add_option("--window-ms", options.window_ms)->required()->check(CLI::Range(1, 600'000));
        app.add_option("--user", user, "Become this user first");
        CLI11_PARSE(app, argc, argv);
        try {
                bench::become(user);
                bench::run(options);
                return 0;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "bystander: %s\n", error.what());
                return 1;
        }
}
