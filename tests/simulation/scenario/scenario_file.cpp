// SPDX-License-Identifier: MIT
// Sections are made in their order, so that a name can only refer to what stands above.
#include "simulation/scenario/scenario_file.hpp"

#include "config/ini_file.hpp"
#include "config/keys.hpp"
#include "simulation/report/figures.hpp"
#include "simulation/scenario/keys.hpp"
#include "simulation/scenario/quantities.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace simulation {

namespace {

using governor::config::Assignment;
using governor::config::Section;

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
                if (const auto begin = text.find_first_not_of(' ', space); begin != text.npos)
                        name = text.substr(begin);
        }
};

constexpr std::string_view kRange = "a range: LOW..HIGH, LOW.., ..HIGH, or one number";

template <class AnyKey>
std::string names_of(std::span<const AnyKey> keys) {
        std::string names;
        for (const auto& key : keys)
                names += (names.empty() ? "" : ", ") + std::string(key.name);
        return names;
}

template <class Part>
Part& added(std::vector<Part>& parts, std::string_view name) {
        parts.emplace_back();
        parts.back().name = std::string(name);
        return parts.back();
}

class Reader {
public:
        Reader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

        tl::expected<Scenario, Errors> read();

private:
        void take(const Section& section);
        bool take_named(const Section& section, const SectionName& name);
        void take_rule(const Section& section, std::string_view name);
        void take_event(const Section& section, Time at);
        void take_figures(const Section& section);
        void take_grants(const Section& section, Time at);
        void note(const Section& section);
        void check();
        void check_cpus(const std::string& section, std::string_view key,
                        const std::optional<CpuSet>& cpus);
        void check_all_cpus();
        void check_times();
        void check_limits();
        void check_rule(const governor::policy::fair::Rule& rule);

        /// The line where a section begins, or a key of it stands; 0: nowhere.
        [[nodiscard]] std::size_t line_of(const std::string& section,
                                          std::string_view key = {}) const;

        template <class Part>
        void set(std::span<const Key<Part>> keys, Part& part, const Section& section) {
                for (const auto& assignment : section.assignments) {
                        const auto key = std::ranges::find(keys, assignment.key, &Key<Part>::name);
                        if (key == keys.end())
                                complain_of_key(assignment, names_of(keys));
                        else if (!key->set(part, assignment.value, scenario_))
                                refuse(assignment, key->accepted);
                }
        }

        void complain_of_key(const Assignment& assignment, const std::string& known) {
                complain(assignment.line, "unknown key `" + assignment.key + "`; known: " + known);
        }
        void refuse(const Assignment& assignment, std::string_view accepted) {
                complain(assignment.line,
                         "`" + assignment.key + " = " + assignment.value +
                                 "` is not accepted; accepted: " + std::string(accepted));
        }
        void complain(std::size_t line, const std::string& message) {
                errors_.push_back({{file_, line}, message});
        }

        std::string file_;
        std::string_view text_;
        Scenario scenario_;
        Errors errors_;
        std::map<std::string, std::size_t> lines_;  // by "[section]" and "[section] key"
};

void Reader::take(const Section& section) {
        if (section.line == 0) {
                for (const auto& assignment : section.assignments)
                        complain(assignment.line,
                                 "`" + assignment.key + "` stands before any section");
                return;
        }
        const SectionName name(section.name);
        if (section.name == "scenario")
                set(scenario_keys(), scenario_, section);
        else if (section.name == "machine")
                set(machine_keys(), scenario_.machine, section);
        else if (section.name == "settings")
                set(settings_keys(), scenario_.governor, section);
        else if (section.name == "expect")
                take_figures(section);
        else if (name.name.empty() || !take_named(section, name))
                complain(section.line, "unknown section [" + section.name +
                                               "]; known: " + std::string(kSections));
}

bool Reader::take_named(const Section& section, const SectionName& name) {
        const bool has_time = name.kind == "event" || name.kind == "expect";
        const auto at = parse_time(name.name);
        if (has_time && !at)
                complain(section.line, "[" + section.name + "]: `" + std::string(name.name) +
                                               "` is not accepted; accepted: a time with its unit, "
                                               "such as 5s");
        else if (name.kind == "event")
                take_event(section, *at);
        else if (name.kind == "expect")
                take_grants(section, *at);
        else if (name.kind == "cgroup")
                set(cgroup_keys(), added(scenario_.cgroups, name.name), section);
        else if (name.kind == "rule")
                take_rule(section, name.name);
        else if (name.kind == "program")
                set(program_keys(), added(scenario_.programs, name.name), section);
        else if (name.kind == "foreign")
                set(foreign_keys(), added(scenario_.foreign, name.name), section);
        else
                return false;
        return true;
}

void Reader::take_rule(const Section& section, std::string_view name) {
        auto& rule = added(scenario_.rules, name);
        const auto keys = governor::config::program_keys();
        for (const auto& assignment : section.assignments) {
                const auto* key = governor::config::find_key(keys, assignment.key);
                if (key == nullptr)
                        complain_of_key(assignment, names_of(keys));
                else if (!key->set(rule, assignment.value))
                        refuse(assignment, key->accepted);
        }
}

void Reader::take_event(const Section& section, Time at) {
        scenario_.hotplug.push_back({at, {}, {}});
        set(hotplug_keys(), scenario_.hotplug.back(), section);
}

void Reader::take_figures(const Section& section) {
        for (const auto& assignment : section.assignments) {
                const auto range = parse_range(assignment.value);
                if (!is_figure(assignment.key))
                        complain_of_key(assignment, figure_names());
                else if (!range)
                        refuse(assignment, kRange);
                else
                        scenario_.expected.push_back({assignment.key, *range, assignment.line});
        }
}

void Reader::take_grants(const Section& section, Time at) {
        for (const auto& assignment : section.assignments) {
                if (const auto range = parse_range(assignment.value))
                        scenario_.expected_grants.push_back(
                                {at, assignment.key, *range, assignment.line});
                else
                        refuse(assignment, kRange);
        }
}

/// A section is told by its kind and name, or its time, however they are written.
std::string section_id(const Section& section) {
        const SectionName name(section.name);
        const auto at = parse_time(name.name);
        if ((name.kind == "event" || name.kind == "expect") && at)
                return "[" + std::string(name.kind) + " " + format_time(*at) + "]";
        return name.name.empty()
                       ? "[" + std::string(name.kind) + "]"
                       : "[" + std::string(name.kind) + " " + std::string(name.name) + "]";
}

void Reader::note(const Section& section) {
        if (section.line == 0)
                return;
        const auto id = section_id(section);
        if (const auto [entry, is_new] = lines_.try_emplace(id, section.line); !is_new)
                complain(section.line,
                         id + " stands in line " + std::to_string(entry->second) + " already");
        for (const auto& assignment : section.assignments)
                lines_.try_emplace(id + " " + assignment.key, assignment.line);
}

std::size_t Reader::line_of(const std::string& section, std::string_view key) const {
        auto found = lines_.find(key.empty() ? section : section + " " + std::string(key));
        if (found == lines_.end())
                found = lines_.find(section);
        return found != lines_.end() ? found->second : 0;
}

void Reader::check_cpus(const std::string& section, std::string_view key,
                        const std::optional<CpuSet>& cpus) {
        if (cpus && !cpus->empty() && cpus->back() >= scenario_.machine.cpus)
                complain(line_of(section, key), section + " " + std::string(key) + " names CPU " +
                                                        std::to_string(cpus->back()) +
                                                        "; the machine has 0 .. " +
                                                        std::to_string(scenario_.machine.cpus - 1));
}

void Reader::check_all_cpus() {
        check_cpus("[machine]", "pool", scenario_.machine.pool);
        check_cpus("[machine]", "isolated", scenario_.machine.isolated);
        for (const auto& group : scenario_.cgroups)
                check_cpus("[cgroup " + group.name + "]", "cpus", group.cpus);
        for (const auto& program : scenario_.programs)
                check_cpus("[program " + program.name + "]", "cpus", program.cpus);
        for (const auto& foreign : scenario_.foreign)
                check_cpus("[foreign " + foreign.name + "]", "cpus", foreign.cpus);
        for (const auto& event : scenario_.hotplug) {
                const auto section = "[event " + format_time(event.at) + "]";
                check_cpus(section, "offline", event.offline);
                check_cpus(section, "online", event.online);
        }
}

void Reader::check_times() {
        const auto check = [&](const std::string& kind, Time at, std::size_t line) {
                if (at > scenario_.end)
                        complain(line, "[" + kind + " " + format_time(at) +
                                               "] comes after the end, which is at " +
                                               format_time(scenario_.end));
        };
        for (const auto& event : scenario_.hotplug)
                check("event", event.at, line_of("[event " + format_time(event.at) + "]"));
        for (const auto& expected : scenario_.expected_grants)
                check("expect", expected.at, expected.line);
}

void Reader::check_limits() {
        const auto check = [&](const std::string& section, std::uint32_t min, std::uint32_t max) {
                if (max > 0 && min > max)
                        complain(line_of(section, "min"),
                                 section + " min = " + std::to_string(min) +
                                         " is above max = " + std::to_string(max));
        };
        for (const auto& program : scenario_.programs)
                check("[program " + program.name + "]", program.min, program.max);
        for (const auto& rule : scenario_.rules)
                check("[rule " + rule.name + "]", rule.min.value_or(1), rule.max.value_or(0));
}

/// A rule must apply to a program, and say something about it.
void Reader::check_rule(const governor::policy::fair::Rule& rule) {
        const auto section = "[rule " + rule.name + "]";
        const bool applies_to_some =
                std::ranges::any_of(scenario_.programs, [&](const Program& program) {
                        return governor::policy::fair::applies(
                                rule, {program.user, program.name, "/usr/bin/" + program.name});
                });
        if (!applies_to_some)
                complain(line_of(section), section + " applies to no program");
        else if (!rule.weight && !rule.min && !rule.max && !rule.scheduling_class && !rule.ignore)
                complain(line_of(section), section + " says nothing about the programs that it "
                                                     "applies to");
}

/// Finds the mistakes that can only be seen when everything has been read.
void Reader::check() {
        const auto& machine = scenario_.machine;
        if (machine.cpus % machine.smt != 0)
                complain(line_of("[machine]", "smt"),
                         "[machine] cpus = " + std::to_string(machine.cpus) +
                                 " is no multiple of smt = " + std::to_string(machine.smt));
        for (std::size_t i = 0; i < scenario_.cgroups.size(); i++)
                if (const auto parent = scenario_.cgroups[i].parent; parent && *parent >= i)
                        complain(line_of("[cgroup " + scenario_.cgroups[i].name + "]"),
                                 "[cgroup " + scenario_.cgroups[i].name +
                                         "] stands above its parent");
        for (const auto& expected : scenario_.expected_grants)
                if (std::ranges::find(scenario_.programs, expected.program, &Program::name) ==
                    scenario_.programs.end())
                        complain(expected.line, "there is no [program " + expected.program + "]");
        check_all_cpus();
        check_times();
        check_limits();
        for (const auto& rule : scenario_.rules)
                check_rule(rule);
        std::ranges::stable_sort(scenario_.hotplug, {}, &Hotplug::at);
}

tl::expected<Scenario, Errors> Reader::read() {
        const auto stem = file_.substr(file_.rfind('/') + 1);
        scenario_.name = stem.substr(0, stem.rfind('.'));
        const auto ini = governor::config::parse_ini(text_);
        for (const auto& error : ini.errors)
                complain(error.line, error.message);
        for (const auto& section : ini.sections) {
                take(section);
                note(section);
        }
        check();
        if (errors_.empty())
                return std::move(scenario_);
        std::ranges::stable_sort(errors_, {}, [](const Error& error) { return error.origin.line; });
        return tl::unexpected(std::move(errors_));
}

void write_header(std::string& text, const std::string& header) {
        text += (text.empty() ? "[" : "\n[") + header + "]\n";
}

template <class Part>
void write_section(std::string& text, const std::string& header, std::span<const Key<Part>> keys,
                   const Part& part, const Scenario& scenario) {
        write_header(text, header);
        for (const auto& key : keys)
                if (const auto value = key.get(part, scenario); !value.empty())
                        text += std::string(key.name) + " = " + value + "\n";
}

void write_rule(std::string& text, const governor::policy::fair::Rule& rule) {
        write_header(text, "rule " + rule.name);
        for (const auto& key : governor::config::program_keys())
                if (const auto value = key.get(rule); !value.empty())
                        text += std::string(key.name) + " = " + value + "\n";
}

void write_expectations(std::string& text, const Scenario& scenario) {
        if (!scenario.expected.empty())
                write_header(text, "expect");
        for (const auto& expected : scenario.expected)
                text += expected.figure + " = " + format_range(expected.range) + "\n";
        const ExpectedGrant* before = nullptr;
        for (const auto& expected : scenario.expected_grants) {
                if (before == nullptr || before->at != expected.at)
                        write_header(text, "expect " + format_time(expected.at));
                text += expected.program + " = " + format_range(expected.range) + "\n";
                before = &expected;
        }
}

template <class AnyKey>
void describe(std::string& text, std::string_view header, std::span<const AnyKey> keys) {
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
        if (file && file.peek() == std::ifstream::traits_type::eof())
                return tl::unexpected(Errors{{{path, 0}, "is empty, or a folder"}});
        if (!file || !(text << file.rdbuf()))
                return tl::unexpected(Errors{
                        {{path, 0}, std::string("cannot be read: ") + std::strerror(errno)}});
        return parse_scenario(text.str(), path);
}

std::string write_scenario(const Scenario& scenario) {
        std::string text;
        write_section(text, "scenario", scenario_keys(), scenario, scenario);
        write_section(text, "machine", machine_keys(), scenario.machine, scenario);
        write_section(text, "settings", settings_keys(), scenario.governor, scenario);
        for (const auto& group : scenario.cgroups)
                write_section(text, "cgroup " + group.name, cgroup_keys(), group, scenario);
        for (const auto& rule : scenario.rules)
                write_rule(text, rule);
        for (const auto& program : scenario.programs)
                write_section(text, "program " + program.name, program_keys(), program, scenario);
        for (const auto& foreign : scenario.foreign)
                write_section(text, "foreign " + foreign.name, foreign_keys(), foreign, scenario);
        for (const auto& event : scenario.hotplug)
                write_section(text, "event " + format_time(event.at), hotplug_keys(), event,
                              scenario);
        write_expectations(text, scenario);
        return text;
}

std::string describe_keys() {
        std::string text;
        describe(text, "[scenario]", scenario_keys());
        describe(text, "[machine]", machine_keys());
        describe(text, "[settings]", settings_keys());
        describe(text, "[cgroup NAME]", cgroup_keys());
        describe(text, "[rule NAME]", governor::config::program_keys());
        describe(text, "[program NAME]", program_keys());
        describe(text, "[foreign NAME]", foreign_keys());
        describe(text, "[event TIME]", hotplug_keys());
        text += "[expect]\n    " + figure_names() + "\n" + std::string(20, ' ') +
                std::string(kRange) +
                "\n[expect TIME]\n    PROGRAM       a range: CPUs that each of its copies is "
                "granted "
                "then\n";
        return text;
}

}  // namespace simulation
