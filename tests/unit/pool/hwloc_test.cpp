// SPDX-License-Identifier: MIT
// hwloc as the oracle: it finds the same groups on this machine and on made-up ones.
#include "made_up_machine.hpp"
#include "places.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <hwloc.h>
#include <memory>
#include <stdexcept>

namespace threadcount::pool {
namespace {

struct Destroy {
        void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

/// The topology that hwloc makes of `root`, "" for this machine. CPUs that we may not use count,
/// too.
Topology load(const std::string& root) {
        ::setenv("HWLOC_COMPONENTS", "linux,stop", 1);  // not the CPU's own word
        if (root.empty())
                ::unsetenv("HWLOC_FSROOT");
        else
                ::setenv("HWLOC_FSROOT", root.c_str(), 1);
        hwloc_topology_t raw = nullptr;
        if (hwloc_topology_init(&raw) < 0)
                throw std::runtime_error("hwloc_topology_init");
        Topology topology(raw);
        hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
        if (hwloc_topology_load(raw) < 0)
                throw std::runtime_error("hwloc_topology_load");
        return topology;
}

std::uint32_t lowest_of(hwloc_topology_t topology, hwloc_obj_t cpu, hwloc_obj_type_t type) {
        auto* const group = hwloc_get_ancestor_obj_by_type(topology, type, cpu);
        return group == nullptr ? kUnknownGroup
                                : static_cast<std::uint32_t>(hwloc_bitmap_first(group->cpuset));
}

/// Memory hangs beside the tree of CPUs, not in it.
std::uint32_t lowest_of_node(hwloc_topology_t topology, hwloc_obj_t cpu) {
        hwloc_obj_t node = nullptr;
        while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr)
                if (hwloc_bitmap_isset(node->cpuset, cpu->os_index) != 0)
                        return static_cast<std::uint32_t>(hwloc_bitmap_first(node->cpuset));
        return kUnknownGroup;
}

Place place_by(hwloc_topology_t topology, int cpu) {
        auto* const object = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
        if (object == nullptr)
                throw std::runtime_error("hwloc knows no CPU " + std::to_string(cpu));
        return {lowest_of(topology, object, HWLOC_OBJ_CORE),
                lowest_of(topology, object, HWLOC_OBJ_L2CACHE),
                lowest_of(topology, object, HWLOC_OBJ_L3CACHE), lowest_of_node(topology, object),
                lowest_of(topology, object, HWLOC_OBJ_PACKAGE)};
}

void expect_as_hwloc_says(const std::string& root, const std::vector<int>& cpus) {
        const auto topology = load(root);
        const auto places = read_places(root, cpus);
        for (std::size_t i = 0; i < cpus.size(); i++) {
                SCOPED_TRACE("CPU " + std::to_string(cpus[i]));
                auto expected = place_by(topology.get(), cpus[i]);
                for (auto* const group : {&expected.core, &expected.l2})
                        if (*group == kUnknownGroup)
                                *group = static_cast<std::uint32_t>(cpus[i]);
                // hwloc makes one node of everything if the kernel names none.
                if (places[i].node == kUnknownGroup)
                        expected.node = kUnknownGroup;
                EXPECT_EQ(places[i].core, expected.core);
                EXPECT_EQ(places[i].l2, expected.l2);
                EXPECT_EQ(places[i].l3, expected.l3);
                EXPECT_EQ(places[i].node, expected.node);
                EXPECT_EQ(places[i].package, expected.package);
        }
}

TEST(Hwloc, FindsTheSameGroupsOnThisMachine) {
        const auto topology = load("");
        std::vector<int> cpus;
        int cpu = -1;
        const auto* const all = hwloc_topology_get_complete_cpuset(topology.get());
        while ((cpu = hwloc_bitmap_next(all, cpu)) != -1)
                if (hwloc_get_pu_obj_by_os_index(topology.get(), static_cast<unsigned>(cpu)) !=
                    nullptr)
                        cpus.push_back(cpu);
        ASSERT_FALSE(cpus.empty());
        expect_as_hwloc_says("", cpus);
}

TEST(Hwloc, FindsTheSameGroupsOnMadeUpMachines) {
        for (unsigned seed = 100, machines = 0; machines < 8; seed++) {
                const auto machine = random_machine(seed);
                if (machine.cpus.size() > 20)
                        continue;
                machines++;
                SCOPED_TRACE("seed " + std::to_string(seed));
                test_support::FakeMachine files;
                write_sysfs(machine, files);
                write_more_sysfs(machine, files);
                expect_as_hwloc_says(files.root(), machine.cpus);
        }
}

TEST(Hwloc, FindsTheSameGroupsOnTwoSocketsWithFourNodes) {
        const auto machine = make_machine({2, 2, 1, 2, 2, {2, 2, 1}}, Numbering::SiblingsApart);
        test_support::FakeMachine files;
        write_sysfs(machine, files);
        write_more_sysfs(machine, files);
        expect_as_hwloc_says(files.root(), machine.cpus);
}

}  // namespace
}  // namespace threadcount::pool
