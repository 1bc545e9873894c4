// SPDX-License-Identifier: MIT
// sched_setaffinity(2) of each thread, which needs no privilege for one's own.
#include "outside/one_cpu.hpp"

#include "outside/autogroup.hpp"
#include "probe/file_reader.hpp"
#include "probe/process_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <linux/capability.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace ctl::outside {

namespace {

/// These names count wherever they stand in a path: packages of Python rename theirs
/// (libgomp-e985bcbb.so.1), and Debian's libblas.so.3 lies in a folder openblas-pthread.
constexpr std::string_view kSpinning[] = {"libgomp", "libomp",  "libiomp", "libnvomp",
                                          "libmkl",  "libblis", "openblas"};
constexpr int kMostPasses = 4;
constexpr std::size_t kMostWords = governor::policy::kCpuNumberLimit / 64;

bool set_mask(std::uint32_t thread, const CpuMask& cpus) {
        const auto words = cpus.words();
        return ::syscall(SYS_sched_setaffinity, thread, words.size_bytes(), words.data()) == 0;
}

CpuMask just(std::uint32_t cpu) {
        CpuMask one;
        one.add(cpu);
        return one;
}

/// Root of a container often has not.
bool has_sys_nice() {
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
        return ::syscall(SYS_capget, &header, sets) == 0 &&
               (sets[0].effective >> CAP_SYS_NICE & 1U) != 0;
}

/// Root does so with any process if the kernel lets it, and other users with their own.
bool may_move(const HeldProcess& process) {
        return process.is_own() || (::geteuid() == 0 && has_sys_nice());
}

/// Has a thread another mask than `open`, or than the one that it has inherited from a narrowed
/// one?
bool is_bound(const HeldProcess& process, const CpuMask& open,
              const std::optional<CpuMask>& inherited) {
        return std::ranges::any_of(process.threads(), [&](std::uint32_t thread) {
                const auto mask = mask_of(thread);
                return mask && *mask != open && mask != inherited;
        });
}

/// Those processes of the tree that may be moved: the ones that were told of, and what has come
/// since from them or in their sessions.
class Members {
public:
        Members(std::uint64_t since_ticks, const std::vector<ProcessId>& told,
                const std::vector<std::uint64_t>& groups)
                : since_ticks_(since_ticks), told_(told), groups_(groups) {}

        /// One of a scan; parents before their children. Empty: it is none of them.
        [[nodiscard]] std::optional<HeldProcess> hold(const governor::probe::PidStat& process,
                                                      const governor::probe::ProcessScan& scan) {
                auto held = HeldProcess::open("", process.pid);
                if (!held || !may_move(*held) ||
                    !(is_known(id_of(process)) || is_newer(process, *held, scan)) ||
                    held->id() != id_of(process))
                        return std::nullopt;
                known_.insert(id_of(process));
                return held;
        }

private:
        [[nodiscard]] static ProcessId id_of(const governor::probe::PidStat& process) {
                return {process.pid, process.started_ticks};
        }
        [[nodiscard]] bool is_known(const ProcessId& id) const {
                return known_.contains(id) || std::ranges::find(told_, id) != told_.end();
        }
        [[nodiscard]] bool is_newer(const governor::probe::PidStat& process,
                                    const HeldProcess& held,
                                    const governor::probe::ProcessScan& scan) const {
                if (process.started_ticks < since_ticks_)
                        return false;
                const auto* parent = scan.find(process.ppid);
                if (parent != nullptr && known_.contains(id_of(*parent)))
                        return true;
                const auto group = groups_.empty() ? std::nullopt : autogroup_of(held);
                return group && std::ranges::find(groups_, group->id) != groups_.end();
        }

        std::uint64_t since_ticks_;
        const std::vector<ProcessId>& told_;
        const std::vector<std::uint64_t>& groups_;
        std::set<ProcessId> known_;  // numbers may change hands between two scans
};

/// New threads may come meanwhile, so it looks again as long as it finds some.
void give_back(Members& members, const std::vector<CpuMask>& masks, const CpuMask& open) {
        for (int pass = 0; pass < kMostPasses; pass++) {
                governor::probe::ProcessScan scan("");
                std::size_t moved = 0;
                if (scan.take() < 0)
                        return;
                auto processes = scan.processes();
                std::ranges::sort(processes, {}, [](const governor::probe::PidStat& process) {
                        return std::pair(process.started_ticks, process.pid);
                });
                for (const auto& process : processes) {
                        const auto held = members.hold(process, scan);
                        if (!held)
                                continue;
                        for (const auto& mask : masks)
                                moved += move_threads(*held, mask, open);
                }
                if (moved == 0)
                        return;
        }
}

}  // namespace

std::uint64_t now_ticks() {
        timespec now{};
        ::clock_gettime(CLOCK_BOOTTIME, &now);
        const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
        return static_cast<std::uint64_t>(now.tv_sec) * per_second +
               static_cast<std::uint64_t>(now.tv_nsec) * per_second / 1'000'000'000;
}

std::string_view spinning_runtime(std::string_view maps, std::string_view but) {
        for (const auto name : kSpinning)
                if (name != but && maps.find(name) != maps.npos)
                        return name;
        return {};
}

std::optional<CpuMask> mask_of(std::uint32_t thread) {
        std::array<std::uint64_t, kMostWords> words;
        const auto bytes = ::syscall(SYS_sched_getaffinity, thread, sizeof(words), words.data());
        if (bytes < 0)
                return std::nullopt;
        CpuMask mask;
        for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof(words[0]); i++)
                for (auto word = words[i]; word != 0; word &= word - 1)
                        mask.add(static_cast<std::uint32_t>(i * 64) +
                                 static_cast<std::uint32_t>(std::countr_zero(word)));
        return mask;
}

/// The number of a thread may go to a stranger in the moment of the call. The mask that the
/// stranger had is not known then.
std::size_t move_threads(const HeldProcess& process, const CpuMask& from, const CpuMask& to) {
        std::size_t moved = 0;
        for (const auto thread : process.threads()) {
                if (mask_of(thread) != from)
                        continue;
                const bool is_moved = process.on_thread(
                        thread, [&] { return mask_of(thread) == from && set_mask(thread, to); },
                        [&] {
                                if (!from.is_within(to))
                                        set_mask(thread, from | to);
                        });
                moved += is_moved ? 1 : 0;
        }
        return moved;
}

std::string refuse_one_cpu(const std::vector<ProcessId>& processes, const CpuMask& open) {
        governor::probe::FileReader files;
        if (open.count() < 2)
                return "the tree has no other";
        if (processes.size() > kMostNarrowed)
                return "the tree has more than " + std::to_string(kMostNarrowed) + " processes";
        for (const auto& process : processes) {
                std::string_view maps;
                if (files.read("/proc/" + std::to_string(process.pid) + "/maps", maps) < 0)
                        continue;
                if (const auto name = spinning_runtime(maps); !name.empty())
                        return "threads of " + std::string(name) +
                               " spin while they wait for each other";
        }
        return {};
}

Narrowed narrowed(const std::vector<ProcessId>& processes, const std::vector<std::uint64_t>& groups,
                  const CpuMask& open, const std::optional<Narrowed>& before) {
        Narrowed tree{open, {}, now_ticks(), {}, groups};
        open.for_each([&](std::uint32_t cpu) { tree.cpu = cpu; });
        for (const auto& process : processes) {
                const auto held = HeldProcess::open(process);
                const bool is_newer = before && process.started_ticks >= before->since_ticks;
                if (held && may_move(*held) &&
                    !is_bound(*held, open, is_newer ? std::optional(just(tree.cpu)) : std::nullopt))
                        tree.processes.push_back(process);
        }
        return tree;
}

bool narrow(const Narrowed& tree) {
        const auto one = just(tree.cpu);
        bool acts = false;
        for (const auto& process : tree.processes) {
                const auto held = HeldProcess::open(process);
                if (!held || !may_move(*held))
                        continue;
                move_threads(*held, tree.open, one);
                acts |= mask_of(process.pid) == one;
        }
        return acts;
}

void widen(const Narrowed& tree) {
        Members members(tree.since_ticks, tree.processes, tree.groups);
        give_back(members, {just(tree.cpu)}, tree.open);
}

void widen(const Fenced& tree) {
        const std::vector<std::uint64_t> no_groups;
        Members members(tree.since_ticks, tree.processes, no_groups);
        give_back(members, tree.masks, tree.open);
}

}  // namespace ctl::outside
