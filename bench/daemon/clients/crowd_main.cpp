// SPDX-License-Identifier: MIT
//
// One crowd, one user; bench/crowd starts several. On stdout: "held" when all connections are
// there, "asked" when the questions are over, and a line of JSON at the end. SIGUSR1 leads from one
// to the next, so that the caller can look at the servers in between. A crowd that is not complete
// in time ends with its JSON at once, and so does one that gets SIGUSR2.
#include "crowd.hpp"
#include "identity.hpp"
#include "mains.hpp"
#include "questions.hpp"
#include "say.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

namespace bench {

namespace {

nlohmann::json as_json(const Tally& tally) {
        return {{"asked", tally.asked},
                {"unsent", tally.unsent},
                {"answered", tally.answered},
                {"wrong", tally.wrong},
                {"ended", tally.ended},
                {"from_due_ns", tally.from_due_ns},
                {"from_sent_ns", tally.from_sent_ns}};
}

nlohmann::json as_json(const Side& side) {
        return {{"held", side.held}, {"setup", as_json(side.setup)}, {"run", as_json(side.run)}};
}

sigset_t our_signals() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigaddset(&set, SIGUSR2);
        return set;
}

/// SIGUSR1 leads on; SIGUSR2 says that another crowd failed, so that nothing is asked any more.
bool told_to_go_on() {
        const auto set = our_signals();
        int number = 0;
        ::sigwait(&set, &number);
        return number == SIGUSR1;
}

void block_signals() {
        const auto set = our_signals();
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

/// Measures the lengths of a question and its answer, for the echo server to be told.
void probe(const std::string& governor) {
        Line line(0);
        Tally tally;
        line.open(connect_to(governor));
        if (!line.is_open())
                throw std::runtime_error(governor + ": nobody listens there");
        line.ask(question(), now_ns(), tally);
        Watch watch;
        watch.add(line.fd(), EPOLLIN, 0);
        std::size_t bytes = 0;
        while (line.is_open() && tally.answered + tally.wrong == 0)
                for ([[maybe_unused]] const auto& event : watch.wait(-1))
                        bytes += line.receive(tally);
        if (tally.answered != 1)
                throw std::runtime_error(governor + ": no advice came");
        say(nlohmann::json({{"request_bytes", question().size()}, {"reply_bytes", bytes}}).dump());
}

void drive(const CrowdOptions& options) {
        Crowd crowd(options);
        if (crowd.gather()) {
                say("held");
                if (told_to_go_on()) {
                        crowd.ask();
                        say("asked");
                        (void)told_to_go_on();
                }
        }
        say(nlohmann::json(
                    {{"governor", as_json(crowd.governor())}, {"echo", as_json(crowd.echo())}})
                    .dump());
}

}  // namespace

}  // namespace bench

int bench::crowd_main(int argc, char** argv) {
        bench::CrowdOptions options;
        std::optional<uid_t> user;
        bool only_probe = false;
        CLI::App app{"Holds connections and asks on some of them; see bench/crowd.", "bench/crowd"};
        app.add_option("--governor", options.governor, "The governor's socket")->required();
        app.add_flag("--probe", only_probe, "Ask once, print the sizes, exit");
        app.add_option("--echo", options.echo, "The echo server's socket");
        app.add_option("--echo-bytes", options.echo_bytes);
        app.add_option("--connections", options.connections);
        app.add_option("--askers", options.askers);
        app.add_option("--seconds", options.seconds);
        app.add_option("--rate", options.rate, "Connections opened per second");
        app.add_option("--first", options.first);
        app.add_option("--crowds", options.crowds);
        app.add_option("--user", user, "Become this user first");
        CLI11_PARSE(app, argc, argv);
        bench::block_signals();
        try {
                bench::become(user);
                if (only_probe)
                        bench::probe(options.governor);
                else
                        bench::drive(options);
                return 0;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "crowd: %s\n", error.what());
                return 1;
        }
}
