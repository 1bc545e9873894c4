// SPDX-License-Identifier: MIT
// Max-min shares by the tightest cut: who is in it can get no more, the others go on without it
// (Megiddo 1974). Mostly nobody lacks anything, and no cut is looked for.
#include "simulation/world/kernel.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace simulation {

namespace {

// kernel/sched/core.c
constexpr std::array<double, 40> kPrioToWeight{
        88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
        9548,  7620,  6100,  4904,  3906,  3121,  2501,  1991,  1586,  1277,
        1024,  820,   655,   526,   423,   335,   272,   215,   172,   137,
        110,   87,    70,    56,    45,    36,    29,    23,    18,    15};
constexpr double kNiceZero = 1024;
constexpr double kIdle = 3;

constexpr double kSlack = 1e-7;  // of sums of CPUs

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// A number that looks random, so that sums of different sets of them differ (splitmix64).
std::uint64_t scramble(std::uint64_t n) {
        n += 0x9e3779b97f4a7c15U;
        n = (n ^ (n >> 30U)) * 0xbf58476d1ce4e5b9U;
        n = (n ^ (n >> 27U)) * 0x94d049bb133111ebU;
        return n ^ (n >> 31U);
}

constexpr std::uint64_t kOffline = 0;
constexpr std::uint64_t kUnused = 1;

}  // namespace

double nice_weight(std::int32_t nice) {
        return kPrioToWeight[static_cast<std::size_t>(std::clamp(nice, -20, 19) + 20)] / kNiceZero;
}

double niced_part(std::int32_t nice) { return nice_weight(nice) / (nice_weight(nice) + 1); }

double idle_weight() { return kIdle / kNiceZero; }

const Division& Kernel::divide(std::span<const Threads> threads,
                               std::span<const Throttle> throttles, const CpuMask& online) {
        threads_ = threads;
        if (groups_.size() < threads.size())
                groups_.resize(threads.size());
        find_cells(online);
        for (std::size_t i = 0; i < threads.size(); i++)
                groups_[i].appetite = threads[i].appetite;
        divide_cells();
        for (std::size_t rounds = throttles.size() + 1; rounds > 0 && throttle(throttles); rounds--)
                divide_cells();
        total(signatures_.size());
        return division_;
}

double Kernel::mean(std::size_t i, std::span<const double> by_cpu) const {
        const auto& group = groups_[i];
        double sum = 0;
        double given = 0;
        for (std::size_t k = 0; k < group.cells.size(); k++) {
                const auto& cpus = cells_[group.cells[k]].cpus;
                for (const auto cpu : cpus)
                        sum += group.given[k] / static_cast<double>(cpus.size()) * by_cpu[cpu];
                given += group.given[k];
        }
        return given > 0 ? sum / given : 1;
}

/// A CPU's signature is the sum of the numbers of those that may use it.
void Kernel::find_cells(const CpuMask& online) {
        signatures_.clear();
        online.for_each([&](std::uint32_t cpu) {
                signatures_.resize(cpu + 1, kOffline);
                signatures_[cpu] = kUnused;
        });
        for (std::size_t i = 0; i < threads_.size(); i++) {
                const auto& cpus = threads_[i].cpus.intersects(online) ? threads_[i].cpus : online;
                const auto number = scramble(i);
                cpus.for_each([&](std::uint32_t cpu) {
                        if (cpu < signatures_.size() && signatures_[cpu] != kOffline)
                                signatures_[cpu] += number;
                });
        }
        std::size_t used = 0;
        std::size_t last = kNowhere;
        for (std::uint32_t cpu = 0; cpu < signatures_.size(); cpu++) {
                if (signatures_[cpu] == kOffline || signatures_[cpu] == kUnused)
                        continue;
                if (last == kNowhere || cells_[last].signature != signatures_[cpu]) {
                        for (last = 0; last < used; last++)
                                if (cells_[last].signature == signatures_[cpu])
                                        break;
                        if (last == used) {
                                if (cells_.size() == used)
                                        cells_.emplace_back();
                                cells_[used].signature = signatures_[cpu];
                                cells_[used++].cpus.clear();
                        }
                }
                cells_[last].cpus.push_back(cpu);
        }
        cells_.resize(used);
        for (std::size_t i = 0; i < threads_.size(); i++) {
                auto& group = groups_[i];
                const bool anywhere = !threads_[i].cpus.intersects(online);
                group.cells.clear();
                for (std::size_t c = 0; c < cells_.size(); c++)
                        if (anywhere || threads_[i].cpus.contains(cells_[c].cpus.front()))
                                group.cells.push_back(c);
                group.given.assign(group.cells.size(), 0.0);
        }
}

void Kernel::divide_cells() {
        if (!satisfy_all())
                share();
}

/// Those with the fewest cells choose first; each takes the same part of what is free in its cells.
/// False if a group did not get all, which does not mean that there was no way.
bool Kernel::satisfy_all() {
        free_.resize(cells_.size());
        for (std::size_t c = 0; c < cells_.size(); c++)
                free_[c] = static_cast<double>(cells_[c].cpus.size());
        open_groups_.resize(threads_.size());
        std::iota(open_groups_.begin(), open_groups_.end(), 0U);
        std::ranges::stable_sort(open_groups_, {},
                                 [&](std::size_t i) { return groups_[i].cells.size(); });
        for (const auto i : open_groups_) {
                auto& group = groups_[i];
                const double wanted = threads_[i].count * group.appetite;
                double room = 0;
                for (const auto c : group.cells)
                        room += free_[c];
                if (wanted > room + Flow::kTiny)
                        return false;
                const double part = room > 0 ? std::min(wanted / room, 1.0) : 0;
                for (std::size_t k = 0; k < group.cells.size(); k++) {
                        group.given[k] = part * free_[group.cells[k]];
                        free_[group.cells[k]] -= group.given[k];
                }
                group.rate = group.appetite;
        }
        return true;
}

double Kernel::wish(std::size_t group, double level) const {
        return std::min(groups_[group].appetite, level * threads_[group].weight);
}

void Kernel::share() {
        open_groups_.resize(threads_.size());
        std::iota(open_groups_.begin(), open_groups_.end(), 0U);
        open_cells_.resize(cells_.size());
        std::iota(open_cells_.begin(), open_cells_.end(), 0U);
        while (!open_groups_.empty()) {
                build_network();
                settle(highest_level());
        }
}

void Kernel::build_network() {
        const auto groups = open_groups_.size();
        const auto sink = groups + open_cells_.size() + 1;
        flow_.reset(sink + 1);
        wish_arcs_.clear();
        if (cell_arcs_.size() < groups)
                cell_arcs_.resize(groups);
        place_of_cell_.assign(cells_.size(), kNowhere);
        for (std::size_t p = 0; p < open_cells_.size(); p++)
                place_of_cell_[open_cells_[p]] = p;
        for (std::size_t p = 0; p < groups; p++) {
                wish_arcs_.push_back(flow_.add_arc(0, p + 1, 0));
                const auto& group = groups_[open_groups_[p]];
                cell_arcs_[p].assign(group.cells.size(), kNowhere);
                for (std::size_t k = 0; k < group.cells.size(); k++)
                        if (const auto place = place_of_cell_[group.cells[k]]; place != kNowhere)
                                cell_arcs_[p][k] =
                                        flow_.add_arc(p + 1, groups + place + 1, kUnlimited);
        }
        for (std::size_t p = 0; p < open_cells_.size(); p++)
                (void)flow_.add_arc(groups + p + 1, sink,
                                    static_cast<double>(cells_[open_cells_[p]].cpus.size()));
}

/// The highest level at which all open groups get what they wish; then the cut holds those whose
/// wishes may not grow. All are in it if all are satisfied.
double Kernel::highest_level() {
        const auto groups = open_groups_.size();
        const auto sink = groups + open_cells_.size() + 1;
        double level = 0;
        for (const auto i : open_groups_)
                level = std::max(level, groups_[i].appetite / threads_[i].weight);
        in_cut_.assign(groups, 1);
        cell_in_cut_.assign(open_cells_.size(), 1);
        for (std::size_t rounds = groups + cells_.size() + 8; rounds > 0; rounds--) {
                double wanted = 0;
                for (std::size_t p = 0; p < groups; p++) {
                        const auto i = open_groups_[p];
                        const double wished = threads_[i].count * wish(i, level);
                        flow_.set_capacity(wish_arcs_[p], wished);
                        wanted += wished;
                }
                if (flow_.run(0, sink) >= wanted - kSlack)
                        break;
                for (std::size_t p = 0; p < groups; p++)
                        in_cut_[p] = flow_.reached(p + 1) ? 1 : 0;
                for (std::size_t p = 0; p < open_cells_.size(); p++)
                        cell_in_cut_[p] = flow_.reached(groups + p + 1) ? 1 : 0;
                const double lower = level_of_cut();
                if (lower >= level)
                        break;
                level = lower;
        }
        return level;
}

/// At which the wishes of the groups in the cut fill its cells exactly.
double Kernel::level_of_cut() const {
        double capacity = 0;
        for (std::size_t p = 0; p < open_cells_.size(); p++)
                if (cell_in_cut_[p] != 0)
                        capacity += static_cast<double>(cells_[open_cells_[p]].cpus.size());
        double level = 0;
        for (bool again = true; again;) {  // a group full at the last level counts as such
                double full = 0;
                double weight = 0;
                for (std::size_t p = 0; p < open_groups_.size(); p++) {
                        const auto i = open_groups_[p];
                        if (in_cut_[p] == 0)
                                continue;
                        if (wish(i, level) >= groups_[i].appetite)
                                full += threads_[i].count * groups_[i].appetite;
                        else
                                weight += threads_[i].count * threads_[i].weight;
                }
                const double higher =
                        weight > 0 ? std::max((capacity - full) / weight, 0.0) : level;
                again = higher > level * (1 + 1e-12);
                level = std::max(level, higher);
        }
        return level;
}

void Kernel::settle(double level) {
        std::vector<std::size_t> groups_left;
        std::vector<std::size_t> cells_left;
        for (std::size_t p = 0; p < open_groups_.size(); p++) {
                auto& group = groups_[open_groups_[p]];
                if (in_cut_[p] == 0) {
                        groups_left.push_back(open_groups_[p]);
                        continue;
                }
                group.rate = wish(open_groups_[p], level);
                for (std::size_t k = 0; k < group.cells.size(); k++)
                        group.given[k] =
                                cell_arcs_[p][k] == kNowhere ? 0.0 : flow_.on(cell_arcs_[p][k]);
        }
        for (std::size_t p = 0; p < open_cells_.size(); p++)
                if (cell_in_cut_[p] == 0)
                        cells_left.push_back(open_cells_[p]);
        open_groups_ = std::move(groups_left);
        open_cells_ = std::move(cells_left);
}

/// Lowers the appetites of threads in a group above its quota. True if there was one.
bool Kernel::throttle(std::span<const Throttle> throttles) {
        bool found = false;
        for (std::size_t t = 0; t < throttles.size(); t++) {
                if (!throttles[t].quota)
                        continue;
                const auto is_below = [&](std::size_t i) {
                        auto at = threads_[i].cgroup;
                        while (at && *at > t)
                                at = throttles[*at].parent;
                        return at == t;
                };
                double used = 0;
                for (std::size_t i = 0; i < threads_.size(); i++)
                        if (is_below(i))
                                used += threads_[i].count * groups_[i].rate;
                if (used <= *throttles[t].quota + kSlack)
                        continue;
                found = true;
                for (std::size_t i = 0; i < threads_.size(); i++)
                        if (is_below(i))
                                groups_[i].appetite = groups_[i].rate =
                                        groups_[i].rate * *throttles[t].quota / used;
        }
        return found;
}

void Kernel::total(std::size_t cpus) {
        division_.rate.resize(threads_.size());
        division_.busy.assign(cpus, 0.0);
        division_.niced.assign(cpus, 0.0);
        division_.foreign.assign(cpus, 0.0);
        division_.niced_foreign.assign(cpus, 0.0);
        for (std::size_t i = 0; i < threads_.size(); i++) {
                const auto& group = groups_[i];
                division_.rate[i] = threads_[i].count * group.rate;
                for (std::size_t k = 0; k < group.cells.size(); k++) {
                        const auto& cpus_of_cell = cells_[group.cells[k]].cpus;
                        const double each =
                                group.given[k] / static_cast<double>(cpus_of_cell.size());
                        if (each <= 0)
                                continue;
                        for (const auto cpu : cpus_of_cell) {
                                division_.busy[cpu] += each;
                                if (threads_[i].niced)
                                        division_.niced[cpu] += each;
                                if (threads_[i].foreign)
                                        (threads_[i].niced ? division_.niced_foreign
                                                           : division_.foreign)[cpu] += each;
                        }
                }
        }
}

}  // namespace simulation
