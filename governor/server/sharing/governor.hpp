// SPDX-License-Identifier: MIT
//
// The programs that share this machine: measured, decided about, told.
#pragma once

#include "config/settings.hpp"
#include "policy/sample.hpp"
#include "probe/topology.hpp"
#include "registry/agenda.hpp"
#include "registry/arbiter.hpp"
#include "server/journal/journal.hpp"
#include "server/kernel/event_loop.hpp"
#include "server/sharing/arenas.hpp"
#include "server/sharing/leases.hpp"
#include "server/sharing/process_meter.hpp"
#include "server/sharing/reports.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace governor::server {

class Governor {
public:
        /// Has the account of a connection room for its part in a lease?
        using Admission = std::function<bool(const Peer& peer)>;

        /// Sends a connection a Reply that it has not asked for.
        using Teller = std::function<void(int connection, const std::string& reply)>;

        /// Reads processes below `root`, which is empty for this machine. `loop` must outlive this.
        Governor(EventLoop& loop, const std::string& root, Admission admission = {},
                 Teller teller = {});

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
        };
        enum class Refusal : std::uint8_t {
                NotGoverning,  ///< no leases under the policy in force
                NotKnown,      ///< the process has gone, or cannot be seen
                TooMany,
                TooManyOfAccount,
                NoRoom,  ///< the admission says so
                System,  ///< out of memory or descriptors
        };
        /// A lease, with a grant to start from. A process has one: its next connections get the
        /// same.
        [[nodiscard]] tl::expected<Place, Refusal> join(const Peer& peer, const Wish& wish);
        /// False: the connection has no lease.
        [[nodiscard]] bool request(const Peer& peer, const registry::Request& request);
        [[nodiscard]] bool leave(const Peer& peer);

        /// See registry::Clients::order().
        registry::Orders::Outcome order(ProgramId id, const registry::Order& order,
                                        registry::Authority by, std::uint32_t uid);
        /// The user `uid` has it: while paused, all is as under mode=observe. False: there is
        /// nothing to pause under the policy in force.
        [[nodiscard]] bool pause(bool paused, std::uint32_t uid);
        [[nodiscard]] bool is_paused() const { return paused_; }

        [[nodiscard]] const registry::Arbiter& arbiter() const { return arbiter_; }
        [[nodiscard]] std::uint64_t decisions() const { return decisions_; }
        /// Open for shared memory.
        [[nodiscard]] std::size_t descriptors() const {
                return arenas_.arenas() * Arena::kDescriptors;
        }
        /// nullptr: there is no such client.
        [[nodiscard]] const Lease* lease(ProgramId id) { return leases_.find(id); }
        /// nullptr: that process holds no lease.
        [[nodiscard]] const Lease* lease_of(std::uint32_t pid) { return leases_.of_process(pid); }

private:
        [[nodiscard]] registry::Identity
        identify(const Peer& peer, const ProcessMeter::Where& where, const Wish& wish);
        [[nodiscard]] tl::expected<Place, Refusal> admit(const Peer& peer, Process process,
                                                         const Wish& wish);
        void widen(Lease& lease, const policy::CpuMask& affinity);
        [[nodiscard]] bool may_claim(TimePoint now) const;
        void set_machine(policy::CpuMask online, const probe::Topology& topology);
        void look_where_they_are(TimePoint now, std::size_t part);
        void scan(TimePoint now);
        void measure(TimePoint now);
        [[nodiscard]] bool find_stopped(TimePoint now);
        void follow_settings();
        void want_decision(TimePoint now);
        void wake();
        void arm();
        void decide(TimePoint now);
        void tell(ProgramId id);
        void tell_its_turn(const Lease& lease) const;
        void tell_who_returned();
        void write_journal(TimePoint now);
        void ended(const Lease& lease);

        EventLoop& loop_;
        std::string root_;
        Admission admission_;
        Teller teller_;
        TimePoint started_;
        config::Settings settings_;
        bool paused_ = false;
        bool needs_executables_ = false;  // a rule asks for them
        policy::CpuMask online_;          // when arbiter_ was last told of the machine
        ProcessMeter meter_;
        Arenas arenas_;
        registry::Arbiter arbiter_;
        registry::Agenda agenda_;
        Journal journal_;
        Leases leases_;
        Reports reports_;
        ProgramId looked_at_{};  // the last one that look_where_they_are() came to
        struct Returned {
                ProgramId id;
                bool knows_why = false;  // that not all are back yet
        };
        std::vector<Returned> returned_;  // with a claim
        std::uint64_t decisions_ = 0;
        EventSource timer_;
        EventSource heartbeat_;
};

}  // namespace governor::server
