// SPDX-License-Identifier: MIT
//
// Describes a simulation: a machine, the governor's settings, programs that come and go, and the
// expectations. docs: README.md; the file format is in scenario_file.hpp.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/rules.hpp"
#include "policy/fair/snapshot.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace simulation {

using governor::policy::CpuMask;
using governor::policy::CpuSet;

/// Virtual time since the start of the scenario, and spans of it.
using Time = std::chrono::nanoseconds;
inline constexpr Time kNever = Time::max();

[[nodiscard]] inline double in_seconds(Time span) {
        return std::chrono::duration<double>(span).count();
}

/// The runtime that determines how threads of programs wait, and the cost of waiting where they
/// lack CPUs.
enum class Runtime : std::uint8_t {
        Free,     ///< waiting costs nothing, and a team without CPUs goes at its part of the pace
        Libgomp,  ///< threads spin for a while, then sleep
        Libomp,   ///< and let others run while they spin
};

struct MachineShape {
        std::uint32_t cpus = 8;      ///< numbered as Linux does: siblings are cpus / smt apart
        std::uint32_t smt = 1;       ///< CPUs of a core
        std::uint32_t packages = 1;  ///< each of these parts the cores into equal ranges
        std::uint32_t nodes = 1;
        std::uint32_t caches = 1;
        std::optional<CpuSet> pool;  ///< only these are distributed; empty: all
        CpuSet isolated;             ///< online, but not distributed, and nobody runs there unasked
        Runtime runtime = Runtime::Free;
        bool autogroup = false;  ///< threads of a process outside all control groups weigh as one
        double shared_core = 1;  ///< speed of a CPU while all of its core are busy; alone it is 1

        friend bool operator==(const MachineShape&, const MachineShape&) = default;
};

struct GovernorSettings {
        Time period = std::chrono::seconds(1);
        governor::policy::fair::Settings fair;
};

struct Cgroup {
        std::string name;
        std::optional<std::size_t> parent;  ///< index in Scenario::cgroups, of an earlier one
        std::optional<double> quota;        ///< cpu.max, in CPUs
        std::optional<CpuSet> cpus;         ///< cpuset; empty: the parent's
        bool idle = false;                  ///< cpu.idle: its threads run when nobody else wants to
};

/// The factor by which n threads are faster than one.
struct Speedup {
        enum class Law : std::uint8_t { Linear, Amdahl, Flat, Power };
        Law law = Law::Linear;
        /// Amdahl: the parallel part, 0..1; Flat: no faster above this; Power: the exponent, 0..1
        double parameter = 0;

        /// 1 <= result <= threads. Amdahl 1967: 1 / (1 - p + p / n).
        [[nodiscard]] double of(std::uint32_t threads) const;
        friend bool operator==(const Speedup&, const Speedup&) = default;
};

enum class Behaviour : std::uint8_t {
        Honest,      ///< reads its grant before every region and says what it does
        StartOnly,   ///< keeps the number it is told first, and says that it will
        Endless,     ///< its first region never ends
        Silent,      ///< follows its grants, reports nothing
        Greedy,      ///< a team for every CPU it may use, whatever is granted, and says so
        Liar,        ///< as greedy, but says that it follows
        Boaster,     ///< follows, but says that it is in its first region for ever
        Unlinked,    ///< a team for every CPU that it asked for, whatever is granted; never reports
        Keeper,      ///< a team as large as it asked for, but waits for its round, and says so
        Ungoverned,  ///< never says hello; a team for every CPU it may use
};

struct Span {
        Time from{0};
        Time to = kNever;
        friend bool operator==(const Span&, const Span&) = default;
};

/// One kind of program, with barriers: a region is as fast as its slowest thread.
struct Program {
        std::string name;
        std::uint32_t user = 1000;
        std::uint32_t copies = 1;
        Time start{0};  ///< of the first copy
        Time every{0};  ///< the next copy starts so much later

        // Its wishes to the governor.
        std::uint32_t weight = 100;
        std::uint32_t min = 1;
        std::uint32_t max = 0;  ///< 0: no limit of its own
        governor::policy::fair::Class scheduling_class = governor::policy::fair::Class::Interactive;
        /// Programs of one user with the same name are one tree: of those that are alive the first
        /// holds it, and none does when that one has ended. Empty: it is in none.
        std::string tree;
        /// For a batch program that holds a tree: while the tree is parked, all of it runs on CPUs
        /// that nobody else wants.
        bool yields = false;

        Time setup{0};  ///< CPU time from its hello to the first region, on one thread
        // Its cycle: region, serial part, sleep, and again.
        Time region = std::chrono::milliseconds(200);  ///< CPU time: so long on one CPU alone
        Time serial{0};                                ///< CPU time between regions, on one thread
        Time sleep{0};                                 ///< between regions
        std::uint64_t regions = 0;                     ///< then it ends; 0: until it is killed
        std::uint64_t asks_every = 1;                  ///< region: it follows its grant there only
        Speedup speedup;
        double bandwidth = 0;   ///< part of the machine's that one of its threads takes, 0..1
        bool spins = true;      ///< threads that wait for others burn CPU time
        bool sleeps = false;    ///< of a keeper: they do not where it is crowded
        bool waits = false;     ///< where it is parked, it begins no region
        bool progress = false;  ///< it says how far it is
        std::string label;      ///< that it gives itself; empty: its name
        std::string job;        ///< its copies work together; empty: each of them is alone

        // Its place on the machine.
        std::optional<std::size_t> cgroup;  ///< index in Scenario::cgroups
        std::optional<CpuSet> cpus;         ///< taskset
        bool bound = false;  ///< its teams run on CPUs that were granted to it alone, if any were
        std::int32_t nice = 0;

        Behaviour behaviour = Behaviour::Honest;
        Time killed = kNever;       ///< after its start
        std::vector<Span> stopped;  ///< by a signal, after its start
};

/// Threads that the governor knows nothing of; each wants a whole CPU.
struct Foreign {
        std::string name;
        std::uint32_t threads = 1;
        std::optional<std::uint32_t> user;  ///< empty: its processes are hidden from the daemon
        std::int32_t nice = 0;
        bool idle = false;  ///< SCHED_IDLE
        Time start{0};
        Time end = kNever;
        Time on{0};  ///< busy so long, then idle for `off`, and again; 0: always busy
        Time off{0};
        std::optional<std::size_t> cgroup;
        std::optional<CpuSet> cpus;
};

/// CPUs that come or go.
struct Hotplug {
        Time at{0};
        CpuSet offline;
        CpuSet online;
};

/// A closed interval.
struct Range {
        double low = 0;
        double high = std::numeric_limits<double>::infinity();

        [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
        friend bool operator==(const Range&, const Range&) = default;
};

/// A range in which a figure of the report must be.
struct ExpectedFigure {
        std::string figure;
        Range range;
        std::size_t line = 0;  ///< in the scenario's file
};

/// The grant that every copy of a program that is alive at a time must then have.
struct ExpectedGrant {
        Time at{0};
        std::string program;
        Range range;
        std::size_t line = 0;
};

struct Scenario {
        std::string name;
        Time end = std::chrono::seconds(60);
        /// The number of parts into which policy `static` cuts the machine; 0: as many as there are
        /// programs at once.
        std::uint32_t parts = 0;
        MachineShape machine;
        GovernorSettings governor;
        std::vector<Cgroup> cgroups;
        std::vector<governor::policy::fair::Rule> rules;
        std::vector<Program> programs;
        std::vector<Foreign> foreign;
        std::vector<Hotplug> hotplug;
        std::vector<ExpectedFigure> expected;
        std::vector<ExpectedGrant> expected_grants;
};

}  // namespace simulation
