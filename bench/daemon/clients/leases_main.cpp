// SPDX-License-Identifier: MIT
//
// Programs that hold leases, for bench/leases. On stdout a line of JSON at the end; `hold` and
// `churn` say "held" before, when all are there, and go on until SIGUSR1.
#include "churn.hpp"
#include "events.hpp"
#include "greetings.hpp"
#include "identity.hpp"
#include "mains.hpp"
#include "say.hpp"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

namespace bench {

namespace {

constexpr std::int64_t kSlice = 100'000'000;

sigset_t our_signal() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        return set;
}

bool was_told() {
        const auto set = our_signal();
        const timespec now{};
        return ::sigtimedwait(&set, nullptr, &now) == SIGUSR1;
}

void wait_until_told() {
        const auto set = our_signal();
        int number = 0;
        ::sigwait(&set, &number);
}

void run_sizes(const std::string& governor) {
        const auto [request, reply] = greeting_sizes(governor);
        say(nlohmann::json({{"request_bytes", request}, {"reply_bytes", reply}}).dump());
}

void run_greetings(const GreetingOptions& options) {
        const auto found = greet(options);
        say(nlohmann::json({{"echo_ns", found.echo_ns},
                            {"welcome_ns", found.welcome_ns},
                            {"mapped_ns", found.mapped_ns}})
                    .dump());
}

void run_events(const FlockOptions& options, const EventOptions& events) {
        Flock flock(options);
        auto list = nlohmann::json::array();
        for (const auto& event : observe(flock, events))
                list.push_back({{"kind", event.kind},
                                {"words", event.words},
                                {"first_ns", event.first_ns},
                                {"last_ns", event.last_ns}});
        say(nlohmann::json({{"events", list}, {"granted", flock.granted()}}).dump());
}

void run_hold(const FlockOptions& options) {
        Flock flock(options);
        for (std::uint32_t member = 0; member < flock.size(); member++)
                flock.join(member);
        say("held");
        while (!was_told())
                flock.live(now_ns() + kSlice);
        say(nlohmann::json({{"members", flock.size()}, {"granted", flock.granted()}}).dump());
}

void run_churn(const ChurnOptions& options) {
        const auto held = hold_connections(options.governor, options.connections);
        say("held");
        wait_until_told();
        const auto churned = churn(options, held);
        say("churned");
        wait_until_told();
        say(nlohmann::json({{"due", churned.due},
                            {"done", churned.done},
                            {"hello_ns", churned.hello_ns},
                            {"held", churned.held},
                            {"behind_ns", churned.behind_ns}})
                    .dump());
}

}  // namespace

}  // namespace bench

int bench::leases_main(int argc, char** argv) {
        bench::GreetingOptions greeting;
        bench::FlockOptions flock;
        bench::EventOptions events;
        bench::ChurnOptions churn;
        std::string governor;
        std::optional<uid_t> user;
        CLI::App app{"Programs that hold leases; see bench/leases.", "bench/leases"};
        app.require_subcommand(1);
        app.add_option("--governor", governor, "The governor's socket")->required();
        app.add_option("--user", user, "Become this user first");
        auto& sizes = *app.add_subcommand("sizes", "Bytes of a hello and of its welcome");
        auto& greet = *app.add_subcommand("greet", "Hello after hello, and as many bytes echoed");
        greet.add_option("--echo", greeting.echo, "The echo server's socket")->required();
        greet.add_option("--request-bytes", greeting.request_bytes)->required();
        greet.add_option("--reply-bytes", greeting.reply_bytes)->required();
        greet.add_option("--count", greeting.count)->required();
        greet.add_option("--pause-us", greeting.pause_us);
        auto& hold = *app.add_subcommand("hold", "Processes with leases");
        auto& observe = *app.add_subcommand("events", "Processes that come, go and are killed");
        for (auto* command : {&hold, &observe}) {
                command->add_option("--members", flock.members)->required();
                command->add_option("--busy", flock.busy, "So many have regions");
                command->add_option("--root", flock.root, "Make a false machine there");
                command->add_option("--cpus", flock.cpus, "Of the false machine");
        }
        observe.add_option("--rounds", events.rounds);
        observe.add_option("--all", events.all);
        observe.add_option("--all-weight", events.all_weight);
        observe.add_option("--weight", events.weight);
        observe.add_option("--window-ms", events.window_ms)->required();
        observe.add_option("--settle-ms", events.settle_ms);
        auto& stream = *app.add_subcommand("churn", "Short leases beside held connections");
        stream.add_option("--connections", churn.connections);
        stream.add_option("--rate", churn.rate)->required();
        stream.add_option("--seconds", churn.seconds)->required();
        CLI11_PARSE(app, argc, argv);
        const auto set = bench::our_signal();
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        greeting.governor = flock.governor = churn.governor = governor;
        try {
                bench::become(user);
                if (sizes)
                        bench::run_sizes(governor);
                else if (greet)
                        bench::run_greetings(greeting);
                else if (hold)
                        bench::run_hold(flock);
                else if (observe)
                        bench::run_events(flock, events);
                else
                        bench::run_churn(churn);
                return 0;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "leases: %s\n", error.what());
                return 1;
        }
}
