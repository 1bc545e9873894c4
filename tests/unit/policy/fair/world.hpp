// SPDX-License-Identifier: MIT
//
// A machine with clients that do at once what they are told, to try decisions on.
#pragma once

#include "policy/fair/decide.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

namespace governor::policy::fair {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Shape {
        std::uint32_t cpus = 8;
        std::uint32_t threads_per_core = 1;
        std::uint32_t cpus_per_cache = 0;  ///< 0: one cache
        std::uint32_t cpus_per_node = 0;   ///< 0: one node
};

/// Siblings have adjacent numbers.
[[nodiscard]] Topology topology_of(const Shape& shape);

class World {
public:
        explicit World(const Shape& shape)
                : topology(topology_of(shape)), machine(topology, CpuMask::range(0, shape.cpus)) {}

        /// A client that joined `age` ago and may use every CPU.
        Client& add(std::uint64_t account = 1, milliseconds age = seconds{10});

        /// A tree that is of the account of its clients.
        std::size_t add_tree(std::uint32_t weight = 100);

        /// Foreign programs keep `millicpu` of each of these CPUs busy.
        void load(const CpuMask& cpus, std::uint32_t millicpu_each = 1000);

        [[nodiscard]] Decision decide() const;

        /// Decides, and everybody leaves what he has to at once. Returns the threads of each.
        std::vector<std::uint32_t> follow();

        [[nodiscard]] Snapshot snapshot() const {
                return {now, machine, foreign, cgroups, clients, kept, {}, trees};
        }
        std::vector<Kept> kept;
        Topology topology;
        Machine machine;
        Foreign foreign;
        Settings settings;
        TimePoint now{seconds{1000}};
        std::vector<Cgroup> cgroups;
        std::vector<Client> clients;
        std::vector<Tree> trees;
};

/// The scaling of a program whose time is half of use at `knee` CPUs; 0: one that more do not make
/// faster.
[[nodiscard]] Scaling amdahl(double knee);
/// The scaling of a program that is as many times as fast as it has CPUs.
[[nodiscard]] Scaling linear();

[[nodiscard]] std::vector<std::uint32_t> threads_of(const Decision& decision);

/// The number of CPUs that are in more than one grant.
[[nodiscard]] std::uint32_t overlaps(const Decision& decision);

/// The number of cores that have CPUs of more than one grant.
[[nodiscard]] std::uint32_t split_cores(const Machine& machine, const Decision& decision);

}  // namespace governor::policy::fair
