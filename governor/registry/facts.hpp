// SPDX-License-Identifier: MIT
//
// The two doors of the governing cycle: the kernel's facts about programs, and the programs'
// reports.
#pragma once

#include "evidence/foreign_load.hpp"
#include "evidence/low_use.hpp"
#include "evidence/occupancy.hpp"
#include "evidence/tree_looks.hpp"
#include "policy/fair/snapshot.hpp"
#include "registry/cgroups.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace governor::registry {

using policy::TimePoint;
using policy::fair::ProgramId;

/// The kernel's facts about programs that hold leases. Empty answers: the process has gone, or the
/// kernel hides it (hidepid=).
class ProcessFacts {
public:
        virtual ~ProcessFacts() = default;

        /// Looks at all processes of the machine, for so long at most. Once per sample, before
        /// measured(), yielding_millicpu() and ungoverned() are asked. False: there are too many
        /// for that time, or it cannot begin. The next call goes on, and the last look that ended
        /// stands until then.
        virtual bool look(TimePoint now, std::chrono::nanoseconds at_most) = 0;
        struct Measured {
                /// Used since it began, with its descendants that hold no lease.
                std::chrono::nanoseconds cpu_time{0};
                bool is_stopped = false;  ///< by a signal or a debugger
        };
        /// The facts as of the last look(). Where it has not ended they are those of now, and
        /// empty for a program that has descendants.
        virtual std::optional<Measured> measured(ProgramId id) = 0;
        /// Burned between the last two looks by threads that run only when nobody else wants to
        /// (SCHED_IDLE, control groups with cpu.idle).
        virtual std::uint32_t yielding_millicpu() = 0;
        /// Burned between the last two looks by other processes that belong to no program.
        virtual evidence::Ungoverned ungoverned() = 0;

        /// Threads of the machine that run, or would if they had a CPU, at this moment, the
        /// caller's aside. 0 where it is not known.
        virtual std::uint32_t running() = 0;
        /// CPU time as in Measured, now.
        virtual std::optional<std::chrono::nanoseconds> cpu_time(ProgramId id) = 0;
        /// The same for a tick: descendants are taken to go on as they did between the last two
        /// looks.
        virtual std::optional<std::chrono::nanoseconds> cpu_time_at_tick(ProgramId id,
                                                                         TimePoint now) = 0;
        /// Some program has descendants, or may have by now.
        virtual bool have_descendants() = 0;
        /// Now. Empty where there is too much to look at as well.
        virtual std::optional<evidence::TreeLook> look_at_tree(ProgramId id) = 0;
        /// Now. False where nobody can know.
        virtual bool is_stopped(ProgramId id) = 0;
        /// The time that its first thread has waited for a CPU until now; `cpu_time` is that of the
        /// process.
        virtual std::optional<evidence::LowUse::Reading>
        low_use(ProgramId id, std::chrono::nanoseconds cpu_time) = 0;
        /// The CPUs and control groups that the kernel gives to it now.
        virtual std::optional<Confinement> where(ProgramId id, TimePoint now) = 0;
        /// The path of what it runs; empty: not known.
        virtual std::string executable(ProgramId id) = 0;

protected:
        ProcessFacts() = default;
        ProcessFacts(const ProcessFacts&) = default;
        ProcessFacts& operator=(const ProcessFacts&) = default;
};

/// The reports of programs about their regions.
class ReportSource {
public:
        virtual ~ReportSource() = default;

        /// The reports of these programs, which ascend, in their order. Empty: there is none.
        /// Epochs count the grants that the registry gave.
        virtual std::vector<std::optional<evidence::Report>>
        reports(std::span<const ProgramId> programs) = 0;

protected:
        ReportSource() = default;
        ReportSource(const ReportSource&) = default;
        ReportSource& operator=(const ReportSource&) = default;
};

}  // namespace governor::registry
