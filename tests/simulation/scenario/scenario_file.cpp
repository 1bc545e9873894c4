// SPDX-License-Identifier: MIT
// Sections are made in their order, so that a name can only refer to what stands above.
#include "simulation/scenario/scenario_file.hpp"

#include "config/ini_file.hpp"
#include "simulation/report/figures.hpp"
#include "simulation/scenario/keys.hpp"
#include "simulation/scenario/quantities.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace simulation {

namespace {

using governor::config::Assignment;

constexpr std::string_view kSections =
        "[scenario], [machine], [settings], [cgroup NAME], [rule NAME], [program NAME], "
        "[foreign NAME], [event TIME], [expect], [expect TIME]";

/// "program", "editor" of "program editor".
struct SectionName {
        std::string_view kind;
        std::string_view name;

        explicit SectionName(std::string_view text) {
                const auto space = text.find(' ');
                kind = text.substr(0, space);
                if (space != text.npos)
                        name = text.substr(text.find_first_not_of(' ', space));
        }
};

template <class Part> std::string names_of(std::span<const Key<Part>> keys) {
        std::string names;
        for (const auto& key : keys)
                names += (names.empty() ? "" : ", ") + std::string(key.name);
        return names;
}

/// The one of that name, made if there is none.
template <class Part> Part& named(std::vector<Part>& parts, std::string_view name) {
        for (auto& part : parts)
                if (part.name == name)
                        return part;
        parts.emplace_back();
        parts.back().name = std::string(name);
        return parts.back();
}

class Reader {
public:
        Reader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

        tl::expected<Scenario, Errors> read();

private:
        void read_empty_sections();
        void take(const Assignment& assignment);
        void take_expectation(const Assignment& assignment, std::string_view time);
        void take_event(const Assignment& assignment, std::string_view time);
        void check();

        template <class Part>
        void set(std::span<const Key<Part>> keys, Part& part, const Assignment& assignment) {
                const auto key = std::ranges::find(keys, assignment.key, &Key<Part>::name);
                if (key == keys.end())
                        complain(assignment.line, "unknown key `" + assignment.key + "` in [" +
                                                          assignment.section +
                                                          "]; known: " + names_of(keys));
                else if (!key->set(part, assignment.value, scenario_))
                        refuse(assignment, key->accepted);
        }

        void refuse(const Assignment& assignment, std::string_view accepted) {
                complain(assignment.line, "`" + assignment.key + " = " + assignment.value +
                                                  "` is not accepted; accepted: " +
                                                  std::string(accepted));
        }
        void complain(std::size_t line, const std::string& message) {
                errors_.push_back({file_, line, message});
        }

        std::string file_;
        std::string_view text_;
        Scenario scenario_;
        Errors errors_;
};

/// A section without keys is not in the list of assignments, but may mean something.
void Reader::read_empty_sections() {
        std::istringstream lines{std::string(text_)};
        std::string open;
        std::size_t opened = 0;
        std::size_t number = 0;
        const auto close = [&] {
                if (!open.empty())
                        complain(opened, "section " + open + " is empty");
        };
        for (std::string line; std::getline(lines, line);) {
                number++;
                const auto first = line.find_first_not_of(" \t\r");
                if (first == line.npos || line[first] == '#' || line[first] == ';')
                        continue;
                if (line[first] != '[') {
                        open.clear();
                        continue;
                }
                close();
                open = line.substr(first, line.find(']') - first + 1);
                opened = number;
        }
        close();
}

void Reader::take(const Assignment& assignment) {
        const SectionName section(assignment.section);
        const auto& [kind, name] = section;
        const bool is_named = !name.empty();
        if (kind == "scenario" && !is_named)
                set(scenario_keys(), scenario_, assignment);
        else if (kind == "machine" && !is_named)
                set(machine_keys(), scenario_.machine, assignment);
        else if (kind == "settings" && !is_named)
                set(settings_keys(), scenario_.governor, assignment);
        else if (kind == "cgroup" && is_named)
                set(cgroup_keys(), named(scenario_.cgroups, name), assignment);
        else if (kind == "rule" && is_named)
                set(rule_keys(), named(scenario_.rules, name), assignment);
        else if (kind == "program" && is_named)
                set(program_keys(), named(scenario_.programs, name), assignment);
        else if (kind == "foreign" && is_named)
                set(foreign_keys(), named(scenario_.foreign, name), assignment);
        else if (kind == "event" && is_named)
                take_event(assignment, name);
        else if (kind == "expect")
                take_expectation(assignment, name);
        else
                complain(assignment.line, "unknown section [" + assignment.section +
                                                  "]; known: " + std::string(kSections));
}

void Reader::take_event(const Assignment& assignment, std::string_view time) {
        const auto at = parse_time(time);
        if (!at) {
                complain(assignment.line, "section [" + assignment.section +
                                                  "]: not a time; accepted: such as [event 5s]");
                return;
        }
        auto event = std::ranges::find(scenario_.hotplug, *at, &Hotplug::at);
        if (event == scenario_.hotplug.end()) {
                scenario_.hotplug.push_back({*at, {}, {}});
                event = std::prev(scenario_.hotplug.end());
        }
        set(hotplug_keys(), *event, assignment);
}

void Reader::take_expectation(const Assignment& assignment, std::string_view time) {
        const auto range = parse_range(assignment.value);
        if (!range) {
                refuse(assignment, "a range: LOW..HIGH, LOW.., ..HIGH, or one number");
                return;
        }
        if (time.empty()) {
                if (!is_figure(assignment.key))
                        complain(assignment.line, "unknown figure `" + assignment.key +
                                                          "`; known: " + figure_names());
                scenario_.expected.push_back({assignment.key, *range, assignment.line});
                return;
        }
        if (const auto at = parse_time(time))
                scenario_.expected_grants.push_back(
                        {*at, assignment.key, *range, assignment.line});
        else
                complain(assignment.line, "section [" + assignment.section +
                                                  "]: not a time; accepted: such as [expect 5s]");
}

/// What can only be seen when everything has been read.
void Reader::check() {
        const auto& machine = scenario_.machine;
        if (machine.cpus % machine.smt != 0)
                complain(0, "[machine] cpus = " + std::to_string(machine.cpus) +
                                    " is no multiple of smt = " + std::to_string(machine.smt));
        for (std::size_t i = 0; i < scenario_.cgroups.size(); i++)
                if (scenario_.cgroups[i].parent == i)
                        complain(0, "[cgroup " + scenario_.cgroups[i].name + "] is its own parent");
        for (const auto& expected : scenario_.expected_grants)
                if (!std::ranges::any_of(scenario_.programs, [&](const Program& program) {
                            return program.name == expected.program;
                    }))
                        complain(expected.line, "there is no [program " + expected.program + "]");
        std::ranges::stable_sort(scenario_.hotplug, {}, &Hotplug::at);
}

tl::expected<Scenario, Errors> Reader::read() {
        const auto stem = file_.substr(file_.rfind('/') + 1);
        scenario_.name = stem.substr(0, stem.rfind('.'));
        const auto ini = governor::config::parse_ini(text_);
        for (const auto& error : ini.errors)
                complain(error.line, error.message);
        for (const auto& assignment : ini.assignments)
                take(assignment);
        read_empty_sections();
        check();
        if (errors_.empty())
                return std::move(scenario_);
        std::ranges::stable_sort(errors_, {}, &Error::line);
        return tl::unexpected(std::move(errors_));
}

template <class Part>
void write_section(std::string& text, const std::string& header, std::span<const Key<Part>> keys,
                   const Part& part, const Scenario& scenario) {
        std::string lines;
        for (const auto& key : keys)
                if (const auto value = key.get(part, scenario); !value.empty())
                        lines += std::string(key.name) + " = " + value + "\n";
        if (!lines.empty())
                text += (text.empty() ? "[" : "\n[") + header + "]\n" + lines;
}

/// A part that exists, with one key at least.
template <class Part>
void write_part(std::string& text, const std::string& header, std::span<const Key<Part>> keys,
                const Part& part, const Scenario& scenario, std::string_view otherwise) {
        const auto before = text.size();
        write_section(text, header, keys, part, scenario);
        if (text.size() == before)
                text += "\n[" + header + "]\n" + std::string(otherwise) + "\n";
}

template <class Part>
void describe(std::string& text, std::string_view header, std::span<const Key<Part>> keys) {
        text += std::string(header) + "\n";
        for (const auto& key : keys) {
                std::string line = "    " + std::string(key.name);
                line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
                line += key.accepted;
                if (!key.meaning.empty())
                        line += "\n" + std::string(20, ' ') + std::string(key.meaning);
                text += line + "\n";
        }
}

}  // namespace

tl::expected<Scenario, Errors> parse_scenario(std::string_view text, const std::string& file) {
        return Reader(file, text).read();
}

tl::expected<Scenario, Errors> load_scenario(const std::string& path) {
        std::ifstream file(path);
        std::ostringstream text;
        if (!file || !(text << file.rdbuf()))
                return tl::unexpected(
                        Errors{{path, 0, std::string("cannot be read: ") + std::strerror(errno)}});
        return parse_scenario(text.str(), path);
}

std::string write_scenario(const Scenario& scenario) {
        std::string text;
        write_section(text, "scenario", scenario_keys(), scenario, scenario);
        write_section(text, "machine", machine_keys(), scenario.machine, scenario);
        write_section(text, "settings", settings_keys(), scenario.governor, scenario);
        for (const auto& group : scenario.cgroups)
                write_part(text, "cgroup " + group.name, cgroup_keys(), group, scenario,
                           "idle = no");
        for (const auto& rule : scenario.rules)
                write_part(text, "rule " + rule.name, rule_keys(), rule, scenario, "ignore = no");
        for (const auto& program : scenario.programs)
                write_part(text, "program " + program.name, program_keys(), program, scenario,
                           "copies = 1");
        for (const auto& foreign : scenario.foreign)
                write_part(text, "foreign " + foreign.name, foreign_keys(), foreign, scenario,
                           "threads = 1");
        for (const auto& event : scenario.hotplug)
                write_section(text, "event " + format_time(event.at), hotplug_keys(), event,
                              scenario);
        for (const auto& expected : scenario.expected)
                text += "\n[expect]\n" + expected.figure + " = " + format_range(expected.range) +
                        "\n";
        for (const auto& expected : scenario.expected_grants)
                text += "\n[expect " + format_time(expected.at) + "]\n" + expected.program + " = " +
                        format_range(expected.range) + "\n";
        return text;
}

std::string describe_keys() {
        std::string text;
        describe(text, "[scenario]", scenario_keys());
        describe(text, "[machine]", machine_keys());
        describe(text, "[settings]", settings_keys());
        describe(text, "[cgroup NAME]", cgroup_keys());
        describe(text, "[rule NAME]", rule_keys());
        describe(text, "[program NAME]", program_keys());
        describe(text, "[foreign NAME]", foreign_keys());
        describe(text, "[event TIME]", hotplug_keys());
        text += "[expect]\n    " + figure_names() + "\n" + std::string(20, ' ') +
                "a range: LOW..HIGH, LOW.., ..HIGH, or one number\n"
                "[expect TIME]\n    PROGRAM       a range: CPUs that each of its copies is granted "
                "then\n";
        return text;
}

}  // namespace simulation
