// SPDX-License-Identifier: MIT
//
// The results of a run, in numbers.
#pragma once

#include "simulation/world/run.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simulation {

/// How long the processes of a run took.
struct Times {
        double aggregate_s = 0;  ///< the sum of the times from start to end, of all processes
        double makespan_s = 0;   ///< from the first start to the last end
        double unfinished = 0;   ///< processes whose work was not done at the end
};

/// Figures are of processes that were governed, where nothing else is said.
struct Figures : Times {
        /// Jain's index (R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and
        /// discrimination", 1984) of the grant over the entitlement, in CPU seconds: 1 is fair, 1/n
        /// is all to one. Taken over accounts, and over processes that lived kLong at least.
        double fairness = 1;
        double fairness_programs = 1;
        /// The part of the online CPU time that was used, while any process was there.
        double utilisation = 0;
        /// Changes of grants for which there is no reason outside, in a minute of one process.
        double flaps_per_minute = 0;
        double changes_per_minute = 0;  ///< all changes of grants, likewise
        /// CPU seconds for which the teams of two clients had been given the same CPU; a CPU with
        /// three counts twice.
        double oversubscribed_s = 0;
        double decisions = 0;

        static constexpr Time kLong = std::chrono::seconds(5);
        /// A change may be the result of what happened outside so long before.
        static constexpr Time kAftermath = std::chrono::seconds(3);
};

struct Figure {
        std::string_view name;
        std::string_view meaning;
        double Figures::*value;
};

[[nodiscard]] std::span<const Figure> figures();
[[nodiscard]] bool is_figure(std::string_view name);
/// With commas between.
[[nodiscard]] std::string figure_names();

/// (sum x)^2 / (n sum x^2); 1 for no values, or if all are 0.
[[nodiscard]] double jain_index(std::span<const double> values);

/// Takes the times while a run goes on.
class Stopwatch final : public Observer {
public:
        void started(const World& world, const Resident& resident) override;
        void ended(const World& world, const Resident& resident) override;
        void over(const World& world) override;

        [[nodiscard]] const Times& times() const { return times_; }

private:
        void stop(const World& world, Time started, bool is_done);

        Times times_;
        std::map<std::size_t, Time> started_;  // by Resident::number, of those that are there
        std::optional<Time> first_start_;
};

/// Measures all figures, which takes a third of a run's time.
class Meter final : public Observer {
public:
        void started(const World& world, const Resident& resident) override;
        void ended(const World& world, const Resident& resident) override;
        void decided(const World& world) override;
        void passes(const World& world, Time span) override;
        void over(const World& world) override;

        [[nodiscard]] const Figures& figures() const { return figures_; }

private:
        struct Account {
                double granted_s = 0;
                double entitled_s = 0;
        };
        struct Measured {
                Account account;
                std::uint32_t user = 0;
                bool governed = false;
                Time started{0};
                std::uint32_t threads = 0;  // granted; 0: nothing yet
                CpuMask cpus;
                bool lends = false;
                double entitled = 0;
        };

        void count_changes(const World& world);
        void update_entitlements(const World& world);
        void close(const Measured& measured, const World& world);

        Stopwatch stopwatch_;
        Figures figures_;
        std::map<std::size_t, Measured> present_;  // by Resident::number
        std::map<std::uint32_t, Account> accounts_;
        std::vector<double> ratios_;  // of processes that lived long
        double process_s_ = 0;
        double online_s_ = 0;
        double used_s_ = 0;
        double changes_ = 0;
        double flaps_ = 0;
        std::vector<std::uint32_t> crowd_;  // by CPU; only while it is counted
};

}  // namespace simulation
