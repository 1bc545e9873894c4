// SPDX-License-Identifier: MIT
//
// What programs report, read for those that it matters of.
#pragma once

#include "registry/clients.hpp"
#include "server/sharing/leases.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace governor::server {

/// Not thread-safe. Costs a system call per 200 slots, and 0.2 us per lease whose report is taken.
class Reports {
public:
        explicit Reports(Leases& leases) : leases_(leases) {}

        /// Those of all leases: before a decision. True: they may change one.
        bool take_all(registry::Clients& clients, TimePoint now);

        /// After a decision that changed the grants of `changed`: whose reports may lead to the
        /// next one is found out anew.
        void decided(std::span<const ProgramId> changed);

        /// Between decisions: only those that may change one (Clients::is_waited_for()), or that
        /// are of a program that was just told another grant, and that have changed.
        bool take_waited_for(registry::Clients& clients, TimePoint now);

private:
        struct Waited {
                ProgramId id;
                Place place;
                evidence::Report last;
        };
        void find_waited_for(const registry::Clients& clients);
        [[nodiscard]] bool take(registry::Clients& clients, const Lease& lease,
                                evidence::Report report, TimePoint now) const;

        Leases& leases_;
        std::vector<ProgramId> changed_;
        bool found_ = false;          // waited_ is as of the last decision
        std::vector<Waited> waited_;  // one arena after the other
};

}  // namespace governor::server
