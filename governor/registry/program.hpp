// SPDX-License-Identifier: MIT
//
// One program that holds a lease: what it is, asks for, holds, uses and burns. Pure; time is an
// argument.
#pragma once

#include "evidence/burn_window.hpp"
#include "evidence/crowd_trial.hpp"
#include "evidence/demand.hpp"
#include "evidence/gangs.hpp"
#include "evidence/kept_regions.hpp"
#include "evidence/low_use.hpp"
#include "evidence/occupancy.hpp"
#include "evidence/progress.hpp"
#include "evidence/request_limits.hpp"
#include "evidence/speedup.hpp"
#include "evidence/teams.hpp"
#include "evidence/tree_looks.hpp"
#include "evidence/width_probe.hpp"
#include "policy/account.hpp"
#include "policy/fair/decision.hpp"
#include "policy/fair/rules.hpp"
#include "policy/fair/snapshot.hpp"
#include "registry/cgroups.hpp"
#include "registry/facts.hpp"
#include "registry/history.hpp"
#include "registry/labels.hpp"
#include "registry/orders.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace governor::registry {

using policy::Account;
using policy::TimePoint;
using policy::fair::GangId;
using policy::fair::ProgramId;

/// The daemon's findings about a program. It takes the program's word for the label only.
struct Identity {
        std::uint32_t pid = 0;
        Account account;         ///< it counts against this one's share
        std::uint32_t uid = 0;   ///< may differ from the account's: subordinate uids
        std::string label;       ///< as the program says
        std::string executable;  ///< path; empty: not known, or no rule asks for it
        /// Programs of one account and one job work together; without a job, those of one process
        /// group do.
        std::string job = {};
        std::uint32_t process_group = 0;
        /// CPU time it had used when it came. Empty: it has just begun.
        std::optional<std::chrono::nanoseconds> cpu_time = std::nullopt;
        /// It asks that all that descend from it share as one program.
        bool wants_tree = false;
        /// The holder of the tree that it belongs to, itself where it is the holder. 0: it is in
        /// none. A program below the holder of a tree belongs to that tree, whatever it asks.
        ProgramId tree{};
};

/// An event that has no program's number yet.
[[nodiscard]] Event event_of(const Identity& identity, EventKind kind, TimePoint now);

/// The number by which the policy knows the account.
[[nodiscard]] policy::fair::AccountId account_id(const Account& account);

/// The program's own wishes; validated by the caller.
struct Request {
        std::uint32_t min = 1;
        std::uint32_t max = 0;       ///< 0: no limit of its own
        std::uint32_t weight = 100;  ///< 1..10000, against others of its account
        policy::fair::Class scheduling_class = policy::fair::Class::Interactive;
        bool start_only = false;  ///< never changes its count: keeps the number it is told first
        bool can_wait = false;    ///< begins no region while it is parked
        bool yields = false;      ///< of a tree: while parked, it runs on what nobody else wants
        bool keeps = false;       ///< its teams are as large as it chose, whatever it is granted
        bool sleeps = false;      ///< threads of its teams that wait sleep where it is crowded
};

/// The things that all programs have in common.
struct Surroundings {
        Cgroups cgroups;
        evidence::Gangs gangs;
        evidence::SampleTimes samples;
        evidence::SampleTimes ticks{evidence::kFullTickWindow};
        History history;
        Labels labels;
};

/// Not thread-safe. follow() costs O(rules), confine() and leave() O(control groups), all else O(1)
/// but for copies of CPU masks.
class Program {
public:
        /// `around` must outlive this.
        Program(ProgramId id, const Identity& identity, const Request& request,
                const Confinement& where, const std::vector<policy::fair::Rule>& rules,
                Surroundings& around, TimePoint now);

        // Facts about the program.

        [[nodiscard]] ProgramId id() const { return id_; }
        [[nodiscard]] const Identity& identity() const { return identity_; }
        [[nodiscard]] TimePoint joined() const { return joined_; }
        /// A rule says so: it is held to nothing.
        [[nodiscard]] bool is_ignored() const { return rule_.ignore.value_or(false); }
        /// A rule says so: its teams may follow as with `governorctl run --adapt`.
        [[nodiscard]] bool lets_teams_follow() const {
                return policy::fair::lets_teams_follow(rule_);
        }
        /// nullptr: nothing granted yet, or it is ignored.
        [[nodiscard]] const evidence::Held* held() const {
                return is_ignored() ? nullptr : occupancy_.held();
        }
        /// Its own maximum, a rule's or an order's; 0: none.
        [[nodiscard]] std::uint32_t max() const;
        /// The most that its owner may order.
        [[nodiscard]] std::optional<std::uint32_t> permitted_max() const {
                return orders_.permitted(rule_);
        }
        [[nodiscard]] std::uint32_t weight() const;  ///< 1..10000
        [[nodiscard]] policy::fair::Class scheduling_class() const {
                return orders_.scheduling_class(rule_, request_.scheduling_class);
        }
        /// By its last report it has ended a region that lasted longer than its round.
        [[nodiscard]] bool has_left() const { return has_left_; }
        /// It has begun a region of its own.
        [[nodiscard]] bool has_begun() const { return occupancy_.has_begun(); }
        /// Threads of its present region; 0: in none.
        [[nodiscard]] std::uint32_t team() const { return occupancy_.team(); }
        [[nodiscard]] std::uint32_t burning_millicpu() const;  ///< 0 as long as it !is_measured()
        /// A full window of measurements is over since it came.
        [[nodiscard]] bool is_measured() const { return burn_.judged().has_value(); }
        /// Less than half a CPU, as far as is known.
        [[nodiscard]] bool burns_little() const {
                return burning_millicpu() < 1000 / numbers::kLightParts;
        }
        /// It claims no CPU while it is idle, but may keep its one thread busy outside of regions.
        /// So much of `millicpu` is a load of its account then, as of a program that is not
        /// governed. A region that nobody has seen yet has burned the rest.
        [[nodiscard]] std::uint32_t load_of(std::uint32_t millicpu) const {
                const bool is_load = demand_.idle() && team() == 0 && !yields() && !where_.niced &&
                                     !is_ignored();
                return is_load ? std::min(millicpu, 1000U) : 0;
        }
        /// "a, b" of the rules that apply
        [[nodiscard]] const std::string& rule_names() const { return rule_.name; }
        [[nodiscard]] const Orders& orders() const { return orders_; }
        /// The last events that concern it, oldest first.
        [[nodiscard]] const std::vector<Event>& recent() const { return recent_.events(); }
        [[nodiscard]] const Confinement& where() const { return where_; }
        [[nodiscard]] const Cgroups::Chain& groups() const { return groups_; }
        [[nodiscard]] GangId gang() const { return gang_; }
        [[nodiscard]] const evidence::Progress& progress() const { return progress_; }
        /// It waits for its turn where others have theirs.
        [[nodiscard]] bool takes_turns() const { return yields() || waits(); }
        /// It waits for its round, as its teams are not the governor's to choose.
        [[nodiscard]] bool keeps() const { return request_.keeps && request_.can_wait; }
        /// Its tree takes turns as one gang, and yields while it waits: what it burns then is
        /// neither above its grant nor kept from others.
        [[nodiscard]] bool yields() const { return yields_with_.has_value(); }
        /// All programs of the tree that it holds are to take turns as one gang that yields.
        [[nodiscard]] bool has_yielding_tree() const {
                return holds_tree() && !is_ignored() && request_.yields &&
                       scheduling_class() == policy::fair::Class::Batch;
        }
        /// It waits and yields, and keeps so much busy meanwhile, as far as is known.
        [[nodiscard]] std::uint32_t yielding_millicpu() const {
                return yields() && parked() ? burning_millicpu() : 0;
        }
        /// A program that is guaranteed more than a CPU runs beside those whose turn it is.
        [[nodiscard]] bool may_be_parked() const {
                return !is_ignored() && takes_turns() && (rule_.min.value_or(1) <= 1 || max() == 1);
        }
        /// CPUs of its own that it may run a team on; 0: none.
        [[nodiscard]] std::uint32_t own_cpus() const;
        /// Those that its threads may run on now.
        [[nodiscard]] const policy::CpuMask& can_run_on() const;
        /// Threads that it is to be told of: its grant's, or while it has begun nothing the number
        /// that its library will keep.
        [[nodiscard]] std::uint32_t told(const policy::fair::Grant& grant) const {
                return has_to_start() ? std::max(grant.threads, max()) : grant.threads;
        }
        /// Its library will keep the number that it is told last, and has not taken it yet.
        [[nodiscard]] bool has_to_start() const {
                return request_.start_only && !has_begun() && first_number_ > 0;
        }

        [[nodiscard]] ProgramId tree() const { return identity_.tree; }
        [[nodiscard]] bool holds_tree() const { return tree() == id_; }
        /// To be asked of the holder: its wishes are those of the tree.
        [[nodiscard]] policy::fair::Tree as_tree() const;
        /// Names what acts on its tree from outside, as the program says.
        [[nodiscard]] const std::string& acts() const { return acts_; }

        // News about the program from others.

        void set_acts(std::string acts) { acts_ = std::move(acts); }
        /// The tree that it holds is made to yield from outside, or is not.
        void set_yields(bool yields) { request_.yields = yields; }
        /// Its teams are its own from now on, see Request::keeps, and sleep or not. False: it is as
        /// it was.
        bool keep(bool sleeps, TimePoint now);
        /// A descendant that has used `cpu_time` so far is a program of its own now.
        void hand_over(std::chrono::nanoseconds cpu_time) { burn_.hand_over(cpu_time); }
        /// It takes turns with the tree of `holder`, which yields. nullptr: with none; as any other
        /// program does.
        void yield_with(const Program* holder, TimePoint now);
        /// The holder of its tree has gone.
        void leave_tree() { identity_.tree = {}; }
        void join_tree(ProgramId tree) { identity_.tree = tree; }
        /// Rules that were just set.
        void follow(const std::vector<policy::fair::Rule>& rules);
        /// The path of what it runs, for the rules that are set next.
        void runs(std::string executable) { identity_.executable = std::move(executable); }
        /// A governor before this one granted it `cpus`, which nobody else holds. It has no more
        /// than that until `settled`.
        void resume(const policy::CpuMask& cpus, TimePoint settled, TimePoint now);
        /// A larger limit may act later: see evidence::RequestLimits. The abilities of its library
        /// (starts only, can wait) stay as they are.
        void request(const Request& request, TimePoint now);
        /// Another part of the program asks for its lease, too. The larger maximum counts, and the
        /// program keeps or sleeps where either does; all else stays as it is. False: it is as it
        /// was.
        bool widen(const Request& other, TimePoint now);
        /// Takes an order of the user `uid`, which has the authority `by`: all of it or nothing. An
        /// owner's maximum goes up as the program's own does. Decide next where something has
        /// changed.
        Orders::Outcome order(const Order& order, Authority by, std::uint32_t uid, TimePoint now);
        void confine(const Confinement& where, TimePoint now);

        /// True if this may change a decision: it gave back what it held, or woke.
        bool report(const evidence::Report& report, TimePoint now);
        /// The program's next report may change a decision: it lends, runs on more than it was
        /// granted, or on a CPU that is another's now.
        [[nodiscard]] bool is_waited_for() const;
        /// A look at its regions in a moment tells, or may, what CPUs are worth to it.
        [[nodiscard]] bool shows_soon(TimePoint now) const;

        /// CPU time it has used since it began, with its descendants that hold no lease, and
        /// whether a signal has stopped it. Once per sample, at the time of the sample.
        void measured(std::chrono::nanoseconds cpu_time, bool stopped, TimePoint now);
        /// The CPU time alone, at a tick. Empty: not known, so it goes on as it did.
        void ticked(std::optional<std::chrono::nanoseconds> cpu_time, TimePoint now);
        /// It is granted one thread and burns little, or is not measured yet. low_use() has to
        /// tell then whether that is because it waits for a CPU. A program that is light and sleeps
        /// is asked about only now and then. To be called right after measured().
        [[nodiscard]] bool may_be_light(TimePoint now);
        /// Empty: nobody can know.
        void low_use(const std::optional<evidence::LowUse::Reading>& reading, TimePoint now);

        /// It has CPUs that others could have, were it stopped: fell_silent() may say so.
        [[nodiscard]] bool may_fall_silent() const;
        /// To be called between samples. True: it has not run since the last call, and had before
        /// that. It may have been stopped, which is dearer to find out. `cpu_time` as for
        /// measured(). False, too, where it has nothing to lend.
        [[nodiscard]] bool fell_silent(std::chrono::nanoseconds cpu_time);
        /// A signal has stopped it, after what it has reported so far: it lends what it has.
        void stopped(TimePoint now);

        /// It has its turn, or has lent it: between samples, looked() may say so. Not to be called
        /// where others hold leases in its tree: whether these work is known by their reports.
        [[nodiscard]] bool may_lend_turn() const {
                return has_yielding_tree() && yields() && held() != nullptr && !parked();
        }
        /// It has lent it, as far as that was seen between samples.
        [[nodiscard]] bool lends_turn() const { return lends_turn_; }
        /// `look`: as ProcessFacts tells it. Empty: nobody can know, then samples have to do. True:
        /// it lends its turn from now on, or wants it back.
        bool looked(const std::optional<evidence::TreeLook>& look, TimePoint now);
        /// See evidence::TreeLooks.
        [[nodiscard]] bool is_look_due(TimePoint now) const { return tree_looks_.is_due(now); }

        // Questions and news of Programs.

        /// A measurement that is not part of its demand yet.
        [[nodiscard]] const std::optional<evidence::Usage>& usage() const { return usage_; }
        /// Besides what it used since the last sample it could have burned `idle_millicpu`.
        void sampled(std::uint32_t idle_millicpu, TimePoint now);
        /// Takes note of the time, once per sample.
        void update(TimePoint now) { limits_.update(now); }
        [[nodiscard]] std::uint32_t burned_millicpu_since(TimePoint window_start) const {
                return burn_.millicpu_since(window_start);
        }
        /// The same for the window of a tick.
        [[nodiscard]] std::uint32_t ticked_millicpu_since(TimePoint window_start) const {
                return ticked_.millicpu_since(window_start);
        }
        [[nodiscard]] policy::fair::Client client(const policy::CpuMask& pool) const;
        /// Adds what it knows of its turns to both; `is_first`: of its gang, in this snapshot.
        void add_turns(policy::fair::Client& client, policy::fair::Gang& gang, bool is_first,
                       TimePoint now) const;
        /// Its library keeps the number that it is told first, and it was told none yet.
        [[nodiscard]] bool needs_its_number() const {
                return request_.start_only && first_number_ == 0 && !resumed_ && !is_ignored();
        }
        /// The number that its library keeps: what it will have, not what is free now. Right before
        /// apply().
        void start_with(std::uint32_t threads) { first_number_ = threads; }
        /// True if it must be told.
        bool apply(const policy::fair::Grant& grant, TimePoint now);
        /// The program is gone: returns what it burned since the last ticks. leave() next.
        evidence::Departed::Program leave_ticks(std::optional<std::chrono::nanoseconds> cpu_time,
                                                TimePoint now);
        /// It is gone, and is not to be asked anything any more. `cpu_time`: see Programs::leave().
        evidence::Departed::Program leave(std::optional<std::chrono::nanoseconds> cpu_time,
                                          TimePoint now);

private:
        void enter_gang(TimePoint now);
        [[nodiscard]] Event event(EventKind kind, TimePoint now) const;
        void note(const Event& event);
        [[nodiscard]] bool parked() const;
        [[nodiscard]] bool is_batch() const {
                return scheduling_class() == policy::fair::Class::Batch;
        }
        [[nodiscard]] bool waits() const {
                return request_.can_wait && (request_.keeps || is_batch());
        }
        void ask_for_limits(TimePoint now);
        /// The maximum of it, or of its tree: the number that its start-only library keeps to does
        /// not limit others.
        [[nodiscard]] std::uint32_t wished_max() const;
        /// CPU time after the last reading, which was at `since`.
        [[nodiscard]] std::chrono::nanoseconds presumably_used(TimePoint since,
                                                               TimePoint now) const;
        void note_progress(const evidence::Report& report, TimePoint now);
        void note_pace(const evidence::Report& report, TimePoint now);
        /// Threads of a program that keeps its teams; of all its CPUs before its first.
        [[nodiscard]] std::uint32_t usual_team() const;
        /// True: the next step of its trial begins.
        bool try_crowd(const evidence::Report& report, TimePoint now);
        /// Of a program that keeps its teams. True: it begins to rest, or is idle from now on, or
        /// rests no longer.
        bool note_rest(const evidence::Report& report, bool wants_to_run, TimePoint now);
        [[nodiscard]] policy::fair::Scaling scaling(TimePoint now) const;
        /// See policy::fair::Gang::kind.
        [[nodiscard]] std::uint64_t kind() const;
        /// The number of CPUs that it should be tried on.
        [[nodiscard]] std::optional<evidence::WidthProbe::Try> probe_width(TimePoint now) const;
        void add_reading(std::chrono::nanoseconds cpu_time, TimePoint now);

        Surroundings& around_;
        ProgramId id_;
        TimePoint joined_;
        Identity identity_;
        std::uint64_t label_hash_;  // of this account's; 0: it has none
        policy::fair::Rule rule_;
        Request request_;
        Orders orders_;
        RecentEvents recent_;
        std::string acts_;
        Confinement where_;
        evidence::RequestLimits limits_;  // as far as it has these now
        Cgroups::Chain groups_;
        evidence::Occupancy occupancy_;
        evidence::BurnWindow burn_;
        evidence::BurnWindow ticked_{evidence::kFullTickWindow};
        std::chrono::nanoseconds used_at_tick_{0};
        evidence::Demand demand_;
        evidence::LowUse low_use_;
        evidence::Teams teams_;
        evidence::KeptRegions kept_regions_;
        bool has_left_ = false;                // at the last report
        std::optional<TimePoint> team_since_;  // parked, and in the region of before
        evidence::CrowdTrial crowd_trial_;
        GangId gang_;
        std::optional<evidence::Gangs::Key> yields_with_;  // of its tree, and its own gang then
        evidence::Progress progress_;
        evidence::Speedup speedup_;
        evidence::WidthProbe width_probe_;
        std::uint64_t ended_ = 0;  // regions
        bool was_parked_ = false;  // at some time since it was measured
        TimePoint turn_since_;     // not parked since then
        std::optional<evidence::Usage> usage_;
        std::optional<std::chrono::nanoseconds> last_seen_at_;  // its CPU clock, at fell_silent()
        evidence::TreeLooks tree_looks_;                        // in its present turn
        bool lends_turn_ = false;                               // as looks say; then samples do not
        bool silent_ = false;             // it had not run between the last two calls
        std::uint32_t first_number_ = 0;  // that it was told; 0: none yet
        std::optional<policy::fair::Resumed> resumed_;
};

}  // namespace governor::registry
