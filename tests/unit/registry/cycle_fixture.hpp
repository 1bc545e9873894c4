// SPDX-License-Identifier: MIT
//
// A governing cycle whose kernel and clock the test writes.
#pragma once

#include "registry/cycle.hpp"
#include "registry/made_up_programs.hpp"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace governor::registry {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::Limit;

inline const CpuMask kEight = CpuMask::range(0, 8);

/// A kernel and a shared memory that the test writes.
class MadeUp : public ProcessFacts, public ReportSource {
public:
        bool look(TimePoint, std::chrono::nanoseconds at_most) override {
                called.emplace_back("look");
                longest_look = std::max(longest_look, at_most);
                return looks_end;
        }
        std::optional<Measured> measured(ProgramId id) override {
                called.emplace_back("measured");
                return Measured{used[id], stopped.contains(id)};
        }
        std::uint32_t yielding_millicpu() override { return 0; }
        std::uint32_t running() override { return threads; }
        evidence::Ungoverned ungoverned() override { return others; }
        std::optional<std::chrono::nanoseconds> cpu_time(ProgramId id) override { return used[id]; }
        std::optional<std::chrono::nanoseconds> cpu_time_at_tick(ProgramId id, TimePoint) override {
                return used[id];
        }
        bool have_descendants() override { return ticks_guess; }
        bool is_stopped(ProgramId id) override { return stopped.contains(id); }
        std::optional<evidence::TreeLook> look_at_tree(ProgramId id) override {
                looks++;
                return is_small ? std::optional(evidence::TreeLook{used[id], runnable.contains(id)})
                                : std::nullopt;
        }
        std::optional<evidence::LowUse::Reading> low_use(ProgramId,
                                                         std::chrono::nanoseconds) override {
                return std::nullopt;
        }
        std::optional<Confinement> where(ProgramId id, TimePoint) override {
                looked_at.push_back(id);
                return within(allowed);
        }
        std::string executable(ProgramId) override { return "/usr/bin/solver"; }
        std::vector<std::optional<evidence::Report>>
        reports(std::span<const ProgramId> programs) override {
                called.emplace_back("reports");
                asked.assign(programs.begin(), programs.end());
                std::vector<std::optional<evidence::Report>> reports;
                for (const auto id : programs) {
                        const auto found = said.find(id);
                        reports.push_back(found != said.end() ? std::optional(found->second)
                                                              : std::nullopt);
                }
                return reports;
        }

        std::map<ProgramId, std::chrono::nanoseconds> used;
        std::map<ProgramId, evidence::Report> said;
        std::set<ProgramId> stopped;
        std::set<ProgramId> runnable;
        evidence::Ungoverned others;
        std::uint32_t threads = 0;
        bool ticks_guess = false;
        bool looks_end = true;  // at all processes
        std::chrono::nanoseconds longest_look{0};
        bool is_small = true;  // trees
        int looks = 0;         // at these
        CpuMask allowed = kEight;
        std::vector<std::string> called;
        std::vector<ProgramId> looked_at;
        std::vector<ProgramId> asked;
};

class CycleTest : public testing::Test {
protected:
        CycleTest() { configure(); }

        void configure(bool is_observing = false) {
                settings_.is_observing = is_observing;
                cycle_.configured(settings_, machine_of(8), now_);
        }
        ProgramId join(const CpuMask& held = {}, const Request& request = {},
                       const Identity& identity = program_of(1000)) {
                return cycle_.joined(identity, request, within(kEight), held, now_).id;
        }
        /// 25 ms in which these keep all of their CPUs busy; then what is due happens.
        void step(std::initializer_list<ProgramId> busy = {}) {
                for (const auto id : busy)
                        if (const auto* held = cycle_.programs().find(id)->held())
                                made_up_.used[id] += held->grant.threads * 25ms;
                now_ += 25ms;
                cycle_.woke(now_);
        }
        /// A second of that, in which each of them begins a region, and a sample in which so many
        /// CPUs of the machine are busy.
        void second(std::initializer_list<ProgramId> busy = {}, std::uint32_t cpus = 0) {
                for (const auto id : busy)
                        if (const auto* held = cycle_.programs().find(id)->held())
                                region(id, held->grant.threads);
                for (int i = 0; i < 40; i++)
                        step(busy);
                cycle_.sampled(sample(cpus), now_);
        }
        [[nodiscard]] static policy::Sample sample(std::uint32_t busy) {
                policy::Sample sample;
                sample.warming_up = false;
                for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                        sample.cpus.push_back({cpu, cpu < busy ? 0 : policy::kPermyriad, 0});
                return sample;
        }
        /// 100 ms in which these CPUs are busy, and a tick; then what is due happens.
        void tick(std::uint32_t busy) {
                now_ += numbers::kTick;
                cycle_.ticked(sample(busy), now_);
                cycle_.woke(now_);
        }
        void decide() {
                now_ += numbers::kRest;
                cycle_.woke(now_);
        }
        /// It runs a region on what it was granted last, with so many threads.
        void region(ProgramId id, std::uint32_t team) {
                const auto* held = cycle_.programs().find(id)->held();
                made_up_.said[id] = {held->epoch, team, true, ++regions_};
        }
        [[nodiscard]] policy::fair::Grant grant(ProgramId id) const {
                return cycle_.programs().find(id)->held()->grant;
        }
        /// Six seconds in which one does nothing and the other keeps its CPUs busy.
        void fall_idle(ProgramId idle, ProgramId busy) {
                decide();
                for (int i = 0; i < 6; i++)
                        second({busy});
                ASSERT_EQ(grant(idle).reason.limit, Limit::Idle);
                (void)told();
        }
        /// A program that only starts comes, and an administrator lowers its maximum from 8.
        void expect_that_one_to_start_is_told_of_a_maximum(std::uint32_t max) {
                Request request;
                request.start_only = true;
                const auto id = join({}, request);
                decide();
                EXPECT_EQ(told().at(id).grant.threads, 8U);
                Order order;
                order.max = max;
                EXPECT_TRUE(cycle_.ordered(id, order, Authority::Administrator, 0, now_).changed);
                decide();
                EXPECT_EQ(told().at(id).grant.threads, max);
        }
        /// The last word of each program, of all events since the last call.
        std::map<ProgramId, Effects::Word> told() {
                std::map<ProgramId, Effects::Word> words;
                for (const auto& word : cycle_.take_effects().publish)
                        words[word.id] = word;
                return words;
        }

        MadeUp made_up_;
        TimePoint now_ = kStart;
        Cycle::Settings settings_;
        Cycle cycle_{made_up_, made_up_, kStart};
        std::uint64_t regions_ = 0;
};

}  // namespace governor::registry
