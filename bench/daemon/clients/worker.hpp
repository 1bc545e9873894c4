// SPDX-License-Identifier: MIT
//
// A program of a made-up machine, in a process of its own. Like any program it asks libthreadcount
// for its teams. Its regions sleep as long as their work would take.
#pragma once

#include "desk.hpp"

#include "simulation/scenario/scenario.hpp"

#include <cstdint>
#include <string>

namespace bench {

/// Waits until `desk` lets the process begin, and ends the process. It uses region, regions,
/// speedup, name, class and job of `program`.
[[noreturn]] void work(Desk& desk, const simulation::Program& program, std::uint32_t cpus,
                       const std::string& governor);

}  // namespace bench
