// SPDX-License-Identifier: MIT
//
// The programs that share this machine: admitted, decided about by the governing cycle, told.
#pragma once

#include "config/settings.hpp"
#include "policy/sample.hpp"
#include "probe/cpu_sets.hpp"
#include "probe/topology.hpp"
#include "registry/cycle.hpp"
#include "registry/promises.hpp"
#include "server/journal/journal.hpp"
#include "server/kernel/event_loop.hpp"
#include "server/sharing/arenas.hpp"
#include "server/sharing/lease_facts.hpp"
#include "server/sharing/leases.hpp"
#include "server/sharing/process_meter.hpp"
#include "server/sharing/reports.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace governor::server {

/// The CPUs that the kernel keeps apart from programs that do not ask for them, as far as these
/// settings mind that: `fair` gives none of them out.
[[nodiscard]] policy::CpuMask kept_apart(const config::Settings& settings,
                                         const probe::CpuSets& sets);

/// Turns what connections say and what the kernel tells into events of registry::Cycle, and carries
/// out its effects.
class Governor {
public:
        /// Has the account of a connection room for its part in a lease?
        using Admission = std::function<bool(const Peer& peer)>;

        /// Sends a connection a Reply that it has not asked for.
        using Teller = std::function<void(int connection, const std::string& reply)>;

        /// A sample for registry::Cycle::ticked(). nullptr: there is none.
        using Ticker = std::function<const policy::Sample*()>;

        /// Reads processes below `root`, which is empty for this machine. `loop` must outlive this.
        Governor(EventLoop& loop, const std::string& root, Ticker ticker = {},
                 Admission admission = {}, Teller teller = {});

        /// Takes effect at once, for everybody. `sample` is the last one of all online CPUs.
        void configure(const config::Settings& settings, const policy::Sample& sample,
                       const probe::Topology& topology);
        /// Ends all leases: whoever holds one sees at once that nobody governs it any more.
        void release_all();
        /// A sample of all online CPUs was taken.
        void sampled(const policy::Sample& sample, const probe::Topology& topology);

        struct Wish {
                std::string_view label;
                registry::Request request;
                policy::CpuMask holds;          ///< granted before this daemon's start, as it says
                policy::CpuMask affinity = {};  ///< as Lease::affinity
                std::string_view job = {};
                bool tree = false;  ///< for all that descend from its process, too
        };
        enum class Refusal : std::uint8_t {
                NotGoverning,  ///< no leases under the policy in force
                NotKnown,      ///< the process has gone, runs as another user, or cannot be seen
                TooMany,
                TooManyOfAccount,
                NoRoom,  ///< the admission says so
                System,  ///< out of memory or descriptors
        };
        struct Joined {
                Place place;
                bool is_fresh;  ///< nobody has reported there for this process
        };
        /// A lease, with a grant to start from. A process has one: its next connections get the
        /// same, if they are of the same user. One of another user, where it is the later one, ends
        /// that lease and gets one of its own.
        [[nodiscard]] tl::expected<Joined, Refusal> join(const Peer& peer, const Wish& wish);
        /// False: the connection has no lease.
        [[nodiscard]] bool request(const Peer& peer, const registry::Request& request);
        [[nodiscard]] bool leave(const Peer& peer);
        /// Notes what acts on its tree, as it says.
        [[nodiscard]] bool set_acts(const Peer& peer, std::string acts);
        /// Notes whether what acts makes it yield while it waits for its turn.
        [[nodiscard]] bool set_yields(const Peer& peer, bool yields);
        /// Its teams are its own from now on, and sleep or not: see registry::Request.
        [[nodiscard]] bool set_keeps(const Peer& peer, bool sleeps);

        /// Threads for the tree that the process is in: see registry::Arbiter. Empty: it is in
        /// none, or nobody is governed. Costs seven microseconds for each ancestor, 64 at most.
        [[nodiscard]] std::optional<std::uint32_t> share_of_tree(const Peer& peer);
        /// The share that the process would have if it joined now, beside the leases of its account
        /// and those that were promised something. Empty: it holds a lease, or nobody is governed.
        /// The account is the user's own if the process that connected has ended.
        [[nodiscard]] std::optional<registry::FairShare> fair_share(const Peer& peer);
        /// A rule lets the teams of the process follow if it joins under this label. False where
        /// it has none.
        [[nodiscard]] bool lets_teams_follow(const Peer& peer, std::string_view label) const;
        /// It was advised so many threads.
        void promise(const Peer& peer, const policy::Account& account, std::uint32_t threads);
        /// See ProcessMeter::processes().
        [[nodiscard]] std::uint32_t processes(const registry::Program& program) const {
                return meter_.processes(program.identity().pid);
        }

        /// See registry::Program::order().
        registry::Orders::Outcome order(ProgramId id, const registry::Order& order,
                                        registry::Authority by, std::uint32_t uid);
        /// The user `uid` has it: while paused, all is as under mode=observe. False: there is
        /// nothing to pause under the policy in force.
        [[nodiscard]] bool pause(bool paused, std::uint32_t uid);

        /// The CPUs that are given out, online or not: those of the settings that the kernel does
        /// not keep apart.
        [[nodiscard]] const policy::Pool& pool() const { return pool_; }
        /// See kept_apart().
        [[nodiscard]] const policy::CpuMask& apart() const { return apart_; }

        [[nodiscard]] const registry::Cycle& cycle() const { return cycle_; }
        [[nodiscard]] const registry::Programs& programs() const { return cycle_.programs(); }
        [[nodiscard]] TimePoint now() const { return loop_.now(); }
        /// CPU time of decisions since the start. They are for everybody, whoever made them due.
        [[nodiscard]] std::chrono::nanoseconds decided_for() const { return decided_for_; }
        /// Open for shared memory.
        [[nodiscard]] std::size_t descriptors() const {
                return arenas_.arenas() * Arena::kDescriptors;
        }
        /// False: the policy in force knows no leases.
        [[nodiscard]] bool gives_leases() const {
                return settings_.policy == config::PolicyName::Fair;
        }
        /// nullptr: there is no such program.
        [[nodiscard]] const Lease* lease(ProgramId id) { return leases_.find(id); }
        /// nullptr: that process holds no lease.
        [[nodiscard]] const Lease* lease_of(std::uint32_t pid) { return leases_.of_process(pid); }
        using IsAccepted = std::function<bool(const registry::Program&)>;
        /// The holder of the tree that the process is in, by an ancestor that is accepted. nullptr:
        /// it is in none. Reads at most 65 files of /proc.
        [[nodiscard]] const registry::Program* holder_above(std::uint32_t pid,
                                                            const IsAccepted& accepts);

private:
        /// To the journal as well.
        [[nodiscard]] tl::unexpected<Refusal> refuse(const registry::Identity& identity,
                                                     Refusal why);
        /// The program as known before the kernel was asked where it runs.
        [[nodiscard]] registry::Identity named(const Peer& peer, const Wish& wish) const;
        [[nodiscard]] bool is_governing() const {
                return settings_.policy == config::PolicyName::Fair &&
                       cycle_.arbiter().mode() == registry::Mode::Govern;
        }
        [[nodiscard]] registry::Identity
        identify(const Peer& peer, const ProcessMeter::Where& where, const Wish& wish);
        [[nodiscard]] tl::expected<Joined, Refusal> admit(const Peer& peer, Process process,
                                                          const Wish& wish);
        /// The tree of the nearest of the process and its ancestors which is in one and is
        /// accepted. Only the nearest 64 are looked at. 0: there is none.
        [[nodiscard]] ProgramId tree_of(std::uint32_t pid, const IsAccepted& accepts);
        template <class Look>
        [[nodiscard]] ProgramId nearest_tree(std::uint32_t pid, std::uint64_t started,
                                             const IsAccepted& accepts, Look look);
        void find_members();
        void widen(Lease& lease, const Wish& wish);
        void find_pool();
        /// True: other CPUs than before are kept apart.
        [[nodiscard]] bool find_pool_again();
        [[nodiscard]] policy::Machine machine_of(const policy::CpuMask& online,
                                                 const probe::Topology& topology) const;
        void ended(const Lease& lease);
        void wake();
        void tick();
        void carry_out();
        void publish(const registry::Effects::Word& word);
        void tell_its_turn(const Lease& lease) const;

        EventLoop& loop_;
        std::string root_;
        Ticker ticker_;
        Admission admission_;
        Teller teller_;
        config::Settings settings_;
        std::chrono::nanoseconds decided_for_{0};
        probe::CpuSets cpu_sets_;
        policy::CpuMask apart_;
        policy::Pool pool_;
        TimePoint looked_apart_;
        policy::CpuMask online_;  // when the cycle was last told of the machine
        ProcessMeter meter_;
        Arenas arenas_;
        Journal journal_;
        Leases leases_;
        LeaseFacts facts_;
        Reports reports_;
        registry::Cycle cycle_;
        registry::Promises promises_;
        EventSource timer_;
        EventSource tick_timer_;
        EventSource heartbeat_;
};

}  // namespace governor::server
