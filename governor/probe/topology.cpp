// SPDX-License-Identifier: MIT
// Reader of /sys/devices/system/{cpu,node} (Documentation/ABI/stable/sysfs-devices-system-cpu).
#include "probe/topology.hpp"

#include "policy/cpu_set.hpp"
#include "probe/file_reader.hpp"
#include "probe/text.hpp"

#include <filesystem>
#include <string_view>

namespace governor::probe {

namespace {

using policy::CpuSet;

std::optional<std::uint32_t> read_number(FileReader& files, const std::string& path) {
        std::string_view text;
        if (files.read(path, text) < 0)
                return std::nullopt;
        return parse_number<std::uint32_t>(take_until(text, '\n'));
}

CpuSet read_list(FileReader& files, const std::string& path) {
        std::string_view text;
        if (files.read(path, text) < 0)
                return {};
        return policy::parse_cpu_list(text).value_or(CpuSet{});
}

/// The CPUs that share the cache of the highest level of the CPU in `directory`; none if there is
/// no saying.
CpuSet read_last_cache(FileReader& files, const std::string& directory) {
        std::uint32_t highest = 0;
        std::string of_highest;
        for (int index = 0;; index++) {
                const auto cache = directory + "cache/index" + std::to_string(index) + "/";
                const auto level = read_number(files, cache + "level");
                if (!level)
                        break;
                if (*level <= highest)
                        continue;
                highest = *level;
                of_highest = cache;
        }
        return highest != 0 ? read_list(files, of_highest + "shared_cpu_list") : CpuSet{};
}

/// The kernel before 5.7 knows the older of the two names only.
void read_siblings(FileReader& files, const std::string& directory, Topology& topology) {
        for (auto& [cpu, place] : topology) {
                const auto core = directory + "/cpu" + std::to_string(cpu) + "/topology/";
                auto siblings = read_list(files, core + "core_cpus_list");
                if (siblings.empty())
                        siblings = read_list(files, core + "thread_siblings_list");
                if (!siblings.empty())
                        place.first_sibling = siblings.front();
        }
}

/// With 4096 CPUs it counts that a cache is read once, not once for each of its CPUs.
void read_caches(FileReader& files, const std::string& directory, Topology& topology) {
        for (auto& [cpu, place] : topology) {
                if (place.cache)
                        continue;
                const auto shared =
                        read_last_cache(files, directory + "/cpu" + std::to_string(cpu) + "/");
                for (const auto sharer : shared)
                        if (const auto other = topology.find(sharer); other != topology.end())
                                other->second.cache = shared.front();
        }
}

void read_nodes(FileReader& files, const std::string& directory, Topology& topology) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
                constexpr std::string_view kPrefix = "node";
                const auto name = entry.path().filename().string();
                if (!name.starts_with(kPrefix))
                        continue;
                const auto node =
                        parse_number<std::uint32_t>(std::string_view(name).substr(kPrefix.size()));
                if (!node)
                        continue;
                for (const auto cpu : read_list(files, entry.path() / "cpulist"))
                        if (const auto place = topology.find(cpu); place != topology.end())
                                place->second.node = *node;
        }
}

}  // namespace

Topology read_topology(const std::string& root, std::span<const std::uint32_t> cpus) {
        const std::string system = root + "/sys/devices/system/";
        FileReader files;
        Topology topology;
        for (const auto cpu : cpus) {
                const auto directory = system + "cpu/cpu" + std::to_string(cpu) + "/topology/";
                topology[cpu] = {read_number(files, directory + "core_id"),
                                 read_number(files, directory + "physical_package_id"),
                                 std::nullopt, std::nullopt};
        }
        read_siblings(files, system + "cpu", topology);
        read_caches(files, system + "cpu", topology);
        read_nodes(files, system + "node", topology);
        return topology;
}

}  // namespace governor::probe
