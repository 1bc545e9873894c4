// SPDX-License-Identifier: MIT
// argv -> Options.
#include "simulation/command/options.hpp"

#include "simulation/scenario/quantities.hpp"
#include "simulation/scenario/scenario_file.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <unistd.h>

namespace simulation {

namespace {

constexpr auto kAnySeed = std::numeric_limits<std::uint64_t>::max();

std::optional<SeedRange> parse_seeds(const std::string& text) {
        const auto dots = text.find("..");
        if (dots == text.npos)
                return std::nullopt;
        const auto first = parse_whole(text.substr(0, dots), 0, kAnySeed);
        const auto last = parse_whole(text.substr(dots + 2), 0, kAnySeed - 1);
        if (!first || !last || *first > *last)
                return std::nullopt;
        return SeedRange{*first, *last};
}

std::string policy_names() {
        std::string names;
        for (const auto& policy : known_policies())
                names += (names.empty() ? "" : ", ") + std::string(policy.name);
        return names;
}

std::string describe_policies() {
        std::string text = "Policies:\n";
        for (const auto& policy : known_policies()) {
                std::string line = "  " + std::string(policy.name);
                line.resize(26, ' ');
                text += line + std::string(policy.meaning) + "\n";
        }
        return text;
}

std::string rule_names() {
        std::string names;
        for (const auto& rule : rules())
                names += (names.empty() ? "" : ", ") + std::string(rule.name);
        return names;
}

std::string describe_rules() {
        std::string text;
        for (const auto& rule : rules())
                text += std::string(rule.name) + "\t" + std::string(rule.meaning) + "\n";
        return text;
}

std::string refusal(const std::string& value, const std::string& accepted) {
        return "`" + value + "` is not accepted; accepted: " + accepted;
}

struct Texts {
        std::string seed;
        std::string seeds;
        std::string explain;
        std::string policy = "fair";
        std::string without;
        std::string runtime;
        bool keys = false;
        bool rules = false;
};

void declare(CLI::App& app, Options& options, Texts& texts) {
        app.add_option("SCENARIO", options.file, "A scenario file; --keys lists what may be in it");
        app.add_option("--seed", texts.seed, "A random scenario instead")
                ->type_name("N")
                ->check([](const std::string& text) {
                        return parse_whole(text, 0, kAnySeed)
                                       ? ""
                                       : refusal(text, "0 .. 18446744073709551615");
                });
        app.add_option("--seeds", texts.seeds,
                       "Many random scenarios; prints which invariants they break")
                ->type_name("FIRST..LAST")
                ->check([](const std::string& text) {
                        return parse_seeds(text) ? ""
                                                 : refusal(text, "FIRST..LAST, such as 1..1000");
                });
        app.add_option("--policy", texts.policy, "Who decides; see below")
                ->type_name("NAME")
                ->capture_default_str()
                ->check([](const std::string& text) {
                        return find_policy(text) ? "" : refusal(text, policy_names());
                });
        app.add_option("--without", texts.without,
                       "The real policy without one of its rules; --rules lists them")
                ->type_name("RULE")
                ->check([](const std::string& text) {
                        return find_rule(text) ? "" : refusal(text, rule_names());
                });
        app.add_option("--runtime", texts.runtime,
                       "How threads wait, and what that costs, where the scenario says nothing of "
                       "it: free, libgomp or libomp")
                ->type_name("NAME")
                ->check([](const std::string& text) {
                        return parse_runtime(text) ? "" : refusal(text, "free, libgomp, libomp");
                });
        app.add_flag("--check", options.check,
                     "Checks invariants and expectations also with --brief, with --without, and "
                     "of policy turns or without-turns");
        app.add_flag("--timeline", options.timeline, "Grants over time as well");
        app.add_flag("--json", options.json, "Everything, for programs: figures, grants, teams");
        app.add_flag("--brief", options.brief,
                     "For programs: times and figures alone, and how long each would take alone; "
                     "nothing is checked but by --check");
        app.add_option("--explain", texts.explain,
                       "Instead: what the policy saw and decided then, or as soon as it did")
                ->type_name("TIME")
                ->check([](const std::string& text) {
                        return parse_time(text) ? "" : refusal(text, "a time with its unit: 2.5s");
                });
        app.add_flag("--print", options.print, "Instead: the scenario, as a file");
        app.add_flag(
                "--must-break", options.must_break,
                "With --seeds: fails unless the policy breaks the invariant that must catch it");
        app.add_flag("--keys", texts.keys, "Instead: all sections and keys of scenario files");
        app.add_flag("--rules", texts.rules, "Instead: the rules that --without knows");
        app.footer(describe_policies() +
                   "Exit: 0 done, 1 an expectation or an invariant does not hold, 2 wrong usage or "
                   "file.");
}

/// One of the three.
bool names_scenarios(const Options& options) {
        return (options.file.empty() ? 0 : 1) + (options.seed ? 1 : 0) + (options.seeds ? 1 : 0) ==
               1;
}

/// Two that do not go together, as a message; else "".
std::string ignored_option(const Options& options) {
        struct Mode {
                const char* name;
                bool is_on;
        };
        const Mode modes[] = {{"--seeds", options.seeds.has_value()},
                              {"--print", options.print},
                              {"--explain", options.explain.has_value()},
                              {"--json", options.json},
                              {"--brief", options.brief},
                              {"--timeline", options.timeline}};
        const char* first = nullptr;
        for (const auto& mode : modes) {
                if (mode.is_on && first != nullptr)
                        return std::string(mode.name) + " does not go with " + first;
                if (mode.is_on)
                        first = mode.name;
        }
        return "";
}

bool is_the_real_one(const NamedPolicy& policy) {
        return policy.decider.decide == Decider{}.decide && policy.decider.begin == nullptr;
}

/// Adapts the policy to --without and --check, which go with the real policy only. Returns a
/// message if they do not.
std::string adapt(const Texts& texts, bool check, NamedPolicy& policy) {
        const auto rule = find_rule(texts.without);
        if ((rule || check) && !is_the_real_one(policy))
                return std::string(rule ? "--without" : "--check") +
                       " goes with the real policy, not with `" + std::string(policy.name) + "`";
        if (rule)
                policy.decider.decide = rule->without;
        policy.is_baseline = !check && (rule || policy.is_baseline);
        return "";
}

int complain(const std::string& message) {
        std::fprintf(stderr, "simulate: %s (see simulate --help)\n", message.c_str());
        return kExitUsage;
}

}  // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
        Options options;
        Texts texts;
        CLI::App app{
                "Runs the real policy of governord on a virtual machine with virtual programs,\n"
                "in virtual time.",
                "simulate"};
        declare(app, options, texts);
        try {
                app.parse(argc, argv);
        } catch (const CLI::Success& success) {
                return app.exit(success);
        } catch (const CLI::ParseError& error) {
                return complain(error.what());
        }
        if (texts.keys) {
                std::fputs(describe_keys().c_str(), stdout);
                return kExitOk;
        }
        if (texts.rules) {
                std::fputs(describe_rules().c_str(), stdout);
                return kExitOk;
        }
        options.seed = parse_whole(texts.seed, 0, kAnySeed);
        options.seeds = parse_seeds(texts.seeds);
        options.explain = parse_time(texts.explain);
        options.policy = find_policy(texts.policy);
        options.runtime = parse_runtime(texts.runtime);
        if (const auto wrong = adapt(texts, options.check, *options.policy); !wrong.empty())
                return complain(wrong);
        if (!names_scenarios(options))
                return complain("one of SCENARIO, --seed and --seeds is needed");
        if (const auto ignored = ignored_option(options); !ignored.empty())
                return complain(ignored);
        if (options.seeds && options.runtime)
                return complain("--runtime does not go with --seeds");
        if (options.must_break && !options.seeds)
                return complain("--must-break goes with --seeds");
        if (options.must_break && options.policy->caught_by.empty())
                return complain("--must-break: nothing is wrong with the policy `" +
                                std::string(options.policy->name) + "`");
        const char* no_colour = std::getenv("NO_COLOR");
        options.colour =
                ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || no_colour[0] == '\0');
        return options;
}

}  // namespace simulation
