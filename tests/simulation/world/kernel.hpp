// SPDX-License-Identifier: MIT
//
// Divides CPU time as the virtual Linux does: a fluid model of its fair scheduler and load
// balancer.
#pragma once

#include "policy/cpu_mask.hpp"
#include "simulation/world/flow.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace simulation {

using governor::policy::CpuMask;

/// Threads that are alike and wander over the same CPUs.
struct Threads {
        CpuMask cpus;
        std::uint32_t count = 1;
        double appetite = 1;                ///< CPUs that each wants, 0 < appetite <= 1
        double weight = 1;                  ///< against others, as of nice_weight()
        bool niced = false;                 ///< counts as nice time in /proc/stat
        bool foreign = false;               ///< is foreign load, unless it is niced
        std::optional<std::size_t> cgroup;  ///< index in the throttles
};

/// cpu.max of a control group.
struct Throttle {
        std::optional<std::size_t> parent;  ///< an earlier one
        std::optional<double> quota;        ///< CPUs, of all below it together
};

/// Linux' weight of a thread (sched_prio_to_weight), 1 for nice 0; -20 <= nice <= 19.
[[nodiscard]] double nice_weight(std::int32_t nice);
/// The part of a CPU that a thread gets beside one with nice 0: 0..1.
[[nodiscard]] double niced_part(std::int32_t nice);
/// Of SCHED_IDLE.
[[nodiscard]] double idle_weight();

/// CPU time per time.
struct Division {
        std::vector<double> rate;     ///< CPUs that threads [i] get together
        std::vector<double> busy;     ///< by CPU number, 0..1
        std::vector<double> niced;    ///< by CPU number; part of busy
        std::vector<double> foreign;  ///< likewise
        std::vector<double> niced_foreign;
};

/// Weighted max-min fairness among threads, each on at most one CPU at a time, over the CPUs that
/// each may use; a control group above its quota has all its threads slowed down alike. Weights of
/// control groups are not modelled. Keeps memory from call to call.
class Kernel {
public:
        /// Threads none of whose CPUs are online wander over all that are, as under Linux. The
        /// result is good until the next call.
        const Division& divide(std::span<const Threads> threads,
                               std::span<const Throttle> throttles, const CpuMask& online);
        /// The mean of a number of each CPU, over the CPU time that threads [i] got last; 1 if they
        /// got none.
        [[nodiscard]] double mean(std::size_t i, std::span<const double> by_cpu) const;

private:
        struct Cell {  // CPUs that the same threads may use
                std::uint64_t signature = 0;
                std::vector<std::uint32_t> cpus;
        };
        struct Group {  // threads [i]
                std::vector<std::size_t> cells;
                std::vector<double> given;  // by place in cells
                double appetite = 1;        // of each thread, throttled
                double rate = 0;            // of each thread
        };

        void find_cells(const CpuMask& online);
        void divide_cells();
        bool satisfy_all();
        void share();
        void build_network();
        double highest_level();
        double level_of_cut() const;
        void settle(double level);
        bool throttle(std::span<const Throttle> throttles);
        void total(std::size_t cpus);

        [[nodiscard]] double wish(std::size_t group, double level) const;

        std::span<const Threads> threads_;
        std::vector<Group> groups_;
        std::vector<Cell> cells_;
        std::vector<std::uint64_t> signatures_;  // by CPU
        std::vector<double> free_;               // by cell

        // Used while sharing: the parts that are not settled yet, and their network: source,
        // groups, cells, sink.
        std::vector<std::size_t> open_groups_;
        std::vector<std::size_t> open_cells_;
        Flow flow_;
        std::vector<std::size_t> wish_arcs_;  // by place in open_groups_
        std::vector<std::vector<std::size_t>>
                cell_arcs_;                       // by place in open_groups_, then in cells
        std::vector<char> in_cut_;                // by place in open_groups_
        std::vector<char> cell_in_cut_;           // by place in open_cells_
        std::vector<std::size_t> place_of_cell_;  // in open_cells_, by cell

        Division division_;
};

}  // namespace simulation
