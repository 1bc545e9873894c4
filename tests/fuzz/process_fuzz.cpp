// SPDX-License-Identifier: MIT
// CPU lists are CPU lists, times have passed, and the time of descendants never goes backwards,
// whatever /proc/PID/stat, status and schedstat say. Each line is a process (a text with a "Cpus_"
// in it a status); an empty line ends a scan. Pids that are divisible by ten hold leases.
#include "policy/cpu_set.hpp"
#include "probe/descendants.hpp"
#include "probe/pid_schedstat.hpp"
#include "probe/pid_stat.hpp"
#include "probe/pid_status.hpp"
#include "probe/process_scan.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

using namespace governor::probe;

namespace {

class Scans {
public:
        void add(std::string_view line) {
                const auto stat = parse_pid_stat(line);
                if (!stat)
                        return;
                require(line.find(')') != line.npos, "a process has a name");
                const auto it = std::ranges::lower_bound(scan_, stat->pid, {}, &PidStat::pid);
                if (it == scan_.end() || it->pid != stat->pid)
                        scan_.insert(it, *stat);
        }

        void end_scan() {
                auto early = read_before_parents(scan_);
                require(early.size() <= scan_.size(), "nobody is read again twice");
                std::ranges::sort(early, std::greater{});
                for (const auto i : early)
                        if (scan_.at(i).pid % 7 == 0)  // it has gone
                                scan_.erase(scan_.begin() + static_cast<std::ptrdiff_t>(i));
                std::vector<Descendants::Holder> holders;
                for (const auto& process : scan_)
                        if (process.pid % 10 == 0)
                                holders.push_back({process.pid, process.pid * 2ULL});
                descendants_.add(scan_, holders);
                check();
                scan_.clear();
        }

private:
        void check() {
                require(descendants_.growth().size() == scan_.size(), "one growth per process");
                for (std::size_t i = 0; i < scan_.size(); i++) {
                        const auto holder = descendants_.growth()[i].holder;
                        require(holder % 10 == 0, "only holders have descendants");
                        require(scan_[i].pid % 10 != 0 || holder == scan_[i].pid,
                                "a holder belongs to itself");
                }
                has_overflown_ = has_overflown_ || overflows();
                for (const auto& process : scan_) {
                        if (process.pid % 10 != 0)
                                continue;
                        const auto ticks = descendants_.ticks(process.pid);
                        const auto before = totals_.find({process.pid, process.started_ticks});
                        if (before != totals_.end() && !has_overflown_)
                                require(ticks >= before->second, "totals never go backwards");
                        totals_now_[{process.pid, process.started_ticks}] = ticks;
                }
                totals_ = std::move(totals_now_);
                totals_now_.clear();
        }
        [[nodiscard]] bool overflows() const {
                return std::ranges::any_of(scan_, [](const PidStat& process) {
                        constexpr std::uint64_t kMost = UINT64_MAX / 1'000'000;
                        return process.user_ticks > kMost || process.system_ticks > kMost ||
                               process.reaped_ticks > kMost;
                });
        }

        /// Made-up counters may; the kernel's do not live that long. Sums of later scans have it in
        /// them.
        bool has_overflown_ = false;
        std::vector<PidStat> scan_;
        Descendants descendants_;
        using Totals = std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t>;
        Totals totals_;
        Totals totals_now_;
};

void check_status(std::string_view text) {
        (void)parse_real_uid(text);
        const auto cpus = parse_allowed_cpus(text);
        if (!cpus)
                return;
        require(text.ends_with('\n'), "a status ends at the end of a line");
        cpus->for_each([](std::uint32_t cpu) {
                require(cpu < governor::policy::kCpuNumberLimit, "CPU numbers are below the limit");
        });
}

void check_schedstat(std::string_view text) {
        const auto times = parse_pid_schedstat(text);
        require(!times || (times->cpu_time.count() >= 0 && times->waited.count() >= 0),
                "no time is negative");
        const auto line = text.substr(0, text.find('\n'));
        require(!times || std::ranges::count(line, ' ') == 2, "a schedstat has three numbers");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        if (text.find("Cpus_") != text.npos)
                check_status(text);
        check_schedstat(text);
        (void)parse_pid_stat(text);
        Scans scans;
        for (auto rest = text; !rest.empty();) {
                const auto line = rest.substr(0, rest.find('\n'));
                if (line.empty())
                        scans.end_scan();
                else
                        scans.add(std::string(line) + "\n");
                rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        }
        scans.end_scan();
        return 0;
}
