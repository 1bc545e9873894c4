// SPDX-License-Identifier: MIT
// Three CPU lists of sysfs (Documentation/ABI/testing/sysfs-devices-system-cpu).
#include "probe/cpu_sets.hpp"

#include "probe/file_reader.hpp"

#include <algorithm>

namespace governor::probe {

std::optional<policy::CpuMask> parse_cpu_set(std::string_view text) {
        // Padded to a width that is the number of CPUs.
        const auto word = text.substr(std::min(text.find_first_not_of(' '), text.size()));
        if (word == "(null)" || word == "(null)\n")
                return policy::CpuMask{};
        const auto cpus = policy::parse_cpu_list(text);
        return cpus ? std::optional(policy::CpuMask(*cpus)) : std::nullopt;
}

CpuSets read_cpu_sets(const std::string& root) {
        FileReader files;
        const auto read = [&](const char* name) {
                std::string_view text;
                return files.read(root + "/sys/devices/system/cpu/" + name, text) == 0
                               ? parse_cpu_set(text)
                               : std::nullopt;
        };
        return {read("online"), read("isolated"), read("nohz_full")};
}

}  // namespace governor::probe
