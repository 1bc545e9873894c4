// SPDX-License-Identifier: MIT
// sched_setaffinity(2) of each thread, which needs no privilege for one's own.
#include "outside/one_cpu.hpp"

#include "outside/autogroup.hpp"
#include "probe/file_reader.hpp"
#include "probe/process_scan.hpp"
#include "probe/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <dirent.h>
#include <linux/capability.h>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_set>
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

std::vector<std::uint32_t> threads_of(std::uint32_t pid) {
        std::vector<std::uint32_t> threads;
        const auto path = "/proc/" + std::to_string(pid) + "/task";
        const std::unique_ptr<DIR, int (*)(DIR*)> tasks(::opendir(path.c_str()), ::closedir);
        while (tasks && threads.size() < kMostThreads) {
                const auto* entry = ::readdir(tasks.get());
                if (entry == nullptr)
                        break;
                const auto thread = governor::probe::parse_number<std::uint32_t>(
                        static_cast<const char*>(entry->d_name));
                if (thread)
                        threads.push_back(*thread);
        }
        return threads;
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
bool is_bound(std::uint32_t pid, const CpuMask& open, const std::optional<CpuMask>& inherited) {
        return std::ranges::any_of(threads_of(pid), [&](std::uint32_t thread) {
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

        [[nodiscard]] bool has(const governor::probe::PidStat& process) {
                const auto held = HeldProcess::open("", process.pid);
                const ProcessId id{process.pid, process.started_ticks};
                if (!held || !may_move(*held) || !(is_told(id) || is_newer(process, *held)))
                        return false;
                known_.insert(process.pid);
                return true;
        }

private:
        [[nodiscard]] bool is_told(const ProcessId& id) const {
                return std::ranges::find(told_, id) != told_.end();
        }
        [[nodiscard]] bool is_newer(const governor::probe::PidStat& process,
                                    const HeldProcess& held) const {
                if (process.started_ticks < since_ticks_)
                        return false;
                if (known_.contains(process.ppid))
                        return true;
                const auto group = groups_.empty() ? std::nullopt : autogroup_of(held);
                return group && std::ranges::find(groups_, group->id) != groups_.end();
        }

        std::uint64_t since_ticks_;
        const std::vector<ProcessId>& told_;
        const std::vector<std::uint64_t>& groups_;
        std::unordered_set<std::uint32_t> known_;
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
                        if (!members.has(process))
                                continue;
                        for (const auto& mask : masks)
                                moved += move_threads(process.pid, mask, open);
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

std::string_view spinning_runtime(std::string_view maps) {
        for (const auto name : kSpinning)
                if (maps.find(name) != maps.npos)
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

std::size_t move_threads(std::uint32_t pid, const CpuMask& from, const CpuMask& to) {
        std::size_t moved = 0;
        for (const auto thread : threads_of(pid))
                if (mask_of(thread) == from && set_mask(thread, to))
                        moved++;
        return moved;
}

std::string refuse_one_cpu(const std::vector<std::uint32_t>& pids, const CpuMask& open) {
        governor::probe::FileReader files;
        if (open.count() < 2)
                return "the tree has no other";
        if (pids.size() > kMostNarrowed)
                return "the tree has more than " + std::to_string(kMostNarrowed) + " processes";
        for (const auto pid : pids) {
                std::string_view maps;
                if (files.read("/proc/" + std::to_string(pid) + "/maps", maps) < 0)
                        continue;
                if (const auto name = spinning_runtime(maps); !name.empty())
                        return "threads of " + std::string(name) +
                               " spin while they wait for each other";
        }
        return {};
}

Narrowed narrowed(const std::vector<std::uint32_t>& pids, const std::vector<std::uint64_t>& groups,
                  const CpuMask& open, const std::optional<Narrowed>& before) {
        Narrowed tree{open, {}, now_ticks(), {}, groups};
        open.for_each([&](std::uint32_t cpu) { tree.cpu = cpu; });
        for (const auto pid : pids) {
                const auto held = HeldProcess::open("", pid);
                const auto id = held && may_move(*held) ? held->id() : std::nullopt;
                const bool is_newer = id && before && id->started_ticks >= before->since_ticks;
                if (!id ||
                    is_bound(pid, open, is_newer ? std::optional(just(tree.cpu)) : std::nullopt))
                        continue;
                tree.processes.push_back(*id);
        }
        return tree;
}

bool narrow(const Narrowed& tree) {
        const auto one = just(tree.cpu);
        bool acts = false;
        for (const auto& process : tree.processes) {
                const auto held = HeldProcess::open("", process.pid);
                if (!held || !may_move(*held) || held->id() != process)
                        continue;
                move_threads(process.pid, tree.open, one);
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
