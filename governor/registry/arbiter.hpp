// SPDX-License-Identifier: MIT
//
// Samples and events in, grants out: the policy and what it remembers, put together. Pure; time is
// an argument.
#pragma once

#include "policy/fair/decide.hpp"
#include "policy/machine.hpp"
#include "policy/sample.hpp"
#include "registry/programs.hpp"
#include "registry/room.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace governor::registry {

enum class Mode : std::uint8_t {
        Govern,
        /// Decides as if every program followed at once. No program is told: what Program::held()
        /// says is a shadow, and the server writes "your own maximum" into every slot.
        Observe,
};

/// Not thread-safe.
class Arbiter {
public:
        using Decide = std::function<policy::fair::Decision(const policy::fair::Settings&,
                                                            const policy::fair::Snapshot&)>;

        /// `decider` is policy::fair::decide; tests put others in its place.
        Arbiter(const policy::fair::Settings& settings, Mode mode, Programs programs,
                policy::Machine machine, Decide decider = policy::fair::decide);

        [[nodiscard]] Programs& programs() { return programs_; }
        [[nodiscard]] const Programs& programs() const { return programs_; }

        /// Other settings or rules, for all programs: decide() next.
        void configure(const policy::fair::Settings& settings, Mode mode,
                       std::vector<policy::fair::Rule> rules);

        /// The user `by` has paused or resumed it all: for the history; configure() next.
        void suspended(bool suspended, std::uint32_t by, TimePoint now);

        [[nodiscard]] Mode mode() const { return mode_; }

        /// CPUs came or went: decide() next.
        void set_machine(policy::Machine machine);

        /// Takes a sample; Program::measured() of every program must have been called for it.
        /// `yielding_millicpu` is burned, somewhere, by threads that run only when nobody else
        /// wants to (SCHED_IDLE, cgroups with cpu.idle). `ticks_guess`: until the next sample the
        /// burn of programs is not known.
        void sampled(const policy::Sample& sample, std::uint32_t yielding_millicpu,
                     evidence::Ungoverned ungoverned, bool ticks_guess, TimePoint now);
        /// The same where the look at all processes goes on: what the last one told of others than
        /// programs stands, and so does the most that may count as foreign load.
        void sampled_without_look(const policy::Sample& sample, TimePoint now);
        /// A program begins whose burn is not known before the next sample, as that of a tree: no
        /// more is foreign until then than there was.
        void begins_unseen() { foreign_.limit_to_last(); }
        /// Takes a sample over the window of a tick; Program::ticked() of every program must have
        /// been called for it. True: foreign load is another one.
        bool ticked(const policy::Sample& sample, std::uint32_t yielding_millicpu, TimePoint now);
        /// See evidence::ForeignLoad::catch_sight().
        void catch_sight(std::uint32_t running) { foreign_.catch_sight(running, machine_.pool()); }
        /// Decides now and takes note. Returns the programs whose grant changed.
        std::vector<ProgramId> decide(TimePoint now);

        [[nodiscard]] const policy::fair::Decision& last() const { return last_; }

        /// The snapshot that a decision now would go by. Valid until the next call that changes
        /// something.
        [[nodiscard]] policy::fair::Snapshot snapshot(TimePoint now) const {
                return programs_.snapshot(machine_, foreign_.seen(), now);
        }
        [[nodiscard]] const policy::Machine& machine() const { return machine_; }

        /// Threads that a program will have when others have made room and foreign load has gone,
        /// as of the last decision or forget_shares(): see policy::fair::undivided_shares(). >= 1.
        /// Costs a part of a decision, once after each.
        [[nodiscard]] std::uint32_t share(const Program& program, TimePoint now) const;
        /// A program has come, gone or changed its mind: a decision may be some time off.
        void forget_shares() {
                shares_.clear();
                tree_shares_.clear();
        }
        /// The threads of all programs of a tree together, if these could make use of all CPUs.
        [[nodiscard]] std::uint32_t share_of_tree(ProgramId tree, TimePoint now) const;
        /// The room of an account, if one more of its programs wants all CPUs, as of the last
        /// decision. Valid until the next call. Costs as share(), once after each decision.
        [[nodiscard]] const Room& room(const Account& account, TimePoint now) const;

        /// See Programs::turns(). Empty where the settings say that nobody takes turns, too.
        [[nodiscard]] std::optional<Programs::Turns> turns(const Program& program,
                                                           TimePoint now) const {
                return settings_.turns ? programs_.turns(program, now) : std::nullopt;
        }

private:
        using Shares = std::map<ProgramId, std::uint32_t>;

        /// The shares by client. Changes what the snapshot says of programs that return.
        [[nodiscard]] std::vector<std::uint32_t> undivided(policy::fair::Snapshot& snapshot) const;
        [[nodiscard]] Shares undivided_by_id(policy::fair::Snapshot snapshot) const;
        void start_with_shares(const policy::fair::Snapshot& snapshot);
        [[nodiscard]] Room new_room(const Account& account, TimePoint now) const;

        policy::fair::Settings settings_;
        Mode mode_;
        Programs programs_;
        policy::Machine machine_;
        std::optional<std::uint32_t> cpus_before_;  ///< where the machine changed since decide()
        Decide decide_;
        evidence::ForeignLoad foreign_;
        policy::fair::Decision last_;
        // The shares that were asked for since the last decision.
        mutable Shares shares_;
        mutable Shares tree_shares_;
        mutable std::map<Account, Room> rooms_;
};

}  // namespace governor::registry
