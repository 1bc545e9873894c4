// SPDX-License-Identifier: MIT
//
// One attack on a server; bench/attacks starts it. On stdout: how many members it has and
// "ready" when it is prepared, and after SIGTERM, or --strikes, a line of JSON. It begins at
// SIGUSR1.
#include "attack.hpp"
#include "identity.hpp"
#include "mains.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace bench {

namespace {

volatile std::sig_atomic_t may_begin = 0;

std::vector<AttackKind> all_kinds() {
        std::vector<AttackKind> all;
        for (const auto kinds : {descriptor_attacks(), request_attacks()})
                all.insert(all.end(), kinds.begin(), kinds.end());
        return all;
}

AttackKind kind_named(const std::string& name) {
        std::string names;
        for (const auto& kind : all_kinds()) {
                if (kind.name == name)
                        return kind;
                names += (names.empty() ? "" : ", ") + std::string(kind.name);
        }
        throw std::runtime_error("--kind " + name + ": accepted is one of " + names);
}

std::string all_kinds_explained() {
        std::string text = "Kinds:\n";
        for (const auto& kind : all_kinds())
                text += "  " + std::string(kind.name) + ": " + kind.what + "\n";
        return text;
}

void run(const AttackKind& kind, const AttackOptions& options, std::uint64_t most_strikes) {
        const auto attack = kind.make(options);
        const auto members = attack->prepare();
        std::printf("%u\nready\n", members);
        std::fflush(stdout);
        while (may_begin == 0 && !was_told_to_end())
                rest_ms(1);
        std::uint64_t strikes = 0;
        while (!was_told_to_end() && (most_strikes == 0 || strikes < most_strikes))
                strikes += attack->strike() ? 1 : 0;
        const nlohmann::json report{{"strikes", strikes}, {"refused", attack->refused()}};
        std::puts(report.dump().c_str());
        std::fflush(stdout);
        // Neither lingering sockets nor sleeping threads keep it.
        std::_Exit(0);
}

}  // namespace

}  // namespace bench

int bench::attack_main(int argc, char** argv) {
        bench::AttackOptions options;
        std::string kind;
        std::optional<uid_t> user;
        std::uint64_t strikes = 0;
        CLI::App app{"Attacks a server until SIGTERM; see bench/attacks.", "bench/attack"};
        app.add_option("--socket", options.target.socket, "The server's socket")->required();
        app.add_option("--kind", kind, "What it does")->required();
        app.add_option("--request-bytes", options.target.request_bytes, "Of an echo server");
        app.add_option("--reply-bytes", options.target.reply_bytes, "Of an echo server");
        app.add_option("--members", options.members, "Threads or processes")
                ->check(CLI::Range(0, 30'000));
        app.add_option("--memory", options.memory_mib, "MiB")->check(CLI::Range(1, 65'536));
        app.add_option("--strikes", strikes, "End after so many (0: at SIGTERM)");
        app.add_option("--user", user, "Become this user first");
        app.footer(bench::all_kinds_explained());
        CLI11_PARSE(app, argc, argv);
        bench::heed_sigterm();
        std::signal(SIGUSR1, [](int) { bench::may_begin = 1; });
        try {
                const auto chosen = bench::kind_named(kind);
                bench::become(user);
                bench::run(chosen, options, strikes);
                return 0;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "attack: %s\n", error.what());
                return 1;
        }
}
