// SPDX-License-Identifier: MIT
// CPU lists of sysfs (Documentation/ABI/testing/sysfs-devices-system-cpu) and of the cpuset
// controller.
#include "probe/cpu_sets.hpp"

#include "probe/cgroup_files.hpp"
#include "probe/file_reader.hpp"

#include <algorithm>

namespace governor::probe {

policy::CpuMask CpuSets::apart() const {
        return isolated.value_or(policy::CpuMask{}) | nohz_full.value_or(policy::CpuMask{}) |
               partitions.value_or(policy::CpuMask{});
}

CpuSets CpuSets::or_as(const CpuSets& before) const {
        return {isolated ? isolated : before.isolated, nohz_full ? nohz_full : before.nohz_full,
                partitions ? partitions : before.partitions};
}

std::optional<policy::CpuMask> parse_cpu_set(std::string_view text) {
        // Padded to a width that is the number of CPUs.
        const auto word = text.substr(std::min(text.find_first_not_of(' '), text.size()));
        if (word == "(null)" || word == "(null)\n")
                return policy::CpuMask{};
        const auto cpus = policy::parse_cpu_list(text);
        return cpus ? std::optional(policy::CpuMask(*cpus)) : std::nullopt;
}

namespace {

std::optional<policy::CpuMask> read_cpu_set(FileReader& files, const std::string& path) {
        std::string_view text;
        return files.read(path, text) == 0 ? parse_cpu_set(text) : std::nullopt;
}

/// Empty: it cannot be seen, or the kernel knows none.
std::optional<policy::CpuMask> read_isolated_partitions(FileReader& files,
                                                        const std::string& root) {
        std::string_view text;
        if (files.read(root + "/proc/self/mountinfo", text) < 0)
                return std::nullopt;
        for (const auto& mount : parse_cgroup_mounts(text))
                if (mount.is_v2() && mount.root == "/")
                        return read_cpu_set(files,
                                            root + mount.directory + "/cpuset.cpus.isolated");
        return std::nullopt;
}

}  // namespace

CpuSets read_cpu_sets(const std::string& root) {
        const auto folder = root + "/sys/devices/system/cpu/";
        FileReader files;
        return {read_cpu_set(files, folder + "isolated"), read_cpu_set(files, folder + "nohz_full"),
                read_isolated_partitions(files, root)};
}

}  // namespace governor::probe
