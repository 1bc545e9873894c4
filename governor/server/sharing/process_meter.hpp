// SPDX-License-Identifier: MIT
//
// Facts that the kernel tells about the programs that hold leases.
#pragma once

#include "evidence/foreign_load.hpp"
#include "evidence/low_use.hpp"
#include "policy/account.hpp"
#include "policy/sample.hpp"
#include "policy/time_point.hpp"
#include "probe/confinement.hpp"
#include "probe/descendants.hpp"
#include "probe/file_reader.hpp"
#include "probe/owned_load.hpp"
#include "probe/process_clock.hpp"
#include "probe/process_scan.hpp"
#include "probe/tree_look.hpp"
#include "probe/yielding_load.hpp"
#include "registry/cgroups.hpp"
#include "registry/facts.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace governor::server {

using policy::TimePoint;

class ProcessMeter {
public:
        /// Below `root`, which is empty for this machine.
        explicit ProcessMeter(const std::string& root);

        struct Where {
                registry::Confinement confinement;
                std::optional<std::uint32_t> owner;  ///< of its control group, as probe::Cgroups
                std::uint32_t threads = 0;           ///< as probe::Confinement
        };
        /// `claimed`: where a program that binds its threads says that it may run. Empty: it has
        /// gone, or is hidden (hidepid=).
        [[nodiscard]] std::optional<Where> where(std::uint32_t pid, const policy::CpuMask& claimed,
                                                 TimePoint now);

        /// Where::owner alone. Costs as much as ConfinementReader::owner().
        [[nodiscard]] std::optional<std::uint32_t> owner(std::uint32_t pid, TimePoint now) {
                return confinement_.owner(pid, now);
        }

        struct Holder {
                std::uint32_t pid = 0;
                std::chrono::nanoseconds arrived;  ///< as Peer::arrived
        };
        /// Looks at all processes of the machine, of which `holders` hold leases. False: `is_over`
        /// said so before all were read, or /proc could not be opened. The last scan stands, and
        /// the next call goes on.
        bool scan(std::span<const Holder> holders, TimePoint now,
                  const probe::ProcessScan::IsOver& is_over = {});
        /// There is no holder for a while. The next scan begins anew, and until then nothing is
        /// known of other processes.
        void drop_scan();

        /// CPU time that it has used, and as of the last scan that of its descendants without a
        /// lease. Empty: it has gone, and nobody knows; or it has more than 4,096 threads. The
        /// kernel adds up a clock for each of them, 0.16 us, and this is called at any time.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time(std::uint32_t pid);
        /// The same, with what its descendants have used since, if they went on as they did
        /// between the last two scans.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time_at_tick(std::uint32_t pid,
                                                                               TimePoint now);
        /// The same right after where(), which has counted its threads.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time(std::uint32_t pid,
                                                                       const Where& where);
        /// The same right after a scan. Below a root what the scan has read is not read again.
        [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time_at_scan(std::uint32_t pid);
        /// Its state as of the last scan.
        [[nodiscard]] bool is_stopped(std::uint32_t pid) const;
        /// Processes that descend from it, as of the last scan: without those that hold a lease,
        /// and those that descend from one of these.
        [[nodiscard]] std::uint32_t processes(std::uint32_t pid) const {
                return descendants_.processes(pid);
        }
        /// The first thread of a process, now: times are its own. Costs as much as
        /// FileReader::read_short(), however many threads there are. Empty: it has gone, or is
        /// hidden.
        [[nodiscard]] std::optional<probe::PidStat> first_thread(std::uint32_t pid);
        /// The process as of the last scan: O(log processes).
        [[nodiscard]] std::optional<probe::PidStat> at_scan(std::uint32_t pid) const {
                const auto* process = processes_.find(pid);
                return process != nullptr ? std::optional(*process) : std::nullopt;
        }
        /// A look at a process and all that descends from it, now. Costs what TreeReader::read()
        /// does.
        [[nodiscard]] std::optional<evidence::TreeLook> look_at_tree(std::uint32_t pid);
        /// Now. False where that cannot be read (hidepid=). Costs as much as ProcessScan::read().
        [[nodiscard]] bool is_stopped_now(std::uint32_t pid);
        /// The reading that a LowUse wants, now; `cpu_time` is that of the process. Empty where it
        /// cannot be read (hidepid=). Costs as much as FileReader::read_short().
        [[nodiscard]] std::optional<evidence::LowUse::Reading>
        low_use(std::uint32_t pid, std::chrono::nanoseconds cpu_time);
        /// Threads that run now, the caller's aside; 0 where /proc/loadavg cannot be read. Costs as
        /// much as FileReader::read_short().
        [[nodiscard]] std::uint32_t running();
        /// Between the last two scans, by threads that run only when nobody else wants to.
        [[nodiscard]] std::uint32_t yielding_millicpu() const { return yielding_millicpu_; }
        /// Likewise, by other processes that belong to no holder.
        [[nodiscard]] const evidence::Ungoverned& ungoverned() const { return ungoverned_; }

private:
        [[nodiscard]] std::optional<std::chrono::nanoseconds> read_cpu_time(std::uint32_t pid);
        [[nodiscard]] std::optional<std::uint32_t> run_by(std::uint32_t pid, TimePoint now);
        void count_owned(std::chrono::nanoseconds elapsed);
        void follow_descendants(std::span<const Holder> holders, std::chrono::nanoseconds elapsed);

        std::uint64_t ticks_per_second_;
        std::string root_;
        probe::ProcessClock clock_;
        probe::ConfinementReader confinement_;
        probe::ProcessScan processes_;
        probe::Descendants descendants_;
        probe::YieldingLoad yielding_;
        probe::OwnedLoad owned_;
        probe::TreeReader trees_;
        probe::FileReader files_;
        std::optional<TimePoint> scanned_at_;
        struct Grown {
                std::chrono::nanoseconds used;      // by descendants, at the last scan
                std::chrono::nanoseconds expected;  // then, as ticks go on from there
                double rate = 0;                    // between the last two scans
        };
        std::map<std::uint32_t, Grown> grown_;  // by pid
        std::uint32_t yielding_millicpu_ = 0;
        evidence::Ungoverned ungoverned_;
};

/// The account that a process counts against if it runs as user `uid`; `owner` as
/// probe::Confinement. A process that runs as root is root's, whoever's control group it is in.
[[nodiscard]] policy::Account account_of(std::uint32_t uid, std::optional<std::uint32_t> owner);

}  // namespace governor::server
