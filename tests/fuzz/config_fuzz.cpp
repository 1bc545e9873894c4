// SPDX-License-Identifier: MIT
// Every mistake has a line that exists, and accepted settings are in range and read back.
#include "config/apply.hpp"
#include "config/keys.hpp"
#include "require.hpp"

#include <algorithm>
#include <set>

using namespace governor;

namespace {

const std::string kFile = "f.conf";

/// Names of up to four bytes are users.
tl::expected<std::uint32_t, std::string> short_names(const std::string& name) {
        if (name.size() > 4)
                return tl::unexpected(std::string("no such user"));
        return static_cast<std::uint32_t>(name.size());
}

bool is_line_of(const config::Origin& origin, std::size_t lines) {
        return origin.file == kFile && origin.line >= 1 && origin.line <= lines;
}

/// "KEY", "program NAME" or "program NAME.KEY"
bool is_known(const std::string& what) {
        const auto dot = what.rfind('.');
        return config::find_key(config::keys(), what) != nullptr ||
               !config::program_name(what).empty() ||
               (dot != what.npos && !config::program_name(what.substr(0, dot)).empty() &&
                config::find_key(config::program_keys(), what.substr(dot + 1)) != nullptr);
}

template <class Target>
void check_way_back(std::span<const config::KeyOf<Target>> keys, const Target& target,
                    Target again) {
        for (const auto& key : keys) {
                const auto value = key.get(target);
                if (value.empty())
                        continue;
                require(key.set(again, value), "what is written is accepted");
                require(key.get(again) == value, "what is written reads back");
        }
}

void check_settings(const config::Settings& settings) {
        using std::chrono::milliseconds;
        require(settings.threshold.threshold_permyriad <= 10000, "the threshold is in range");
        require(settings.fair.foreign_max_permyriad <= 10000, "the foreign part is in range");
        require(settings.period >= milliseconds{50} && settings.period <= milliseconds{60'000},
                "the period is in range");
        require(settings.fair.handover_max >= milliseconds{100} &&
                        settings.fair.handover_max <= milliseconds{60'000},
                "the time for a handover is in range");
        require(settings.fair.turn_quantum >= milliseconds{100} &&
                        settings.fair.turn_quantum <= milliseconds{60'000},
                "the length of a turn is in range");
        require(settings.fair.turn_max_wait >= milliseconds{1'000} &&
                        settings.fair.turn_max_wait <= milliseconds{3'600'000},
                "the longest wait for a turn is in range");
        require(!settings.pool.cpus || !settings.pool.cpus->empty(),
                "the list of CPUs is not empty");
        check_way_back(config::keys(), settings, {});
}

void check_rule(const policy::fair::Rule& rule) {
        require(!config::program_name("program " + rule.name).empty(), "a rule has a name");
        require(!rule.uid || *rule.uid != UINT32_MAX, "a user is in range");
        require(!rule.weight || (*rule.weight >= 1 && *rule.weight <= 10000),
                "a weight is in range");
        require(!rule.min || (*rule.min >= 1 && *rule.min <= 65536), "a minimum is in range");
        require(!rule.max || (*rule.max >= 1 && *rule.max <= 65536), "a maximum is in range");
        check_way_back(config::program_keys(), rule, {});
}

/// Settings without a mistake, and nothing wrong with them together.
void check_together(const config::Settings& settings) {
        std::set<std::string> names;
        for (const auto& rule : settings.programs) {
                require(names.insert(rule.name).second, "names of rules are unique");
                require(!rule.min || !rule.max || *rule.min <= *rule.max,
                        "no rule guarantees more than it allows");
        }
        const auto all = policy::fair::combine(settings.programs, {1, "label", "/a/program"});
        require(!all.min || !all.max || *all.min <= *all.max,
                "rules together guarantee no more than they allow");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
        config::Settings settings;
        config::Errors errors;
        config::apply(text, kFile, settings, errors, short_names);
        if (errors.empty())
                config::check(settings, errors);

        for (const auto& error : errors)
                require(is_line_of(error.origin, lines), "a mistake has its file and line");
        for (const auto& [what, origin] : settings.origins) {
                require(is_known(what), "only known keys are set");
                require(is_line_of(origin, lines), "an origin is a line of the file");
        }
        check_settings(settings);
        for (const auto& rule : settings.programs)
                check_rule(rule);
        if (errors.empty())
                check_together(settings);
        return 0;
}
