// SPDX-License-Identifier: MIT
// Groups are numbered as they are made and get their names, the lowest CPU in them, at the end.
#include "made_up_machine.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>

namespace threadcount::pool {

namespace {

constexpr std::uint32_t Place::*kGroups[] = {&Place::core, &Place::l2, &Place::l3, &Place::node,
                                             &Place::package};

/// Sorts by number and names every group by its lowest.
MadeUpMachine named(std::map<int, Place> places) {
        MadeUpMachine machine;
        std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> lowest;
        for (const auto& [cpu, place] : places) {
                auto renamed = place;
                for (std::size_t i = 0; i < std::size(kGroups); i++) {
                        auto& name = renamed.*kGroups[i];
                        if (name != kUnknownGroup)
                                name = lowest.try_emplace({i, name}, cpu).first->second;
                }
                machine.cpus.push_back(cpu);
                machine.places.push_back(renamed);
        }
        return machine;
}

/// The places of the cores, one for each.
std::vector<Place> make_cores(const Shape& shape) {
        std::vector<Place> cores;
        Place last;
        last.core = last.l2 = last.l3 = last.node = last.package = 0;
        for (unsigned package = 0; package < shape.packages; package++, last.package++)
                for (unsigned node = 0; node < shape.nodes; node++, last.node++)
                        for (unsigned l3 = 0; l3 < std::max(shape.l3s, 1U); l3++, last.l3++)
                                for (unsigned l2 = 0; l2 < shape.l2s; l2++, last.l2++)
                                        for (unsigned core = 0; core < shape.cores; core++) {
                                                cores.push_back(last);
                                                last.core++;
                                                if (shape.l3s == 0)
                                                        cores.back().l3 = kUnknownGroup;
                                        }
        return cores;
}

std::vector<std::uint32_t> members(const MadeUpMachine& machine, std::uint32_t Place::*group,
                                   std::uint32_t name) {
        std::vector<std::uint32_t> cpus;
        for (std::size_t i = 0; i < machine.cpus.size(); i++)
                if (machine.places[i].*group == name)
                        cpus.push_back(static_cast<std::uint32_t>(machine.cpus[i]));
        return cpus;
}

std::string list_of(const std::vector<std::uint32_t>& cpus) {
        std::string text;
        for (std::size_t i = 0, end = 0; i < cpus.size(); i = end) {
                for (end = i + 1; end < cpus.size() && cpus[end] == cpus[end - 1] + 1; end++)
                        ;
                text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
                if (end > i + 1)
                        text += "-" + std::to_string(cpus[end - 1]);
        }
        return text + "\n";
}

std::string mask_of(const std::vector<std::uint32_t>& cpus) {
        std::vector<std::uint32_t> words(cpus.back() / 32 + 1);
        for (const auto cpu : cpus)
                words[cpu / 32] |= 1U << cpu % 32;
        std::string text;
        for (auto word = words.rbegin(); word != words.rend(); word++) {
                char hex[16];
                std::snprintf(hex, sizeof(hex), "%s%08x", text.empty() ? "" : ",", *word);
                text += hex;
        }
        return text + "\n";
}

int caches_of(const Place& place) { return place.l3 == kUnknownGroup ? 3 : 4; }

/// The files that name the sharers of something.
struct GroupFiles {
        std::string directory;
        const char* list;
        const char* mask;
};

/// The groups of `cpu`; the node once, with its lowest CPU.
template <class Visit>
void for_each_group(const MadeUpMachine& machine, int cpu, Visit visit) {
        const auto& place = machine.place(cpu);
        const auto topology = cpu_directory(cpu) + "topology/";
        visit(GroupFiles{topology, "core_cpus_list", "core_cpus"},
              members(machine, &Place::core, place.core));
        visit(GroupFiles{topology, "package_cpus_list", "package_cpus"},
              members(machine, &Place::package, place.package));
        constexpr std::uint32_t Place::*kCaches[] = {&Place::core, &Place::core, &Place::l2,
                                                     &Place::l3};
        for (int index = 0; index < caches_of(place); index++)
                visit(GroupFiles{cache_directory(cpu, index), "shared_cpu_list", "shared_cpu_map"},
                      members(machine, kCaches[index], place.*kCaches[index]));
        const auto node = std::to_string(place.node);
        if (node == std::to_string(cpu))
                visit(GroupFiles{"sys/devices/system/node/node" + node + "/", "cpulist", "cpumap"},
                      members(machine, &Place::node, place.node));
}

}  // namespace

const Place& MadeUpMachine::place(int cpu) const {
        const auto at = std::ranges::lower_bound(cpus, cpu) - cpus.begin();
        return places.at(static_cast<std::size_t>(at));
}

MadeUpMachine MadeUpMachine::of(const std::function<bool(int cpu)>& is_online) const {
        std::map<int, Place> left;
        for (const auto cpu : cpus)
                if (is_online(cpu))
                        left[cpu] = place(cpu);
        return named(left);
}

std::vector<Place> MadeUpMachine::places_of(const std::vector<int>& allowed) const {
        std::vector<Place> found;
        for (const auto cpu : allowed)
                found.push_back(place(cpu));
        return found;
}

MadeUpMachine make_machine(const Shape& shape, Numbering numbering) {
        const auto cores = make_cores(shape);
        const auto threads_of = [&](std::size_t core) {
                return shape.threads[core % shape.threads.size()];
        };
        const auto most = *std::ranges::max_element(shape.threads);
        std::map<int, Place> places;
        int number = 0;
        if (numbering == Numbering::SiblingsTogether) {
                for (std::size_t core = 0; core < cores.size(); core++)
                        for (unsigned thread = 0; thread < threads_of(core); thread++)
                                places[number++] = cores[core];
        } else {
                for (unsigned thread = 0; thread < most; thread++)
                        for (std::size_t core = 0; core < cores.size(); core++)
                                if (thread < threads_of(core))
                                        places[number++] = cores[core];
        }
        return named(places);
}

MadeUpMachine renumbered(const MadeUpMachine& machine,
                         const std::function<int(int cpu)>& renumber) {
        std::map<int, Place> places;
        for (const auto cpu : machine.cpus)
                places[renumber(cpu)] = machine.place(cpu);
        return named(places);
}

MadeUpMachine random_machine(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
        Shape shape{1 + below(3), 1 + below(2), below(3), 1 + below(3), 1 + below(3), {}};
        for (auto kinds = 1 + below(3); kinds > 0; kinds--)
                shape.threads.push_back(1U << below(3));
        const auto whole = make_machine(shape, below(2) == 0 ? Numbering::SiblingsTogether
                                                             : Numbering::SiblingsApart);

        std::vector<int> numbers(whole.cpus.size() * 2);
        std::iota(numbers.begin(), numbers.end(), 0);
        if (below(2) == 0)
                std::ranges::shuffle(numbers, random);  // gaps and disorder
        const auto machine =
                renumbered(whole, [&](int cpu) { return numbers[static_cast<std::size_t>(cpu)]; });
        if (below(2) == 0)
                return machine;
        const auto stays = machine.cpus[below(static_cast<unsigned>(machine.cpus.size()))];
        return machine.of([&](int cpu) { return cpu == stays || below(4) > 0; });
}

std::vector<int> random_mask(const MadeUpMachine& machine, unsigned seed) {
        std::mt19937 random(seed);
        const auto of_four = random() % 5;
        const auto stays = random() % machine.cpus.size();
        std::vector<int> mask;
        for (std::size_t i = 0; i < machine.cpus.size(); i++)
                if (i == stays || random() % 4 < of_four)
                        mask.push_back(machine.cpus[i]);
        return mask;
}

std::string cpu_directory(int cpu) {
        return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
}

std::string cache_directory(int cpu, int index) {
        return cpu_directory(cpu) + "cache/index" + std::to_string(index) + "/";
}

void write_sysfs(const MadeUpMachine& machine, test_support::FakeMachine& files) {
        for (const auto cpu : machine.cpus) {
                for_each_group(machine, cpu, [&](const GroupFiles& at, const auto& sharers) {
                        files.write(at.directory + at.list, list_of(sharers));
                });
                for (int index = 0; index < caches_of(machine.place(cpu)); index++)
                        files.write(cache_directory(cpu, index) + "level",
                                    std::to_string(std::max(index, 1)) + "\n");
        }
}

void write_more_sysfs(const MadeUpMachine& machine, test_support::FakeMachine& files) {
        const std::vector<std::uint32_t> all(machine.cpus.begin(), machine.cpus.end());
        for (const auto* const name : {"online", "possible", "present"})
                files.write("sys/devices/system/cpu/" + std::string(name), list_of(all));
        for (const auto cpu : machine.cpus) {
                for_each_group(machine, cpu, [&](const GroupFiles& at, const auto& sharers) {
                        files.write(at.directory + at.mask, mask_of(sharers));
                });
                constexpr const char* kTypes[] = {"Data\n", "Instruction\n", "Unified\n",
                                                  "Unified\n"};
                for (int index = 0; index < caches_of(machine.place(cpu)); index++)
                        files.write(cache_directory(cpu, index) + "type", kTypes[index]);
        }
}

}  // namespace threadcount::pool
