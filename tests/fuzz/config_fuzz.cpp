// SPDX-License-Identifier: MIT
// Every mistake has a line that exists, and accepted settings are in range and read back.
#include "config/keys.hpp"
#include "config/load.hpp"
#include "require.hpp"

#include <algorithm>
#include <charconv>

using namespace governor;

namespace {

constexpr std::string_view kFile = "f.conf";

/// Is `where` "f.conf:N" with a line number N of the text?
bool names_a_line(std::string_view where, std::size_t lines) {
        if (!where.starts_with(kFile) || where.size() <= kFile.size())
                return false;
        where.remove_prefix(kFile.size() + 1);
        std::size_t line = 0;
        const auto [end, error] = std::from_chars(where.data(), where.data() + where.size(), line);
        return error == std::errc{} && line >= 1 && line <= lines;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
        config::Settings settings;
        config::Errors errors;
        config::apply(text, std::string(kFile), settings, errors);

        for (const auto& error : errors)
                require(error.file == kFile && error.line >= 1 && error.line <= lines,
                        "a mistake has its file and line");
        for (const auto& [key, origin] : settings.origins) {
                require(config::find_key(key) != nullptr, "only known keys are set");
                require(names_a_line(origin, lines), "an origin is a line of the file");
        }
        require(settings.threshold.threshold_permyriad <= 10000, "the threshold is in range");
        require(settings.period >= std::chrono::milliseconds{50} &&
                        settings.period <= std::chrono::minutes{1},
                "the period is in range");
        require(!settings.pool.cpus || !settings.pool.cpus->empty(),
                "the list of CPUs is not empty");
        for (const auto& key : config::keys()) {
                config::Settings again;
                const auto value = key.get(settings);
                require(key.set(again, value), "what is written is accepted");
                require(key.get(again) == value, "what is written reads back");
        }
        return 0;
}
