// SPDX-License-Identifier: MIT
// Section by section, key by key.
#include "config/apply.hpp"

#include "config/ini_file.hpp"
#include "config/keys.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace governor::config {

namespace {

using policy::fair::Rule;

template <class Target>
std::string names_of(std::span<const KeyOf<Target>> keys) {
        std::string names;
        for (const auto& key : keys)
                names += (names.empty() ? "" : ", ") + std::string(key.name);
        return names;
}

/// Empty if all is well, else what is wrong with the assignment.
template <class Target>
std::string assign(std::span<const KeyOf<Target>> keys, Target& target,
                   const Assignment& assignment) {
        const auto* key = find_key(keys, assignment.key);
        if (key == nullptr)
                return "unknown key `" + assignment.key + "`; known: " + names_of(keys);
        if (key->set(target, assignment.value))
                return {};
        const auto why = key->explain != nullptr ? key->explain(assignment.value) : std::string();
        return "`" + assignment.key + " = " + assignment.value + "` is not accepted" +
               (why.empty() ? "; accepted: " + std::string(key->accepted) : ": " + why);
}

/// One file on its way into the settings.
class Applier {
public:
        Applier(const std::string& file, Settings& settings, Errors& errors,
                const UserLookup& users)
                : file_(file), settings_(settings), errors_(errors), users_(users) {}

        void take(const Section& section) {
                if (section.line == 0)
                        refuse_outside(section);
                else if (section.name == "governor")
                        take_governor(section);
                else if (!program_name(section.name).empty())
                        take_program(section);
                else
                        complain(section.line, what_is_wrong_with(section.name));
        }

private:
        void complain(std::size_t line, std::string message) {
                errors_.push_back({{file_, line}, std::move(message)});
        }

        void refuse_outside(const Section& section) {
                for (const auto& assignment : section.assignments)
                        complain(assignment.line,
                                 "`" + assignment.key +
                                         "` stands before any section; put it below [governor]");
        }

        static std::string what_is_wrong_with(const std::string& section) {
                if (section == "program" || section.starts_with("program "))
                        return "[" + section +
                               "] has no name that is accepted; accepted: [program NAME], NAME of "
                               "1 to 64 letters, digits, '-' or '_'";
                return "unknown section [" + section + "]; known: [governor], [program NAME]";
        }

        void take_governor(const Section& section) {
                for (const auto& assignment : section.assignments)
                        note(assignment, assignment.key, assign(keys(), settings_, assignment));
        }

        void take_program(const Section& section) {
                const auto [seen, first] = seen_.emplace(section.name, section.line);
                if (!first)
                        return complain(section.line,
                                        "[" + section.name + "] is in line " +
                                                std::to_string(seen->second) +
                                                " already; give this rule another name");
                auto& rule = rule_of(section);
                for (const auto& assignment : section.assignments)
                        note(assignment, section.name + "." + assignment.key,
                             assign_to_rule(rule, assignment));
        }

        /// The one that an earlier file began, or a new one.
        Rule& rule_of(const Section& section) {
                const std::string name(program_name(section.name));
                if (settings_.origins.emplace(section.name, Origin{file_, section.line}).second) {
                        settings_.programs.emplace_back().name = name;
                        return settings_.programs.back();
                }
                return *std::ranges::find(settings_.programs, name, &Rule::name);
        }

        std::string assign_to_rule(Rule& rule, Assignment assignment) {
                const bool names_user =
                        assignment.key == "user" && !assignment.value.empty() &&
                        assignment.value.find_first_not_of("0123456789") != std::string::npos;
                if (names_user) {
                        const auto uid = users_(assignment.value);
                        if (!uid)
                                return "`user = " + assignment.value + "`: " + uid.error();
                        assignment.value = std::to_string(*uid);
                }
                return assign(program_keys(), rule, assignment);
        }

        void note(const Assignment& assignment, const std::string& key, std::string wrong) {
                if (!wrong.empty())
                        complain(assignment.line, std::move(wrong));
                else
                        settings_.origins[key] = {file_, assignment.line};
        }

        const std::string& file_;
        Settings& settings_;
        Errors& errors_;
        const UserLookup& users_;
        std::map<std::string, std::size_t> seen_;  // rules of this file: section -> line
};

bool has_effect(const Rule& rule) {
        return rule.weight || rule.min || rule.max || rule.scheduling_class || rule.ignore ||
               rule.adapts;
}

void check_rule(const Rule& rule, const Settings& settings, Errors& errors) {
        const auto section = "program " + rule.name;
        if (!has_effect(rule))
                errors.push_back({settings.origins.at(section),
                                  "[" + section +
                                          "] has no effect; set weight, min, max, class, "
                                          "ignore or teams"});
        if (rule.min && rule.max && *rule.min > *rule.max)
                errors.push_back({settings.origins.at(section + ".min"),
                                  "`min = " + std::to_string(*rule.min) +
                                          "` is above `max = " + std::to_string(*rule.max) +
                                          "` of " + settings.origins.at(section + ".max").text()});
}

}  // namespace

void apply(std::string_view text, const std::string& file, Settings& settings, Errors& errors,
           const UserLookup& users) {
        const auto ini = parse_ini(text);
        for (const auto& error : ini.errors)
                errors.push_back({{file, error.line}, error.message});
        Applier applier(file, settings, errors, users);
        for (const auto& section : ini.sections)
                applier.take(section);
}

void check(const Settings& settings, Errors& errors) {
        const auto& [cpus, reserve] = settings.pool;
        if (cpus && std::ranges::includes(reserve, *cpus))
                errors.push_back(
                        {settings.origins.at("reserve"),
                         "`reserve = " + policy::format_cpu_list(reserve) +
                                 "` leaves nothing of `cpus = " + policy::format_cpu_list(*cpus) +
                                 "` of " + settings.origins.at("cpus").text()});
        for (const auto& rule : settings.programs)
                check_rule(rule, settings, errors);
}

std::vector<std::string> notes(const Settings& settings) {
        constexpr std::string_view kIdle = " no effect under `policy = threshold`";
        std::vector<std::string> notes;
        if (settings.policy != PolicyName::Threshold)
                return notes;
        for (const std::string key : {"mode", "foreign_max", "handover_max", "turns",
                                      "turns_across_users", "turn_quantum", "turn_max_wait"})
                if (const auto origin = settings.origins.find(key);
                    origin != settings.origins.end())
                        notes.push_back(origin->second.text() + ": `" + key + "` has" +
                                        std::string(kIdle));
        if (settings.programs.empty())
                return notes;
        const auto first = "program " + settings.programs.front().name;
        const auto others = settings.programs.size() - 1;
        notes.push_back(settings.origins.at(first).text() + ": [" + first + "]" +
                        (others == 0 ? " has"
                                     : " and " + std::to_string(others) + " more rule" +
                                               (others == 1 ? "" : "s") + " have") +
                        std::string(kIdle));
        return notes;
}

}  // namespace governor::config
