// SPDX-License-Identifier: MIT
// governorctl top on a terminal and without one, beside a daemon that goes and comes back.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"
#include "support/pseudo_terminal.hpp"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace test_support;

/// Its words when it comes and when it goes: the other screen, and the cursor.
const std::string kEnter = "\x1b[?1049h";
const std::string kLeave = "\x1b[?25h\x1b[?1049l";

class Top : public testing::Test {
protected:
        Top() : daemon_(FIXTURES "/machines/8") { daemon_.start(); }

        [[nodiscard]] Command command(std::vector<std::string> options,
                                      std::vector<std::string> environment = {}) const {
                options.insert(options.begin(), {GOVERNORCTL, "--socket", daemon_.socket(), "top"});
                return {std::move(options), std::move(environment), {}};
        }
        [[nodiscard]] static bool is_restored(PseudoTerminal& terminal) {
                return terminal.output().ends_with(kLeave) && !terminal.is_raw();
        }
        [[nodiscard]] static bool shows(PseudoTerminal& terminal, const std::string& text) {
                return eventually([&] { return terminal.shows(text); });
        }
        static void expect_json(const std::string& line, const char* error) {
                const auto json = nlohmann::json::parse(line);
                EXPECT_EQ(json.at("error").is_null(), error == nullptr) << line;
                EXPECT_EQ(json.at("status").is_null(), error != nullptr) << line;
                if (error != nullptr)
                        return;
                EXPECT_EQ(json.at("status").at("cpus"), 8);
                EXPECT_EQ(json.at("cpus").size(), 8U);
                EXPECT_TRUE(json.at("clients").is_array());
        }

        Daemon daemon_;
};

TEST_F(Top, ShowsCoresAndProgramsUntilQ) {
        PseudoTerminal terminal(command({}));
        EXPECT_TRUE(shows(terminal, "8 cpus, 6 free; 0 programs on "));
        EXPECT_TRUE(terminal.shows("GRANTED"));
        EXPECT_TRUE(shows(terminal, "q quit"));
        EXPECT_EQ(terminal.screen().size(), 24U);
        EXPECT_TRUE(terminal.output().starts_with(kEnter));
        EXPECT_TRUE(terminal.is_raw());
        terminal.type("q");
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_TRUE(is_restored(terminal)) << terminal.output();
}

TEST_F(Top, ShowsWhoHoldsWhatAndWhoComes) {
        Daemon here("");
        here.start();
        PseudoTerminal terminal(
                {{GOVERNORCTL, "--socket", here.socket(), "top", "--interval", "0.1"}, {}, {}},
                {120, 40});
        EXPECT_TRUE(shows(terminal, "; 0 programs on "));
        LeaseClient client(here.socket());
        governor::v1::Hello hello;
        hello.set_label("mine");
        ASSERT_NE(client.hello(hello), nullptr);
        EXPECT_TRUE(shows(terminal, "; 1 program on "));
        EXPECT_TRUE(shows(terminal, std::to_string(::getpid()) + "  "));
        EXPECT_TRUE(eventually([&] {
                const auto lines = terminal.screen();
                return lines.size() > 2 && lines[2].find("mine") != std::string::npos;
        })) << "its cores";
        terminal.type("/nobody");
        EXPECT_TRUE(shows(terminal, "show programs with: nobody_"));
        EXPECT_FALSE(terminal.shows(std::to_string(::getpid()) + "  "));
        terminal.type("\x1b");
        EXPECT_TRUE(shows(terminal, std::to_string(::getpid()) + "  "));
}

/// tmux is a terminal that somebody else wrote: it shows what `command` draws on `columns`
/// times 10.
class Tmux {
public:
        Tmux(const Command& command, const std::string& columns)
                : configuration_(directory_.write("conf", session(command, columns))),
                  server_({{"/usr/bin/tmux", "-D", "-f", configuration_, "-S", socket()},
                           {"LC_ALL=C.UTF-8"},
                           {}}) {}

        [[nodiscard]] std::vector<std::string> screen() const {
                std::istringstream text(
                        run({{"/usr/bin/tmux", "-S", socket(), "capture-pane", "-p"}, {}, {}}).out);
                std::vector<std::string> lines;
                for (std::string line; std::getline(text, line);)
                        lines.push_back(line);
                return lines;
        }

private:
        [[nodiscard]] std::string socket() const { return directory_.path("tmux"); }
        static std::string session(const Command& command, const std::string& columns) {
                std::string text = "new-session -d -x " + columns + " -y 10";
                for (const auto& argument : command.arguments)
                        text += " '" + argument + "'";
                return text + "\n";
        }

        TemporaryDirectory directory_;
        std::string configuration_;
        Process server_;
};

TEST_F(Top, FillsALineToItsLastColumn) {
        const Tmux tmux(command({"--interval", "60"}), "30");
        const std::string summary = "8 cpus, 6 free; 0 programs on~";
        const std::string keys = "q quit  sort: g u p l a (gran~";
        EXPECT_TRUE(eventually([&] {
                const auto lines = tmux.screen();
                return lines.size() == 10 && lines[1] == summary && lines[9] == keys;
        })) << testing::PrintToString(tmux.screen());
}

TEST_F(Top, SortsByKeys) {
        PseudoTerminal terminal(command({"--interval", "60"}));
        EXPECT_TRUE(shows(terminal, "(granted)"));
        terminal.type("u");
        EXPECT_TRUE(shows(terminal, "(uses)"));
        terminal.type("r");
        EXPECT_TRUE(shows(terminal, "(uses, reversed)"));
}

TEST_F(Top, FollowsTheSizeOfTheTerminal) {
        PseudoTerminal terminal(command({"--interval", "60"}));
        EXPECT_TRUE(shows(terminal, "q quit"));
        terminal.resize({30, 9});
        EXPECT_TRUE(eventually([&] { return terminal.screen().size() == 9; }));
        for (const auto& line : terminal.screen())
                EXPECT_LE(line.size(), 30U) << line;
        terminal.resize({200, 50});
        EXPECT_TRUE(eventually([&] { return terminal.screen().size() == 50; }));
}

TEST_F(Top, EndsByCtrlC) {
        PseudoTerminal terminal(command({}));
        EXPECT_TRUE(shows(terminal, "q quit"));
        terminal.type("\x03");
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_TRUE(is_restored(terminal));
}

TEST_F(Top, ThatIsTerminatedGivesTheTerminalBack) {
        for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
                PseudoTerminal terminal(command({"--interval", "60"}));
                EXPECT_TRUE(shows(terminal, "q quit"));
                terminal.signal(number);
                EXPECT_EQ(terminal.wait(), 128 + number);
                EXPECT_TRUE(is_restored(terminal)) << number;
        }
}

TEST_F(Top, ThatIsStoppedGivesTheTerminalBackUntilItGoesOn) {
        auto words = command({"--interval", "60"});
        words.arguments.insert(words.arguments.begin(),
                               {"/bin/bash", "-c", R"(set -m; "$0" "$@"; echo stopped; read; fg)"});
        PseudoTerminal terminal(words);
        EXPECT_TRUE(shows(terminal, "q quit"));
        terminal.type("\x1a");
        EXPECT_TRUE(eventually([&] { return terminal.output().ends_with("stopped\r\n"); }));
        EXPECT_FALSE(terminal.is_raw());
        const auto before = terminal.output().size();
        EXPECT_GT(terminal.output().rfind(kLeave), terminal.output().rfind(kEnter));
        terminal.type("\n");
        EXPECT_TRUE(eventually(
                [&] { return terminal.output().find("q quit", before) != std::string::npos; }));
        EXPECT_TRUE(terminal.is_raw());
        terminal.type("q");
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_TRUE(is_restored(terminal));
}

/// Nobody could continue it, as in `ssh -t host governorctl top`. The kernel ignores SIGTSTP then.
TEST_F(Top, IsNotStoppedWhereThereIsNoShell) {
        PseudoTerminal terminal(command({"--interval", "60"}));
        EXPECT_TRUE(shows(terminal, "q quit"));
        const auto before = terminal.output().size();
        terminal.type("\x1a");
        EXPECT_TRUE(eventually(
                [&] { return terminal.output().find("q quit", before) != std::string::npos; }));
        EXPECT_FALSE(terminal.is_stopped());
        EXPECT_TRUE(terminal.is_raw());
        terminal.type("q");
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_TRUE(is_restored(terminal));
}

TEST_F(Top, ShowsThatTheGovernorIsGoneAndThatItComesBack) {
        PseudoTerminal terminal(command({"--interval", "0.1"}));
        EXPECT_TRUE(shows(terminal, "8 cpus, 6 free; "));
        daemon_.kill();
        EXPECT_TRUE(shows(terminal, "no governor at "));
        EXPECT_TRUE(shows(terminal, "q quit"));
        daemon_.start();
        EXPECT_TRUE(shows(terminal, "8 cpus, 6 free; "));
        daemon_.kill();
        EXPECT_TRUE(shows(terminal, "no governor at "));
        terminal.type("q");
        EXPECT_EQ(terminal.wait(), 3);
        EXPECT_TRUE(is_restored(terminal));
}

TEST_F(Top, ShowsThatTheGovernorHangsAndThatItGoesOn) {
        PseudoTerminal terminal(command({"--interval", "0.1"}));
        EXPECT_TRUE(shows(terminal, "8 cpus, 6 free; "));
        daemon_.process().signal(SIGSTOP);
        EXPECT_TRUE(shows(terminal, "does not answer"));
        daemon_.process().signal(SIGCONT);
        EXPECT_TRUE(shows(terminal, "8 cpus, 6 free; "));
        terminal.type("q");
        EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(Top, UsesColorsUnlessNO_COLORIsSet) {
        const std::string reverse = "\x1b[7m";
        PseudoTerminal colored(command({"--count", "1", "--interval", "0.1"}, {"NO_COLOR="}));
        EXPECT_EQ(colored.wait(), 0);
        EXPECT_NE(colored.output().find(reverse), std::string::npos);
        PseudoTerminal plain(command({"--count", "1", "--interval", "0.1"}, {"NO_COLOR=1"}));
        EXPECT_EQ(plain.wait(), 0);
        EXPECT_EQ(plain.output().find(reverse), std::string::npos);
        EXPECT_TRUE(plain.shows("q quit"));
}

TEST_F(Top, OnADumbTerminalPrintsLines) {
        PseudoTerminal terminal(command({"--count", "1"}, {"TERM=dumb"}));
        EXPECT_EQ(terminal.wait(), 0);
        EXPECT_EQ(terminal.output().find('\x1b'), std::string::npos);
        EXPECT_NE(terminal.output().find("8 cpus, 6 free; "), std::string::npos);
}

TEST_F(Top, WithoutATerminalPrintsAPictureForEachInterval) {
        const auto two = run(command({"--count", "2", "--interval", "0.1"}));
        EXPECT_EQ(two.status, 0) << two.err;
        EXPECT_EQ(two.out.find('\x1b'), std::string::npos);
        const auto first = two.out.find("8 cpus, 6 free; ");
        ASSERT_NE(first, std::string::npos) << two.out;
        const auto second = two.out.find("8 cpus, 6 free; ", first + 1);
        EXPECT_NE(second, std::string::npos);
        EXPECT_EQ(two.out.find("8 cpus, 6 free; ", second + 1), std::string::npos);
}

TEST_F(Top, PrintsAnObjectForEachInterval) {
        Process top(command({"--json", "--interval", "0.1"}));
        const auto lines = [&] {
                std::istringstream text(top.out());
                std::vector<std::string> all;
                for (std::string line; std::getline(text, line) && !text.eof();)
                        all.push_back(line);
                return all;
        };
        ASSERT_TRUE(eventually([&] { return lines().size() >= 2; }));
        expect_json(lines().back(), nullptr);
        daemon_.kill();
        ASSERT_TRUE(eventually(
                [&] { return lines().back().find("no governor") != std::string::npos; }));
        expect_json(lines().back(), "no governor");
        daemon_.start();
        ASSERT_TRUE(eventually(
                [&] { return lines().back().find("no governor") == std::string::npos; }));
        expect_json(lines().back(), nullptr);
}

TEST_F(Top, PrintsAnObjectWhereThePathOfItsSocketIsNoText) {
        const auto path = daemon_.directory().path("\xff");
        std::filesystem::create_symlink(daemon_.socket(), path);
        Process top(
                {{GOVERNORCTL, "--json", "--socket", path, "top", "--interval", "0.1"}, {}, {}});
        ASSERT_TRUE(eventually([&] { return !top.out().empty(); }));
        daemon_.kill();
        EXPECT_TRUE(eventually([&] {
                const auto text = top.out();
                const auto trouble = text.find("no governor");
                return trouble != text.npos && text.find('\n', trouble) != text.npos;
        })) << top.out()
            << top.err();
        EXPECT_EQ(top.out().find('\xff'), std::string::npos);
}

TEST_F(Top, FailsAtOnceWhereThereIsNoGovernor) {
        daemon_.kill();
        PseudoTerminal terminal(command({}));
        EXPECT_EQ(terminal.wait(), 3);
        EXPECT_EQ(terminal.output().find(kEnter), std::string::npos);
        EXPECT_NE(terminal.output().find("governorctl: no governor at "), std::string::npos);
        EXPECT_EQ(run(command({"--json"})).status, 3);
}

TEST_F(Top, NamesWrongUsage) {
        EXPECT_EQ(run(command({"--interval", "0.05"})).status, 2);
        EXPECT_EQ(run(command({"--interval", "3601"})).status, 2);
        EXPECT_EQ(run(command({"--count", "-1"})).status, 2);
        for (const auto* none : {"nan", "-nan", "NaN(1)"})
                EXPECT_EQ(run(command({"--count", "2", "--interval", none})).status, 2) << none;
}

}  // namespace
