// SPDX-License-Identifier: MIT
//
// Machines of any shape: as places, and as the files of sysfs that say the same.
#pragma once

#include "places.hpp"
#include "support/fake_machine.hpp"

#include <functional>
#include <string>
#include <vector>

namespace threadcount::pool {

struct MadeUpMachine {
        std::vector<int> cpus;  // ascending
        std::vector<Place> places;

        [[nodiscard]] const Place& place(int cpu) const;
        /// The rest of it when other CPUs are offline; groups have the names that they get then.
        [[nodiscard]] MadeUpMachine of(const std::function<bool(int cpu)>& is_online) const;
        /// The places of CPUs that a program may use. All of them are there.
        [[nodiscard]] std::vector<Place> places_of(const std::vector<int>& allowed) const;
};

/// Counts of what is in what. `threads` are those of each core, from the first again for more.
struct Shape {
        unsigned packages = 1;
        unsigned nodes = 1;  // of a package
        unsigned l3s = 1;    // of a node; 0 is one without a third level
        unsigned l2s = 1;    // of a third-level cache
        unsigned cores = 1;  // of a second-level cache
        std::vector<unsigned> threads = {1};
};

/// The kernel's order of CPUs: by core, or all first threads before all second ones.
enum class Numbering { SiblingsTogether, SiblingsApart };

[[nodiscard]] MadeUpMachine make_machine(const Shape& shape, Numbering numbering);

/// The same machine with `renumber`(number) in the place of each number.
[[nodiscard]] MadeUpMachine renumbered(const MadeUpMachine& machine,
                                       const std::function<int(int cpu)>& renumber);

/// Anything up to some dozens of CPUs: mixed cores, numbers with gaps or in disorder, some offline.
[[nodiscard]] MadeUpMachine random_machine(unsigned seed);

/// A part of its CPUs, ascending, at least one.
[[nodiscard]] std::vector<int> random_mask(const MadeUpMachine& machine, unsigned seed);

/// The directory of a CPU or of one of its caches below the root.
[[nodiscard]] std::string cpu_directory(int cpu);
[[nodiscard]] std::string cache_directory(int cpu, int index);

/// Writes the files that our reader looks at, as kernels since 5.7 do.
void write_sysfs(const MadeUpMachine& machine, test_support::FakeMachine& files);

/// Writes what others look at besides: masks, types, first-level caches.
void write_more_sysfs(const MadeUpMachine& machine, test_support::FakeMachine& files);

}  // namespace threadcount::pool
