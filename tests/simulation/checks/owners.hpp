// SPDX-License-Identifier: MIT
//
// Checks that foreign load counts against its user.
#pragma once

#include "simulation/checks/invariant.hpp"

namespace simulation {

/// Looked at after every decision in which only users matter. In such a decision every program
/// follows, can use all CPUs, is known to, and may run on them. Hogs may run on them, too, and
/// nothing has changed for as long as things take to settle. The fair shares are found from the
/// scenario alone: users' max-min shares of the CPUs that hidden hogs leave.
/// - foreign-owner: users without hogs have together at least their shares; programs of a user with
///   hogs have no more than the rest of its share, while another user's would take it; foreign load
///   is left no more than its users' shares, and the hidden part of it
class Owners final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;
};

}  // namespace simulation
