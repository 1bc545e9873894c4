// SPDX-License-Identifier: MIT
// The verbs and their options, as --help shows them.
#include "command_line.hpp"

#include "completion.hpp"
#include "outside/guardian.hpp"
#include "own_name.hpp"
#include "render/columns.hpp"
#include "verbs/limits.hpp"
#include "verbs/verbs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctl {

namespace {

using Action = std::function<ExitCode()>;

/// The values that the parser fills in; the chosen action reads them.
struct Parsed {
        verbs::Common common;
        verbs::AdviseOptions advise;
        verbs::RunOptions run;
        verbs::SetOptions set;
        verbs::TopOptions top;
        verbs::DemoOptions demo;
        double interval_s = 1;
        double length_s = 4;
        std::uint32_t pid = 0;
        std::optional<std::uint32_t> paused_pid;
        std::string guarded_place;
        std::string examined;
        bool pauses_all = false;  // else there is a pid
        Action action;
};

/// Not for people, and no verb: `governorctl complete WORD...` is what shells ask.
constexpr std::string_view kCompletion = "complete";

constexpr auto kLastPid = 4'194'304U;
constexpr auto kPidHelp =
        "A process that governorctl clients lists, or one that such a process started";

constexpr auto kFooter =
        "Exit: 0 ok, 1 failed, 2 wrong usage, 3 governor not reachable, 4 not permitted.\n"
        "      `run` ends with the program's own status.\n"
        "Sockets: --socket, else $THREADCOUNT_SOCKET, else /run/governord/governord.sock and\n"
        "      $XDG_RUNTIME_DIR/governord/governord.sock. Over TCP (tcp:127.0.0.1:7777,\n"
        "      tcp:[::1]:7777, tcp:localhost:7777; no names) there are advise, doctor, run and\n"
        "      status.\n"
        "Examples: make -j$(governorctl advise)\n"
        "          governorctl run -- ./simulation input.dat\n"
        "          fairly ./simulation input.dat         the same";

/// These belong to the whole program, and CLI11 shows them in its help only.
constexpr auto kSocketFooter =
        "Also: --socket PATH|tcp:HOST:PORT  Ask the governor that listens there\n"
        "See governorctl --help for exit codes and where it looks without --socket.";
constexpr auto kVerbFooter =
        "Also: --socket PATH|tcp:HOST:PORT  Ask the governor that listens there\n"
        "      --json                       Print JSON on one line\n"
        "See governorctl --help for exit codes and where it looks without --socket.";

/// Why it is refused; empty: it is accepted. CLI::Range accepts NaN, which is not below its least
/// value and not above its largest.
std::string refuse_nan(const std::string& text) {
        return std::isnan(std::strtod(text.c_str(), nullptr))
                       ? "'" + text + "' is not accepted; accepted: a number"
                       : "";
}

void add_advise(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand("advise", "Print how many threads to use now (>= 1)");
        verb->footer(kVerbFooter);
        verb->add_option("--current", parsed->advise.current, "Threads in use already")
                ->check(CLI::Range(0U, verbs::kMostThreads))
                ->type_name("N");
        verb->add_option("--max", parsed->advise.max,
                         "Never more than this; default: what affinity and cgroup quota allow")
                ->check(CLI::Range(1U, verbs::kMostThreads))
                ->type_name("N");
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] { return verbs::advise(parsed->common, parsed->advise); };
        });
}

/// Why it is refused; empty: it is accepted. A name that the library would cut, or the governor
/// replace, would be one job with what it is not.
std::string refuse_job_name(const std::string& name) {
        const bool is_accepted =
                !name.empty() && name.size() <= verbs::kLongestJob &&
                std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
        return is_accepted ? ""
                           : "'" + name + "' is not accepted; accepted: 1 to " +
                                     std::to_string(verbs::kLongestJob) +
                                     " characters of printable ASCII";
}

void add_run(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand(
                "run",
                "Run a program, and all that it starts, on its share of the CPUs: others that ask\n"
                "the governor leave it that share, and it leaves them theirs.\n"
                "At its start these variables are lowered to the share: OMP_, OPENBLAS_, GOTO_,\n"
                "MKL_, BLIS_, NUMEXPR_, NUMBA_, RAYON_ and JULIA_NUM_THREADS, POLARS_MAX_THREADS\n"
                "and LOKY_MAX_CPU_COUNT. While it runs it is bound to as many CPUs as it has.\n"
                "A program that is linked with libthreadcount follows by itself: nothing of it is\n"
                "changed. Start a script that starts such programs with --batch or --keep.\n"
                "Example: governorctl run -- python3 train.py\n"
                "         fairly python3 train.py                 the same");
        verb->footer(kSocketFooter);
        verb->add_option("--max", parsed->run.max, "Never more than this")
                ->check(CLI::Range(1U, verbs::kMostThreads))
                ->type_name("N");
        verb->add_flag(
                "--batch", parsed->run.is_batch,
                "Take turns with the other batch programs of this user: each has all of the\n"
                "user's CPUs in its turn, and yields to everything else while it waits");
        verb->add_option("--job", parsed->run.job,
                         "Takes its turn together with the others of this job")
                ->check(refuse_job_name)
                ->type_name("NAME");
        verb->add_flag("--exec", parsed->run.execs,
                       "Become the program after one advice, without a lease");
        verb->add_flag(
                "--keep", parsed->run.keeps,
                "Change no number of threads and bind nothing. Where teams of gcc's OpenMP do\n"
                "not fit side by side, threads that wait sleep. Where that does not help,\n"
                "programs take rounds");
        verb->add_flag(
                "--adapt", parsed->run.adapts,
                "As --keep, but teams of gcc's OpenMP shrink and grow with the grant, where the\n"
                "program leaves their size open. Results may differ in their last digits");
        verb->add_flag("--no-preload", parsed->run.is_unpreloaded,
                       "Preload nothing; then no region waits, and no thread sleeps in a fence");
        verb->add_flag("-q,--quiet", parsed->run.is_quiet,
                       "Say nothing of what was set; warnings remain");
        verb->add_flag("--dry-run", parsed->run.is_dry,
                       "Print what would be set and why; start nothing");
        verb->add_option("PROGRAM", parsed->run.command,
                         "The program and its arguments: run -- PROGRAM [ARG...]")
                ->required()
                ->type_name("");
        verb->positionals_at_end();
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] { return verbs::run(parsed->common, parsed->run); };
        });
}

void add_explain(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand("explain", "Show why a process has what it has");
        verb->footer(kVerbFooter);
        verb->add_option("PID", parsed->pid, kPidHelp)
                ->required()
                ->check(CLI::Range(1U, kLastPid))
                ->type_name("");
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] { return verbs::explain(parsed->common, parsed->pid); };
        });
}

void add_top(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand("top", "Show cores and programs live; q quits");
        verb->footer(kVerbFooter);
        verb->add_option("--interval", parsed->interval_s, "Between two pictures; default: 1")
                ->check(CLI::Range(0.1, 3600.0))
                ->check(refuse_nan)
                ->type_name("SECONDS");
        verb->add_option("--count", parsed->top.count, "End after so many pictures; 0: never")
                ->type_name("N");
        verb->callback([parsed = parsed.get()] {
                parsed->top.interval = std::chrono::milliseconds(
                        static_cast<std::int64_t>(parsed->interval_s * 1000));
                parsed->action = [parsed] { return verbs::top(parsed->common, parsed->top); };
        });
}

void add_set(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand(
                "set", "Limit a program that runs already: your own, or any as root");
        verb->footer(kVerbFooter);
        verb->add_option("PID", parsed->set.pid, kPidHelp)
                ->required()
                ->check(CLI::Range(1U, kLastPid))
                ->type_name("");
        verb->add_option("--max", parsed->set.max, "Never more threads than this; 0: no limit")
                ->check(CLI::Range(0U, verbs::kMostThreads))
                ->type_name("N");
        verb->add_option(
                    "--weight", parsed->set.weight,
                    "Its part of its user's CPUs against the user's other programs (100 each):\n"
                    "1 .. 10000; 0: as it was at first")
                ->check(CLI::Range(0U, 10'000U))
                ->type_name("N");
        verb->add_option("--class", parsed->set.scheduling_class,
                         "interactive, or batch, which takes turns with others of batch\n"
                         "(but for what fairly started without --batch)")
                ->check(CLI::IsMember({"interactive", "batch"}))
                ->type_name("CLASS");
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] { return verbs::set(parsed->common, parsed->set); };
        });
}

void add_pause(CLI::App& app, const std::shared_ptr<Parsed>& parsed, const char* name,
               const char* help,
               ExitCode (*verb)(const verbs::Common&, std::optional<std::uint32_t>)) {
        auto* subcommand = app.add_subcommand(name, help);
        subcommand->footer(kVerbFooter);
        auto* pid = subcommand->add_option("PID", parsed->paused_pid, kPidHelp)
                            ->check(CLI::Range(1U, kLastPid))
                            ->type_name("");
        subcommand
                ->add_flag("--all", parsed->pauses_all,
                           "All programs: govern nobody, or go on; for root only")
                ->excludes(pid);
        subcommand->callback([parsed = parsed.get(), verb, name = std::string(name)] {
                // `governorctl pause $(pidof md)` must not pause everybody where no md runs.
                if (!parsed->paused_pid && !parsed->pauses_all)
                        throw CLI::ValidationError(name + " what? accepted: PID, --all");
                parsed->action = [parsed, verb] {
                        return verb(parsed->common, parsed->paused_pid);
                };
        });
}

void add_demo(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand(
                "demo",
                "Show in half a minute what a governor does: four small programs run without\n"
                "one, with one, and in turn, on four CPUs at most. The governor is its own, and\n"
                "nothing of it stays; after SIGKILL a temporary folder. On a busy host it is\n"
                "refused.");
        verb->footer(
                "Exit: 0 shown, whatever was measured; 1 refused or failed, 3 no governord found.");
        verb->add_option("--length", parsed->length_s,
                         "Work of each part, as long as the CPUs need for it: 1 .. 6; default: 4")
                ->check(CLI::Range(1.0, 6.0))
                ->check(refuse_nan)
                ->type_name("SECONDS");
        verb->add_flag("--anyway", parsed->demo.anyway, "Show it on a busy host, too");
        verb->callback([parsed = parsed.get()] {
                parsed->demo.length = std::chrono::milliseconds(
                        static_cast<std::int64_t>(parsed->length_s * 1000));
                parsed->action = [parsed] { return verbs::demo(parsed->common, parsed->demo); };
        });
}

void add_doctor(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb = app.add_subcommand(
                "doctor",
                "Find out why programs are not governed: the governor, this shell's limits and\n"
                "variables, and what run can do to a PROGRAM");
        verb->footer(kVerbFooter);
        verb->add_option("PROGRAM", parsed->examined, "Look at this program, too")->type_name("");
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] {
                        return verbs::doctor(parsed->common, parsed->examined);
                };
        });
}

void add_plain(CLI::App& app, const std::shared_ptr<Parsed>& parsed, const char* name,
               const char* help, ExitCode (*verb)(const verbs::Common&)) {
        auto* subcommand = app.add_subcommand(name, help);
        subcommand->footer(kVerbFooter);
        subcommand->callback([parsed = parsed.get(), verb] {
                parsed->action = [parsed, verb] { return verb(parsed->common); };
        });
}

/// Not for people: run starts it.
void add_guard(CLI::App& app, const std::shared_ptr<Parsed>& parsed) {
        auto* verb =
                app.add_subcommand("guard", "Take back what runs that were killed have changed");
        verb->group("");
        verb->add_option("PLACE", parsed->guarded_place, "Where their records are")->required();
        verb->callback([parsed = parsed.get()] {
                parsed->action = [parsed] { return outside::guard(parsed->guarded_place); };
        });
}

std::string known_verbs(const CLI::App& app) {
        std::string names;
        for (const auto* verb : shown_verbs(app))
                names += (names.empty() ? "" : ", ") + verb->get_name();
        return names;
}

/// The fault of a command line that lacks a word, perhaps since the parser took it for an option.
std::string lacks(const CLI::App& app, const std::string& what) {
        const auto rest = app.remaining(true);
        const auto option = std::ranges::find_if(rest, [](const std::string& word) {
                return word.starts_with('-') && word != "--";
        });
        return option == rest.end() ? what : "unknown option `" + *option + "`";
}

/// The fault of a command line in which no verb was found.
std::string no_verb(const CLI::App& app) {
        const auto rest = app.remaining();
        if (rest.empty())
                return "a verb is needed; known: " + known_verbs(app);
        if (rest.front().starts_with('-'))
                return "unknown option `" + rest.front() + "`";
        return "unknown verb `" + rest.front() + "`; known: " + known_verbs(app);
}

ExitCode complain(const std::string& what) {
        std::fprintf(stderr, "%s: %s (see %s)\n", own_name(), render::printable(what).c_str(),
                     is_fairly() ? "fairly --help" : "governorctl --help, governorctl VERB --help");
        return kUsage;
}

/// The usage of a verb that is called by the name of a link.
class UsageOfFairly : public CLI::Formatter {
        std::string make_usage(const CLI::App* verb, std::string /*name*/) const override {
                return Formatter::make_usage(verb, kFairly);
        }
};

bool asks_for_completions(int argc, char** argv) {
        return argc > 1 && argv[1] == kCompletion && !is_fairly();
}

/// The words as CLI11 takes them: the last one first.
std::vector<std::string> words_of(int argc, char** argv) {
        std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
        if (is_fairly())
                words.insert(words.begin(), "run");
        std::ranges::reverse(words);
        return words;
}

}  // namespace

std::variant<Action, ExitCode> parse_command_line(int argc, char** argv) {
        auto parsed = std::make_shared<Parsed>();
        CLI::App app{"Asks the governor of this host.", "governorctl"};
        app.set_version_flag("--version", std::string(own_name()) + " " GOVERNOR_VERSION);
        app.add_option("--socket", parsed->common.socket, "Ask the governor that listens there")
                ->type_name("PATH|tcp:HOST:PORT");
        app.add_flag("--json", parsed->common.json, "Print JSON on one line");
        app.require_subcommand(1);
        app.fallthrough();
        app.footer(kFooter);
        add_plain(app, parsed, "status", "Show what the governor does", verbs::status);
        add_advise(app, parsed);
        add_plain(app, parsed, "cpus", "Show how idle each core is", verbs::cpus);
        add_plain(app, parsed, "config", "Show the settings in force and where they come from",
                  verbs::config);
        add_plain(app, parsed, "clients", "Show the programs that share this host", verbs::clients);
        add_explain(app, parsed);
        add_top(app, parsed);
        add_plain(app, parsed, "monitor", "Show what the governor decides, until interrupted",
                  verbs::monitor);
        add_set(app, parsed);
        add_pause(app, parsed, "pause", "Hold a program at one thread, or govern nobody for now",
                  verbs::pause);
        add_pause(app, parsed, "resume", "Take back pause", verbs::resume);
        add_run(app, parsed);
        if (is_fairly())
                app.get_subcommand("run")->formatter(std::make_shared<UsageOfFairly>());
        add_doctor(app, parsed);
        add_demo(app, parsed);
        add_guard(app, parsed);
        if (asks_for_completions(argc, argv))
                return print_completions(app, {argv + 2, argv + argc});
        try {
                app.parse(words_of(argc, argv));
        } catch (const CLI::Success& success) {
                return static_cast<ExitCode>(app.exit(success));
        } catch (const CLI::RequiredError& error) {
                return complain(app.get_subcommands().empty() ? no_verb(app)
                                                              : lacks(app, error.what()));
        } catch (const CLI::ParseError& error) {
                return complain(error.what());
        }
        return [parsed, action = parsed->action] { return action(); };
}

}  // namespace ctl
