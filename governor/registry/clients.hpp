// SPDX-License-Identifier: MIT
//
// The programs that hold leases: who they are, what they hold, use and burn. Pure; time is an
// argument.
#pragma once

#include "evidence/burn_window.hpp"
#include "evidence/demand.hpp"
#include "evidence/gangs.hpp"
#include "evidence/low_use.hpp"
#include "evidence/occupancy.hpp"
#include "evidence/progress.hpp"
#include "evidence/request_limits.hpp"
#include "evidence/short_lived.hpp"
#include "policy/account.hpp"
#include "policy/fair/decision.hpp"
#include "policy/fair/rules.hpp"
#include "policy/fair/snapshot.hpp"
#include "registry/by_id.hpp"
#include "registry/cgroups.hpp"
#include "registry/history.hpp"
#include "registry/orders.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace governor::registry {

using policy::Account;
using policy::TimePoint;
using policy::fair::GangId;
using policy::fair::ProgramId;

/// Who it is, found out by the daemon and never taken from the program's words (label aside).
struct Identity {
        std::uint32_t pid = 0;
        Account account;         ///< whose share it counts against
        std::uint32_t uid = 0;   ///< may differ from the account's: subordinate uids
        std::string label;       ///< as the program says
        std::string executable;  ///< path; empty: not known, or no rule asks for it
        /// Which programs of its account it works together with: those of the same job, and where
        /// that is empty, those of the same process group.
        std::string job = {};
        std::uint32_t process_group = 0;
        /// What it had used when it came. Empty: it has just begun.
        std::optional<std::chrono::nanoseconds> cpu_time = std::nullopt;
};

/// What the program asks for; validated by the caller.
struct Request {
        std::uint32_t min = 1;
        std::uint32_t max = 0;       ///< 0: no limit of its own
        std::uint32_t weight = 100;  ///< 1..10000, against others of its account
        policy::fair::Class scheduling_class = policy::fair::Class::Interactive;
        bool start_only = false;  ///< never changes its count: keeps its first grant
        bool can_wait = false;    ///< begins no region while it is parked
};

enum class Refusal : std::uint8_t {
        None,
        TooManyOfAccount,  ///< the account holds its quota of leases
        TooMany,           ///< all leases are taken
};

struct LeaseLimits {
        std::size_t leases = 16'384;      ///< of all accounts together
        std::size_t per_account = 4'096;  ///< of each account but root
};

/// Not thread-safe. Operations on one client cost O(log clients); snapshot() and apply()
/// O(clients x CPUs / 64).
class Clients {
public:
        Clients(const LeaseLimits& limits, std::vector<policy::fair::Rule> rules);
        Clients(Clients&&) noexcept;
        Clients& operator=(Clients&&) noexcept;
        ~Clients();

        /// For those who are here, too.
        void set_rules(std::vector<policy::fair::Rule> rules);
        void set_handover_max(std::chrono::milliseconds handover_max);

        struct Joined {
                Refusal refusal = Refusal::None;
                ProgramId id{};  ///< where not refused
        };
        /// A client that an `ignore` rule applies to joins too: it is held to nothing. Its account
        /// is a user's: the network has no leases.
        Joined join(const Identity& identity, const Request& request, const Confinement& where,
                    TimePoint now);

        /// It says that it was granted `cpus` by a governor before this one. What of it nobody
        /// else holds, it keeps as far as it has a right to as many, and has no more until
        /// `settled`: others may still come back for theirs. Right after join().
        void claim(ProgramId id, const policy::CpuMask& cpus, TimePoint settled, TimePoint now);
        /// Somebody has come back who may have to wait for others.
        [[nodiscard]] bool are_returning(TimePoint now) const { return now < settled_; }
        /// What it runs, where nobody wanted to know when it came; for the rules that are set next.
        void runs(ProgramId id, std::string executable);
        /// It had used `cpu_time` in all. Empty: it was gone before anybody could look; then it is
        /// taken to have gone on as it was last seen to, or to have used what it was granted.
        void leave(ProgramId id, std::optional<std::chrono::nanoseconds> cpu_time, TimePoint now);

        /// More than it had may act later: see evidence::RequestLimits. What its library does
        /// (starts only, can wait) stays as it is.
        void request(ProgramId id, const Request& request, TimePoint now);
        /// The user `uid` orders, who is no other than `by` says. All of it or nothing; an owner's
        /// maximum goes up as the program's own does. Decide next where something has changed.
        Orders::Outcome order(ProgramId id, const Order& order, Authority by, std::uint32_t uid,
                              TimePoint now);
        void confine(ProgramId id, const Confinement& where, TimePoint now);
        /// True if this may change a decision: it gave back what it held, or woke.
        bool report(ProgramId id, const evidence::Report& report, TimePoint now);
        /// What it reports may change a decision: it lends, or runs on more than it was granted.
        [[nodiscard]] bool is_waited_for(ProgramId id) const;
        /// CPU time it has used since it began, with its descendants that hold no lease, and
        /// whether a signal has stopped it. Once per sample, at the time of the sample.
        void measured(ProgramId id, std::chrono::nanoseconds cpu_time, bool stopped, TimePoint now);
        /// As far as measured() tells: it is granted one thread, and burns little. Then it is to be
        /// found out whether that is because it waits for a CPU; of one that is light and sleeps
        /// only now and then. Right after measured().
        [[nodiscard]] bool may_be_light(ProgramId id, TimePoint now);
        /// Empty: nobody can know.
        void measured(ProgramId id, const std::optional<evidence::LowUse::Reading>& reading,
                      TimePoint now);
        /// It has CPUs that others could have, were it stopped: fell_silent() may say so.
        [[nodiscard]] bool may_fall_silent(ProgramId id) const;
        /// Between samples: it has not run since the last call, and had before that. So it may have
        /// been stopped, which is dearer to find out. `cpu_time` as for measured(). False for who
        /// has nothing to lend, too.
        [[nodiscard]] bool fell_silent(ProgramId id, std::chrono::nanoseconds cpu_time);
        /// A signal has stopped it, after what it has reported so far: it lends what it has.
        void stopped(ProgramId id, TimePoint now);
        /// After all of them were measured: what they could have burned besides.
        void sampled(const policy::Sample& sample, TimePoint now);

        /// What each burned over the window of the sample of `now`, for evidence::ForeignLoad.
        /// Ignored clients are in it, and those that left in that time.
        [[nodiscard]] std::vector<evidence::Burn> burns(TimePoint now);

        /// Without ignored clients.
        [[nodiscard]] policy::fair::Snapshot snapshot(const policy::Machine& machine,
                                                      const policy::fair::Foreign& foreign,
                                                      TimePoint now) const;

        /// Takes note of a decision on a snapshot of this very moment. Returns those whose grant
        /// changed (threads, CPUs), which must be told.
        std::vector<ProgramId> apply(const policy::fair::Decision& decision, TimePoint now);

        /// nullptr: no such client, nothing granted yet, or ignored.
        [[nodiscard]] const evidence::Held* held(ProgramId id) const;
        /// A rule says so: it is held to nothing.
        [[nodiscard]] bool is_ignored(ProgramId id) const;

        /// What there is to be told of a client; valid until the next call that changes something.
        struct Shown {
                ProgramId id{};
                const Identity& identity;
                TimePoint joined;
                std::uint32_t max = 0;  ///< its own, a rule's or an order's; 0: none
                std::uint32_t weight = 100;
                policy::fair::Class scheduling_class = policy::fair::Class::Interactive;
                const evidence::Held* held = nullptr;  ///< nullptr: nothing granted yet, or ignored
                std::uint32_t team = 0;                ///< of its present region; 0: in none
                std::uint32_t burning_millicpu = 0;
                const std::string& rule;  ///< "a, b" of the rules that apply
                const Orders& orders;
        };
        /// Empty: no such client.
        [[nodiscard]] std::optional<Shown> show(ProgramId id) const;
        /// What there is to be told of its turns.
        struct Turns {
                std::size_t programs = 1;  ///< of its job that take their turn with it, and itself
                std::chrono::nanoseconds served{0};
                evidence::Progress::Said said;
                std::optional<std::chrono::nanoseconds> remaining;  ///< in its turns, as it said
        };
        /// Empty: no such client, or it takes none. Whether anybody does is for the caller to know:
        /// see Arbiter::turns(). O(clients).
        [[nodiscard]] std::optional<Turns> turns(ProgramId id, TimePoint now) const;
        /// The next one after `id`, in the order in which they joined.
        [[nodiscard]] std::optional<ProgramId> next(ProgramId id) const;
        [[nodiscard]] std::size_t size() const { return clients_.size(); }

        [[nodiscard]] const History& history() const { return history_; }
        [[nodiscard]] History& history() { return history_; }

private:
        struct State;

        [[nodiscard]] State* find(ProgramId id);
        [[nodiscard]] Refusal refusal(const Account& account) const;
        [[nodiscard]] std::uint32_t short_lived_cpus(std::uint32_t pool) const;
        void note_turns(const policy::fair::Decision& decision, TimePoint now);

        LeaseLimits limits_;
        std::vector<policy::fair::Rule> rules_;
        std::chrono::milliseconds handover_max_ = policy::fair::Settings{}.handover_max;
        ById<ProgramId, std::unique_ptr<State>> clients_;  // as they joined
        std::map<Account, std::size_t> leases_;
        std::uint64_t last_id_ = 0;
        TimePoint settled_;  // see claim()
        Cgroups cgroups_;
        evidence::Gangs gangs_;
        evidence::SampleTimes samples_;
        evidence::Departed departed_;
        std::map<Account, evidence::ShortLived> short_lived_;
        History history_;
};

}  // namespace governor::registry
