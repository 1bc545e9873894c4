// SPDX-License-Identifier: MIT
//
// Reads the command line by two tables: options with a number, and flags.
#include "options.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace examples {
namespace {

constexpr std::uint64_t kDefaultRegionUs = 10'000;

struct NumberOption {
        std::string_view name;
        std::uint64_t Options::*field;
        std::uint64_t max;  ///< the smallest is 1 for all of them
};

struct FlagOption {
        std::string_view name;
        bool Options::*field;
};

constexpr std::array kFlags{
        FlagOption{"--progress", &Options::progress},
        FlagOption{"--calibrate", &Options::calibrate},
        FlagOption{"--json", &Options::json},
        FlagOption{"--help", &Options::help},
};

std::array<NumberOption, 6> number_options(const Description& description) {
        return {{{"--iterations", &Options::iterations, 1'000'000'000},
                 {"--region-us", &Options::region_us, 10'000'000},
                 {"--work", &Options::work, description.max_work},
                 {"--threads", &Options::threads, 4096},
                 {"--serial-us", &Options::serial_us, 10'000'000},
                 {"--sleep-us", &Options::sleep_us, 10'000'000}}};
}

template <typename Table>
auto find_option(const Table& table, std::string_view name) -> decltype(table.data()) {
        for (const auto& entry : table) {
                if (entry.name == name)
                        return &entry;
        }
        return nullptr;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t max) {
        std::uint64_t number = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);

        if (failure != std::errc{} || end != text.data() + text.size() || number < 1 ||
            number > max)
                return std::nullopt;
        return number;
}

std::string range_text(const NumberOption& option) {
        return "accepted is a whole number from 1 to " + std::to_string(option.max);
}

std::string unknown_text(std::string_view argument) {
        return std::string{"'"}.append(argument) +
               "': unknown option; accepted are --iterations, --region-us, --work, --threads, "
               "--serial-us, --sleep-us, --progress, --calibrate, --json, --help";
}

/// Stores the value. Returns what is wrong with it, or nothing.
std::string set_number(const NumberOption& option, std::optional<std::string_view> value,
                       Options& options) {
        const std::string name{option.name};

        if (!value)
                return name + ": no value given; " + range_text(option);
        const auto number = parse_number(*value, option.max);
        if (!number)
                return name + " '" + std::string{*value} + "': " + range_text(option);
        options.*(option.field) = *number;
        return {};
}

/// What is wrong with the options together, or nothing.
std::string conflict_text(const Options& options) {
        const auto work = "--work " + std::to_string(options.work);

        if (options.work != 0 && options.region_us != 0)
                return work + " and --region-us " + std::to_string(options.region_us) +
                       ": only one of the two is accepted";
        if (options.work != 0 && options.calibrate)
                return work + ": not accepted with --calibrate, which computes it from --region-us";
        return {};
}

}  // namespace

ParsedOptions parse_options(std::span<char* const> arguments, const Description& description) {
        const auto numbers = number_options(description);
        ParsedOptions parsed;

        for (std::size_t i = 0; i < arguments.size() && parsed.error.empty(); ++i) {
                const std::string_view argument = arguments[i];
                const auto equals = argument.find('=');
                const auto name = argument.substr(0, equals);
                const auto* flag = find_option(kFlags, argument);
                const auto* number = find_option(numbers, name);
                std::optional<std::string_view> value;

                if (flag != nullptr) {
                        parsed.options.*(flag->field) = true;
                        continue;
                }
                if (number == nullptr) {
                        parsed.error = unknown_text(argument);
                        continue;
                }
                if (equals != std::string_view::npos)
                        value = argument.substr(equals + 1);
                else if (i + 1 < arguments.size())
                        value = arguments[++i];
                parsed.error = set_number(*number, value, parsed.options);
        }
        if (!parsed.error.empty())
                return parsed;

        parsed.error = conflict_text(parsed.options);
        if (parsed.options.work == 0 && parsed.options.region_us == 0)
                parsed.options.region_us = kDefaultRegionUs;
        return parsed;
}

std::string help_text(const Description& description) {
        const std::string name{description.name};

        return name + " - " + std::string{description.summary} +
               "\n\n"
               "Usage: " +
               name +
               " [OPTION]...\n\n"
               "  --iterations N  parallel regions to run, 1 to 10^9 (default 100)\n"
               "  --region-us N   work of one region in microseconds on one core, 1 to 10^7\n"
               "                  (default 10000); the program finds out how much work that is\n"
               "  --work N        work of one region in units, 1 to " +
               std::to_string(description.max_work) +
               ", in place of --region-us\n"
               "  --threads N     team size when nothing governs it, 1 to 4096 (default: the\n"
               "                  OpenMP runtime's, see OMP_NUM_THREADS)\n"
               "  --serial-us N   compute so long in one thread after each region, in "
               "microseconds\n"
               "                  of CPU time, 1 to 10^7 (default: not at all)\n"
               "  --sleep-us N    then sleep so long, 1 to 10^7 (default: not at all)\n"
               "  --progress      tell the governor before each region how far the program is\n"
               "  --calibrate     print the --work that takes --region-us, and exit\n"
               "  --json          print one JSON object on one line\n"
               "  --help          print this text\n\n"
               "A unit of work is " +
               std::string{description.unit} + ".\n";
}

}  // namespace examples
