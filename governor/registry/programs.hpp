// SPDX-License-Identifier: MIT
//
// The programs that hold leases, and what holds for all of them together. Pure; time is an
// argument.
#pragma once

#include "evidence/short_lived.hpp"
#include "registry/by_id.hpp"
#include "registry/program.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace governor::registry {

/// The reason why a program gets no lease.
enum class Refusal : std::uint8_t {
        TooManyOfAccount,  ///< the account holds its quota of leases
        TooMany,           ///< the account would hold more than it leaves to others
};

/// An account may hold as many as it leaves free, root as many as there are. The first lease of an
/// account is never refused, and may come on top of all: each costs a connection, of which there
/// are not as many.
/// A decision about 2,048 programs takes 5 ms, and a sample of them 50 ms: the daemon does nothing
/// else meanwhile.
struct LeaseLimits {
        std::size_t leases = 2'048;       ///< of all accounts together
        std::size_t per_account = 1'024;  ///< of each account but root
};

/// Not thread-safe. Finding and adding a program costs O(log programs), removing one and resume()
/// O(programs), snapshot() and apply() O(programs x CPUs / 64).
class Programs {
public:
        Programs(const LeaseLimits& limits, std::vector<policy::fair::Rule> rules);

        /// For the programs that are here, too.
        void set_rules(std::vector<policy::fair::Rule> rules);
        /// `handover_max` and `turn_quantum` determine what is remembered.
        void follow(const policy::fair::Settings& settings);

        struct Joined {
                std::optional<Refusal> refusal;
                ProgramId id{};  ///< where not refused
        };
        /// A program that an `ignore` rule applies to joins too: it is held to nothing. Its account
        /// is a user's: the network has no leases. `identity.tree` is 0, or a program's that is
        /// here and holds a tree of the same account.
        Joined join(const Identity& identity, const Request& request, const Confinement& where,
                    TimePoint now);

        /// Programs that may still come back have done so by then.
        struct Settling {
                TimePoint own;        ///< as far as the program waits for them
                TimePoint all = own;  ///< what burns from then on is foreign load, if nobody's
        };
        /// The program says that a governor before this one granted it `cpus`. It keeps those that
        /// no other governed program holds, as far as it has a right to as many. It has no more
        /// until `settling.own`: others may still come back for theirs. Right after join().
        void resume(ProgramId id, const policy::CpuMask& cpus, const Settling& settling,
                    TimePoint now);
        /// What burns CPU time may be a program that has still to come back.
        [[nodiscard]] bool are_returning(TimePoint now) const { return now < settled_; }

        /// The program had used `cpu_time` in all. Empty: it was gone before anybody could look. It
        /// is then taken to have gone on as it was last seen to, or to have used its grant.
        void leave(ProgramId id, std::optional<std::chrono::nanoseconds> cpu_time, TimePoint now);

        /// The program turns out to be below the holder of `tree`. Its own tree, if it held one, is
        /// over. False: nothing changes.
        bool move(ProgramId id, ProgramId tree);
        /// A program holds a tree.
        [[nodiscard]] bool have_trees() const { return trees_ > 0; }

        /// nullptr: there is none.
        [[nodiscard]] Program* find(ProgramId id);
        [[nodiscard]] const Program* find(ProgramId id) const;
        /// The next one after `id` in the order in which they joined; nullptr: none.
        [[nodiscard]] const Program* next(ProgramId id) const;
        [[nodiscard]] std::size_t size() const { return programs_.size(); }
        template <class Visit>
        void for_each(Visit visit) {
                for (auto& [id, program] : programs_)
                        visit(*program);
        }
        template <class Visit>
        void for_each(Visit visit) const {
                for (const auto& [id, program] : programs_)
                        visit(static_cast<const Program&>(*program));
        }

        /// To be called after all of them were measured: takes the time that they could have burned
        /// besides.
        void sampled(const policy::Sample& sample, TimePoint now);
        /// Programs of a tree that yields are one gang. Before each decision.
        void arrange_gangs(TimePoint now);

        /// The burn of each over the window of the sample of `now`, with ignored programs and those
        /// that left in that time.
        [[nodiscard]] std::vector<evidence::Burn> burns(TimePoint now);
        /// Adds what of it is a load of their accounts: see Program::load_of(). After burns().
        void add_load(std::vector<evidence::Ungoverned::Owner>& owners) const;

        /// The same over the window of a tick, after Program::ticked() of each.
        [[nodiscard]] std::vector<evidence::Burn> ticked_burns(TimePoint now);

        /// Without ignored programs. `foreign` and `machine` must outlive it.
        [[nodiscard]] policy::fair::Snapshot snapshot(const policy::Machine& machine,
                                                      const policy::fair::Foreign& foreign,
                                                      TimePoint now) const;
        /// Takes note of a decision on a snapshot of this very moment, whose grants stand in the
        /// order of its clients. Returns the programs whose
        /// grant changed (threads, CPUs), which must be told.
        std::vector<ProgramId> apply(const policy::fair::Decision& decision, TimePoint now);

        /// The facts to tell about a program's turns.
        struct Turns {
                std::size_t programs = 1;  ///< of its job that take their turn with it, and itself
                std::chrono::nanoseconds served{0};
                evidence::Progress::Said said;
                std::optional<std::chrono::nanoseconds> remaining;  ///< in its turns, as it said
        };
        /// Empty: it takes none. The caller knows whether any program does: see Arbiter::turns().
        /// O(programs).
        [[nodiscard]] std::optional<Turns> turns(const Program& program, TimePoint now) const;

        [[nodiscard]] const History& history() const { return around_->history; }
        [[nodiscard]] History& history() { return around_->history; }

private:
        using MillicpuSince = std::uint32_t (Program::*)(TimePoint window_start) const;
        [[nodiscard]] std::vector<evidence::Burn> burns_over(evidence::SampleTimes& times,
                                                             evidence::Departed& departed,
                                                             MillicpuSince millicpu_since,
                                                             TimePoint now);

        [[nodiscard]] std::optional<Refusal> refusal(const Account& account) const;
        [[nodiscard]] std::vector<policy::fair::Kept>
        kept(const policy::fair::Snapshot& snapshot) const;
        [[nodiscard]] std::vector<ProgramId> trees_with_members() const;
        [[nodiscard]] const Program* holder_of(const Program& program) const;
        void end_tree(ProgramId holder);
        void note_turns(const policy::fair::Decision& decision, TimePoint now);

        LeaseLimits limits_;
        std::vector<policy::fair::Rule> rules_;
        std::unique_ptr<Surroundings> around_ = std::make_unique<Surroundings>();
        ById<ProgramId, std::unique_ptr<Program>> programs_;  // as they joined
        std::map<Account, std::size_t> leases_;
        std::size_t trees_ = 0;
        std::uint64_t last_id_ = 0;
        TimePoint settled_;  // see resume()
        evidence::Departed departed_;
        evidence::Departed departed_at_tick_;
        std::map<Account, evidence::ShortLived> short_lived_;
};

}  // namespace governor::registry
