// SPDX-License-Identifier: MIT
// Reader of /sys/devices/system/{cpu,node} (Documentation/ABI/stable/sysfs-devices-system-cpu).
#include "probe/topology.hpp"

#include "policy/cpu_set.hpp"
#include "probe/kept_file.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

namespace governor::probe {

namespace {

std::optional<std::uint32_t> read_number(const std::string& path) {
        KeptFile file(path);
        std::string_view text;
        std::uint32_t number = 0;
        if (file.read(text) < 0)
                return std::nullopt;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc{} ? std::optional(number) : std::nullopt;
}

void read_nodes(const std::string& directory, Topology& topology) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
                const auto name = entry.path().filename().string();
                std::uint32_t node = 0;
                if (!name.starts_with("node") ||
                    std::from_chars(name.data() + 4, name.data() + name.size(), node).ec !=
                            std::errc{})
                        continue;
                KeptFile file(entry.path() / "cpulist");
                std::string_view text;
                if (file.read(text) < 0)
                        continue;
                for (const auto cpu : policy::parse_cpu_list(text).value_or(policy::CpuSet{}))
                        if (const auto place = topology.find(cpu); place != topology.end())
                                place->second.node = node;
        }
}

}  // namespace

Topology read_topology(const std::string& root, std::span<const std::uint32_t> cpus) {
        const std::string system = root + "/sys/devices/system/";
        Topology topology;
        for (const auto cpu : cpus) {
                const auto directory = system + "cpu/cpu" + std::to_string(cpu) + "/topology/";
                topology[cpu] = {read_number(directory + "core_id"),
                                 read_number(directory + "physical_package_id"), std::nullopt,
                                 std::nullopt};
        }
        read_nodes(system + "node", topology);
        return topology;
}

}  // namespace governor::probe
