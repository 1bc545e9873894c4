// SPDX-License-Identifier: MIT
//
// The programs that hold leases: who they are, what they hold, use and burn. Pure; time is an
// argument.
#pragma once

#include "policy/fair/decision.hpp"
#include "policy/fair/demand.hpp"
#include "policy/fair/rules.hpp"
#include "policy/fair/snapshot.hpp"
#include "registry/accounts.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace governor::registry {

using policy::fair::ClientId;

/// Who it is, found out by the daemon and never taken from the program's words (label aside).
struct Identity {
        std::uint32_t pid = 0;
        Account account;         ///< whose share it counts against
        std::uint32_t uid = 0;   ///< may differ from the account's: subordinate uids
        std::string label;       ///< as the program says
        std::string executable;  ///< path; empty: not known
};

/// What the program asks for; validated by the caller.
struct Request {
        std::uint32_t min = 1;
        std::uint32_t max = 0;       ///< 0: no limit of its own
        std::uint32_t weight = 100;  ///< 1..10000, against others of its account
        policy::fair::Class scheduling_class = policy::fair::Class::Interactive;
        bool start_only = false;  ///< never changes its count: keeps its first grant
};

/// Where the kernel lets it run.
struct Confinement {
        struct Group {
                std::string path;                    ///< "" is the root
                std::optional<std::uint32_t> quota;  ///< cpu.max rounded up; empty: no limit
                friend bool operator==(const Group&, const Group&) = default;
        };
        policy::CpuMask cpus;       ///< cpuset and the union of its threads' affinity
        std::vector<Group> groups;  ///< its control group first, then each ancestor
        friend bool operator==(const Confinement&, const Confinement&) = default;
};

/// What the program's report slot says. Untrusted: any value is possible.
struct Report {
        std::uint64_t epoch = 0;  ///< of the grant that its present or last region began with
        std::uint32_t team = 0;   ///< threads of that region
        bool in_region = false;
};

/// What it was last told.
struct Held {
        std::uint64_t epoch = 0;  ///< counts its grants; 0: none yet
        policy::fair::Grant grant;
        std::chrono::steady_clock::time_point since;
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
        Clients(const LeaseLimits& limits, std::vector<policy::fair::Rule> rules)
                : limits_(limits), rules_(std::move(rules)) {}

        struct Joined {
                Refusal refusal = Refusal::None;
                ClientId id{};  ///< where not refused
        };
        /// A client that an `ignore` rule applies to joins too: it is held to nothing.
        Joined join(const Identity& identity, const Request& request, const Confinement& where,
                    TimePoint now);
        void leave(ClientId id);

        void request(ClientId id, const Request& request);
        void confine(ClientId id, const Confinement& where);
        /// True if this may change a decision: it gave back what it held, or woke.
        bool report(ClientId id, const Report& report, TimePoint now);
        /// CPU time it has used since it began, with its descendants that hold no lease, and
        /// whether a signal has stopped it. Once per sample, at the time of the sample.
        void measured(ClientId id, std::chrono::nanoseconds cpu_time, bool stopped, TimePoint now);

        /// What each burned over the last window, for policy::fair::ForeignLoad. Ignored clients
        /// are in it.
        [[nodiscard]] std::vector<policy::fair::Burn> burns() const;

        /// Without ignored clients.
        [[nodiscard]] policy::fair::Snapshot snapshot(const policy::Machine& machine,
                                                      const policy::fair::ForeignLoad& foreign,
                                                      TimePoint now) const;

        /// Takes note of a decision on a snapshot of this very moment. Returns those whose grant
        /// changed (threads, CPUs), which must be told.
        std::vector<ClientId> apply(const policy::fair::Decision& decision, TimePoint now);

        /// nullptr: no such client, or nothing granted yet.
        [[nodiscard]] const Held* held(ClientId id) const;
        [[nodiscard]] std::size_t size() const { return clients_.size(); }

private:
        struct State;
        LeaseLimits limits_;
        std::vector<policy::fair::Rule> rules_;
        std::map<ClientId, State> clients_;
};

}  // namespace governor::registry
