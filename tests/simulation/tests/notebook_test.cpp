// SPDX-License-Identifier: MIT
// Cells of a notebook on all CPUs, beside a long program of another user.
#include "simulation/report/trace.hpp"
#include "simulation/world/run.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

namespace simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Seconds = std::chrono::duration<double>;

constexpr int kCells = 20;
constexpr Time kThinking = seconds(10);
constexpr Time kShortRegion = milliseconds(10);  // of the neighbour, on all CPUs
constexpr Time kNeighbour = seconds(300);        // the neighbour, likewise

/// `cell` is its length on all CPUs.
Scenario notebook(std::uint32_t cpus, Time cell) {
        Scenario scenario;
        scenario.name = "notebook";
        scenario.machine.cpus = cpus;
        scenario.end = seconds(10'000);
        Program neighbour;
        neighbour.name = "long";
        neighbour.user = 1000;
        neighbour.region = kShortRegion * cpus;
        neighbour.regions = static_cast<std::uint64_t>(kNeighbour / kShortRegion);
        Program cells;
        cells.name = "notebook";
        cells.user = 1001;
        cells.start = seconds(5);
        cells.region = cell * cpus;
        cells.regions = kCells;
        cells.sleep = kThinking;
        scenario.programs = {neighbour, cells};
        return scenario;
}

Seconds elapsed(const Life& life) { return Seconds(life.ended.value() - life.started); }

}  // namespace

// Static halves: a cell takes twice what it takes on all CPUs. A short one may wait for a region of
// its neighbour, which begins with half of the CPUs behind it.
TEST(Notebook, CellsTakeLittleMoreThanOnAHalfOfTheirOwn) {
        for (const std::uint32_t cpus : {8U, 16U, 64U, 256U})
                for (const Time cell :
                     {milliseconds(1), milliseconds(10), milliseconds(100), milliseconds(1'000)}) {
                        const auto trace = record(notebook(cpus, cell));
                        ASSERT_EQ(trace.lives.size(), 2U);
                        const auto& neighbour = trace.lives[0];
                        const auto& cells = trace.lives[1];
                        const auto which = std::to_string(cpus) + " CPUs, " +
                                           std::to_string(Seconds(cell).count()) + " s";
                        const Seconds halves = 2 * cell;
                        const auto took = (elapsed(cells) - (kCells - 1) * kThinking) / kCells;
                        const Seconds most = cell < milliseconds(100)
                                                     ? halves + 2 * Seconds(kShortRegion)
                                                     : 1.25 * halves;
                        EXPECT_LE(took, most) << which;
                        // It gives half away while a cell runs, and at no other time.
                        const Seconds given = kNeighbour + kCells * halves / 2;
                        EXPECT_LE(elapsed(neighbour), 1.10 * given) << which;
                }
}

}  // namespace simulation
