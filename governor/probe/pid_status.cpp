// SPDX-License-Identifier: MIT
// "Key:\tvalue" lines; the kernel escapes newlines in the program's name, so none can be forged.
#include "probe/pid_status.hpp"

#include "probe/text.hpp"

namespace governor::probe {

std::optional<policy::CpuMask> parse_allowed_cpus(std::string_view status) {
        constexpr std::string_view kKey = "Cpus_allowed_list:\t";
        if (status.empty() || status.back() != '\n')
                return std::nullopt;
        while (!status.empty()) {
                const auto line = take_until(status, '\n');
                if (!line.starts_with(kKey))
                        continue;
                const auto cpus = policy::parse_cpu_list(line.substr(kKey.size()));
                return cpus ? std::optional(policy::CpuMask(*cpus)) : std::nullopt;
        }
        return std::nullopt;
}

}  // namespace governor::probe
