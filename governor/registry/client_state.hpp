// SPDX-License-Identifier: MIT
//
// All that is known of one client.
#pragma once

#include "evidence/progress.hpp"
#include "evidence/speedup.hpp"
#include "evidence/width_probe.hpp"
#include "registry/clients.hpp"

namespace governor::registry {

namespace fair = policy::fair;

struct Clients::State {
        ProgramId id{};
        TimePoint joined;
        Identity identity;
        fair::Rule rule;
        Request request;
        Orders orders;
        Confinement where;
        evidence::RequestLimits limits;  // as far as it has these now
        Cgroups::Chain groups;
        evidence::Occupancy occupancy;
        evidence::BurnWindow burn;
        evidence::Demand demand;
        evidence::LowUse low_use;
        GangId gang{};
        evidence::Progress progress;
        evidence::Speedup speedup;
        evidence::WidthProbe width_probe;
        bool was_parked = false;               // at some time since it was measured
        TimePoint turn_since;                  // not parked since then
        std::optional<evidence::Usage> usage;  // measured, and not yet part of the demand
        std::optional<std::chrono::nanoseconds> last_seen_at;  // its CPU clock, at fell_silent()
        bool silent = false;  // it had not run between the last two calls
        std::uint32_t first_grant = 0;
        std::uint32_t had = 0;  // see fair::Client
        TimePoint settled;

        void follow(const std::vector<fair::Rule>& rules) {
                rule = fair::combine(rules, {identity.uid, identity.label, identity.executable});
        }
        [[nodiscard]] bool ignored() const { return rule.ignore.value_or(false); }
        /// It has CPUs of its own that it does not lend.
        [[nodiscard]] bool has_to_lend() const {
                const auto* held = occupancy.held();
                return !ignored() && !demand.idle() && held != nullptr && held->is_own();
        }
        [[nodiscard]] std::uint32_t max() const;
        [[nodiscard]] std::uint32_t weight() const;
        [[nodiscard]] fair::Class scheduling_class() const {
                return orders.scheduling_class(rule, request.scheduling_class);
        }
        [[nodiscard]] bool takes_turns() const {
                return request.can_wait && scheduling_class() == fair::Class::Batch;
        }
        /// Who is guaranteed more than a CPU runs beside those whose turn it is.
        [[nodiscard]] bool may_be_parked() const {
                return !ignored() && takes_turns() && (rule.min.value_or(1) <= 1 || max() == 1);
        }
        /// CPUs of its own that it may run a team on; 0: none.
        [[nodiscard]] std::uint32_t own_cpus() const {
                const auto* held = occupancy.held();
                const bool runs = held != nullptr && held->is_own() && !held->grant.parked;
                return runs ? held->grant.threads : 0;
        }
        [[nodiscard]] bool parked() const {
                const auto* held = occupancy.held();
                return held != nullptr && held->grant.parked;
        }
        void ask_for_limits(TimePoint now) {
                limits.ask(stricter(request.max, orders.owners_max()), where.cpus, now);
        }
        [[nodiscard]] fair::Client client(const policy::CpuMask& pool) const;
        [[nodiscard]] Event event(EventKind kind, TimePoint now) const;
        /// CPU time after the last reading, which was at `since`.
        [[nodiscard]] std::chrono::nanoseconds presumably_used(TimePoint since,
                                                               TimePoint now) const;
        void note_pace(const evidence::Report& report, TimePoint now);
        /// What it should be tried on.
        [[nodiscard]] std::optional<evidence::WidthProbe::Try>
        tries(std::chrono::nanoseconds served, TimePoint now) const {
                return width_probe.next(speedup, own_cpus(), served, now);
        }
        bool apply(const fair::Grant& grant, TimePoint now, History& history);
        void add_reading(std::chrono::nanoseconds cpu_time, std::optional<TimePoint> previous,
                         TimePoint now);
};

}  // namespace governor::registry
