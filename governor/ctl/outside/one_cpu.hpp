// SPDX-License-Identifier: MIT
//
// One CPU that all trees share which wait for their turn: for programs whose threads sleep while
// they wait for each other. On this machine only.
#pragma once

#include "outside/record.hpp"
#include "policy/cpu_mask.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::outside {

using governor::policy::CpuMask;

/// A runtime in the text of /proc/PID/maps whose threads spin for each other. On one CPU each would
/// wait for its time slice to see what another one has done. Empty: none. Pure; of a program that
/// is linked statically it shows nothing. `but` is passed over.
[[nodiscard]] std::string_view spinning_runtime(std::string_view maps, std::string_view but = {});

/// The mask of a thread, 0: the calling one. Empty: it has gone.
[[nodiscard]] std::optional<CpuMask> mask_of(std::uint32_t thread);

/// Gives the threads of a process that have `from` the mask `to`. Returns how many. Looks at
/// kMostThreads at most. About 2 us for each, and 4 us more for each that it moves.
std::size_t move_threads(const HeldProcess& process, const CpuMask& from, const CpuMask& to);

/// Why these processes must not be held to one CPU; empty: they may. The CPUs `open` are what they
/// may use: a process with another mask was bound by somebody. About 50 us for each process.
[[nodiscard]] std::string refuse_one_cpu(const std::vector<ProcessId>& processes,
                                         const CpuMask& open);

/// The processes of a tree, in the autogroups `groups`, are to be on the last CPU of `open`.
/// Processes that were bound by somebody are left out; those that have come since `before`, if
/// there is that, are not.
[[nodiscard]] Narrowed narrowed(const std::vector<ProcessId>& processes,
                                const std::vector<std::uint64_t>& groups, const CpuMask& open,
                                const std::optional<Narrowed>& before);

/// Does what it says, to processes that run now. Is any of them on that CPU then?
[[nodiscard]] bool narrow(const Narrowed& tree);

/// Gives back what the processes of the tree may use, those too that were made since. New threads
/// may come meanwhile, so it looks again as long as it finds some. About 10 us for each process of
/// the machine.
void widen(const Narrowed& tree);

/// The same of a tree whose fence nobody moves any more.
void widen(const Fenced& tree);

/// The time now, as starts of processes are told.
[[nodiscard]] std::uint64_t now_ticks();

}  // namespace ctl::outside
