// SPDX-License-Identifier: MIT
//
// Foreign load is its user's.
#pragma once

#include "simulation/checks/invariant.hpp"

namespace simulation {

/// Looked at after every decision in which only users matter: every program follows, can use all
/// CPUs, is known to, and may run on them, hogs may, too, and nothing has changed for as long as
/// things take to settle. What is fair is found from the scenario alone: users' max-min shares, of
/// what hogs that are hidden leave.
/// - foreign-owner: users without hogs have together at least their shares; programs of a user with
///   hogs have no more than the rest of its share, while another user's would take it; foreign load
///   is left no more than its users' shares, and the hidden part of it
class Owners final : public Invariant {
public:
        using Invariant::Invariant;
        void decided(const World& world) override;
};

}  // namespace simulation
