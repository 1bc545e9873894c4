// SPDX-License-Identifier: MIT
// Tables and one sentence.
#include "demo/words.hpp"

#include "demo/audience.hpp"
#include "render/table.hpp"

#include <algorithm>

namespace ctl::demo {

namespace {

/// Less than this, either way, is no difference on a machine that does other things, too.
constexpr double kSame = 0.05;

bool has_stopped(const Act& act) {
        return std::ranges::any_of(act, [](const Program& program) { return program.is_stopped; });
}

double last_end(const Act& act) {
        double last = 0;
        for (const auto& program : act)
                last = std::max(last, program.seconds);
        return last;
}

double mean_end(const Act& act) {
        double sum = 0;
        for (const auto& program : act)
                sum += program.seconds;
        return sum / static_cast<double>(std::max<std::size_t>(act.size(), 1));
}

std::string time_cell(double seconds, bool is_more) {
        return (is_more ? "> " : "") + decimal(seconds) + " s";
}

std::vector<std::string> summary_row(const std::string& name, const Acts& acts,
                                     double (*of)(const Act&)) {
        std::vector<std::string> row{name};
        for (const auto* act : {&acts.without, &acts.with, &acts.in_turn})
                row.push_back(time_cell(of(*act), has_stopped(*act)));
        return row;
}

/// Of the last program's end.
std::string gain(const Acts& acts) {
        const auto without = last_end(acts.without);
        const auto with = last_end(acts.with);
        const auto than = (has_stopped(acts.without) ? "more than " : "") + decimal(without) + " s";
        if (has_stopped(acts.with) && has_stopped(acts.without))
                return "neither with nor without the governor were the programs done after " +
                       decimal(with) + " s";
        if (has_stopped(acts.with))
                return "the governor lost here: the programs were not done after " + decimal(with) +
                       " s with it, and were after " + than + " without it";
        const auto both = decimal(with) + " s with it, " + than + " without it";
        if (has_stopped(acts.without) && with > without * (1 - kSame))
                return "nobody knows what the governor gained here: the programs were done after " +
                       both;
        if (with > without * (1 + kSame))
                return "the governor lost here: the programs were done after " + both;
        if (with > without * (1 - kSame))
                return "the governor gained nothing here: the programs were done after " + both;
        return "with the governor all were done after " + decimal(with) + " s instead of " + than +
               ", " + (has_stopped(acts.without) ? "at least " : "") +
               decimal(without / std::max(with, 0.001)) + " times as fast";
}

/// Of the mean end, in turn against side by side.
std::string gain_of_turns(const Acts& acts) {
        if (has_stopped(acts.in_turn) || has_stopped(acts.with))
                return "turns were not done in time";
        const auto in_turn = mean_end(acts.in_turn);
        const auto with = mean_end(acts.with);
        const auto both =
                decimal(in_turn) + " s on the mean, and after " + decimal(with) + " s side by side";
        return in_turn < with * (1 - kSame) ? "one after the other each was done after " + both
                                            : "turns gained nothing: each was done after " + both;
}

/// As a shell has to read it.
std::string quoted(const std::string& word) {
        constexpr auto kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+,:@%=";
        if (word.find_first_not_of(kPlain) == word.npos)
                return word;
        std::string text = "'";
        for (const char letter : word)
                text += letter == '\'' ? "'\\''" : std::string(1, letter);
        return text + "'";
}

}  // namespace

std::string times_table(const Acts& acts) {
        using render::Align;
        std::vector<std::vector<std::string>> rows;
        for (std::size_t i = 0; i < acts.without.size(); i++) {
                std::vector<std::string> row{acts.without[i].name};
                for (const auto* act : {&acts.without, &acts.with, &acts.in_turn})
                        row.push_back(time_cell(act->at(i).seconds, act->at(i).is_stopped));
                rows.push_back(row);
        }
        rows.push_back(summary_row("all done", acts, last_end));
        rows.push_back(summary_row("mean", acts, mean_end));
        return render::table({{"DONE AFTER"},
                              {"WITHOUT", Align::Right},
                              {"WITH", Align::Right},
                              {"IN TURN", Align::Right}},
                             rows);
}

std::string next_commands(const Place& place) {
        const auto run = quoted(place.fairly) + " YOUR-PROGRAM";
        const auto governord = quoted(place.governord);
        if (place.is_left_alone)
                return "Next:    " + quoted(place.governorctl) +
                       " doctor\n         The governor of this host leaves programs alone: doctor "
                       "says what ends that.\n";
        if (place.is_served)
                return "Next:    " + run + "\n";
        const std::string user = place.is_root ? "" : "--user ";
        if (place.has_units)
                return "Next:    systemctl " + user + "enable --now governord.socket\n         " +
                       run + "\n";
        if (place.is_root || place.has_runtime_folder)
                return "Next:    " + governord + " &\n         " + run + "\n";
        return "Next:    export THREADCOUNT_SOCKET=/tmp/governord.sock\n         " + governord +
               " --socket $THREADCOUNT_SOCKET &\n         " + run + "\n";
}

std::string verdict(const Acts& acts) {
        if (acts.were_interrupted)
                return "Verdict: none; the demo was stopped meanwhile, and that counts in the "
                       "times.";
        return "Verdict: " + gain(acts) + ";\n         " + gain_of_turns(acts) + ".";
}

}  // namespace ctl::demo
