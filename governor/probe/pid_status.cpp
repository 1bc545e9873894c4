// SPDX-License-Identifier: MIT
// "Key:\tvalue" lines; the kernel escapes newlines in the program's name, so none can be forged.
#include "probe/pid_status.hpp"

#include "probe/text.hpp"

namespace governor::probe {

namespace {

/// The text behind `key`. Empty if there is no such line, or the text is cut.
std::optional<std::string_view> value_of(std::string_view key, std::string_view status) {
        if (status.empty() || status.back() != '\n')
                return std::nullopt;
        while (!status.empty())
                if (const auto line = take_until(status, '\n'); line.starts_with(key))
                        return line.substr(key.size());
        return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> parse_real_uid(std::string_view status) {
        auto uids = value_of("Uid:\t", status).value_or("");
        return parse_number<std::uint32_t>(take_until(uids, '\t'));
}

std::optional<policy::CpuMask> parse_allowed_cpus(std::string_view status) {
        const auto list = value_of("Cpus_allowed_list:\t", status);
        const auto cpus = list ? policy::parse_cpu_list(*list) : std::nullopt;
        return cpus ? std::optional(policy::CpuMask(*cpus)) : std::nullopt;
}

}  // namespace governor::probe
