// SPDX-License-Identifier: MIT
//
// The governing cycle: events in, effects out. The order in which programs are measured, decided
// about and told stands here, for the daemon and for the simulator. Pure; time is an argument.
#pragma once

#include "registry/arbiter.hpp"
#include "registry/facts.hpp"
#include "registry/schedule.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace governor::registry {

/// The things to do after an event, in this order.
struct Effects {
        /// A grant that goes into the program's word in shared memory.
        struct Word {
                ProgramId id{};
                policy::fair::Grant grant;
                /// The program is held to nothing: it may have as many threads as it likes.
                bool is_unlimited = false;
                std::optional<std::uint64_t> epoch;  ///< of the grant; empty: it is ignored
                /// It waited for its turn, which has come: its connections are to be told.
                bool is_its_turn = false;
        };
        std::vector<Word> publish;
        /// History has events that the journal has not seen.
        bool has_news = false;
        TimePoint wake_at;  ///< woke() is due; Schedule::kNever: not before something happens
        TimePoint tick_at;  ///< ticked() is due; likewise
};

/// Not thread-safe. Each event is followed by take_effects(), or what it changed is not told.
class Cycle {
public:
        struct Settings {
                policy::fair::Settings fair;
                std::vector<policy::fair::Rule> rules;
                bool is_observing = false;
                std::chrono::milliseconds period{1'000};  ///< between two samples
        };

        /// `facts` and `reports` must outlive this. `decide` is the policy; tests put others in its
        /// place.
        Cycle(ProcessFacts& facts, ReportSource& reports, TimePoint started,
              const LeaseLimits& limits = {}, Arbiter::Decide decide = policy::fair::decide);

        // Events.

        /// Other settings or rules, or another machine to distribute. For all programs.
        void configured(const Settings& settings, policy::Machine machine, TimePoint now);
        /// The user `by` has paused or resumed governing: while paused, all is as under mode
        /// observe.
        void paused(bool paused, std::uint32_t by, TimePoint now);
        /// Nothing is governed any more, so that nothing is paused. configured() next.
        void forget_pause() { is_paused_ = false; }
        /// CPUs came or went. sampled() next.
        void plugged(policy::Machine machine);
        /// A sample of all online CPUs was taken: measures, and decides.
        void sampled(const policy::Sample& sample, TimePoint now);
        /// Effects::tick_at has come: a sample over the time since a tick or two was taken.
        void ticked(const policy::Sample& sample, TimePoint now);
        /// There was no such sample.
        void not_ticked(TimePoint now) { schedule_.ticked(now); }
        /// The last tick has cost `time`. See Schedule.
        void tick_took(std::chrono::nanoseconds time) { schedule_.tick_took(time); }
        /// Effects::wake_at has come: looks at reports, for stopped programs, or decides.
        void woke(TimePoint now);
        /// The decision of the last event has cost `time`. See Schedule.
        void decision_took(std::chrono::nanoseconds time) { schedule_.took(time); }

        /// A program wants a lease. It says that a governor before this one granted it `held`.
        Programs::Joined joined(const Identity& identity, const Request& request,
                                const Confinement& where, const policy::CpuMask& held,
                                TimePoint now);
        /// The program gives its lease back, or has ended. ProcessFacts still know it.
        void left(ProgramId id, TimePoint now);
        /// It has changed its mind. See Program::request().
        void requested(ProgramId id, const Request& request, TimePoint now);
        /// See Program::widen().
        void widened(ProgramId id, const Request& other, TimePoint now);
        /// `acts` names what acts on the program's tree, as the program says.
        void acts(ProgramId id, std::string acts);
        /// See Programs::move().
        void belongs(ProgramId id, ProgramId tree, TimePoint now);
        /// The tree that the program holds is made to yield while it waits, or is not.
        void yields(ProgramId id, bool yields, TimePoint now);
        /// See Program::keep().
        void keeps(ProgramId id, bool sleeps, TimePoint now);
        /// It may run elsewhere than ProcessFacts said last.
        void moved(ProgramId id, TimePoint now);
        /// See Program::order().
        Orders::Outcome ordered(ProgramId id, const Order& order, Authority by, std::uint32_t uid,
                                TimePoint now);

        // Effects, and what there is to be told.

        /// The effects of all events since the last call.
        [[nodiscard]] Effects take_effects();

        [[nodiscard]] const Arbiter& arbiter() const { return arbiter_; }
        [[nodiscard]] const Programs& programs() const { return arbiter_.programs(); }
        [[nodiscard]] const History& history() const { return programs().history(); }
        [[nodiscard]] bool is_paused() const { return is_paused_; }
        /// A rule asks what programs run: Identity::executable.
        [[nodiscard]] bool needs_executables() const { return needs_executables_; }
        /// Decisions since the start.
        [[nodiscard]] std::uint64_t decisions() const { return decisions_; }

private:
        struct Returned {
                ProgramId id;
                bool is_told = false;  // that not all are back yet
        };
        struct Waited {
                ProgramId id;
                std::optional<evidence::Report> last = {};
        };

        void follow_settings(TimePoint now);
        void look_where_they_are(TimePoint now);
        void measure(TimePoint now);
        void take_all_reports(TimePoint now);
        bool take_reports_waited_for(TimePoint now);
        void find_waited_for();
        bool find_stopped(TimePoint now);
        enum class Trees : std::uint8_t { WithTurn, Lending };
        bool look_at(Trees which, TimePoint now);
        void want_decision(TimePoint now);
        void wishes_changed(const Program& program, TimePoint now);
        void decide(TimePoint now);
        void tell(ProgramId id);
        void tell_returned();

        ProcessFacts& facts_;
        ReportSource& reports_;
        TimePoint started_;
        Settings settings_;
        Schedule schedule_;
        Arbiter arbiter_;
        bool is_paused_ = false;
        bool needs_executables_ = false;
        bool is_plugged_ = false;     // since the last sample
        ProgramId last_with_turn_{};  // that look_at() came to
        ProgramId last_lender_{};
        ProgramId looked_at_{};  // the last one that look_where_they_are() came to
        std::vector<Returned> returned_;
        std::vector<ProgramId> changed_;             // by the last decision
        std::optional<std::vector<Waited>> waited_;  // empty: to be found out for that decision
        std::set<ProgramId> parked_;                 // as they were told
        std::uint64_t decisions_ = 0;
        std::uint64_t told_until_ = 0;  // an event's number in the history
        std::vector<Effects::Word> publish_;
};

}  // namespace governor::registry
