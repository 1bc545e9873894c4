// SPDX-License-Identifier: MIT
// /proc/PID/autogroup
#include "outside/autogroup.hpp"

#include "probe/text.hpp"

#include <cerrno>
#include <string>

namespace ctl::outside {

namespace {

constexpr auto kFile = "autogroup";

}  // namespace

std::optional<Autogroup> parse_autogroup(std::string_view text) {
        constexpr std::string_view kPrefix = "/autogroup-";
        if (!text.starts_with(kPrefix) || text.back() != '\n')
                return std::nullopt;
        text.remove_prefix(kPrefix.size());
        text.remove_suffix(1);
        const auto id = governor::probe::parse_number<std::uint64_t>(
                governor::probe::take_until(text, ' '));
        if (!id || governor::probe::take_until(text, ' ') != "nice")
                return std::nullopt;
        const auto nice = governor::probe::parse_number<int>(text);
        return nice ? std::optional(Autogroup{*id, *nice}) : std::nullopt;
}

std::optional<Autogroup> autogroup_of(const HeldProcess& process) {
        const auto text = process.read(kFile);
        return text ? parse_autogroup(*text) : std::nullopt;
}

int set_autogroup_nice(const HeldProcess& process, int nice) {
        if (const int error = process.write(kFile, std::to_string(nice)); error < 0)
                return error;
        const auto now = autogroup_of(process);
        return now && now->nice == nice ? 0 : -EIO;
}

}  // namespace ctl::outside
