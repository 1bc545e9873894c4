// SPDX-License-Identifier: MIT
//
// Samples and events in, grants out: the policy and what it remembers, put together. Pure; time is
// an argument.
#pragma once

#include "policy/fair/decide.hpp"
#include "policy/machine.hpp"
#include "policy/sample.hpp"
#include "registry/clients.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace governor::registry {

enum class Mode : std::uint8_t {
        Govern,
        /// Decides as if every client followed at once. Nobody is told: what Clients::held() says
        /// is a shadow, and the server writes "your own maximum" into every slot.
        Observe,
};

/// Not thread-safe.
class Arbiter {
public:
        using Decide = policy::fair::Decision (*)(const policy::fair::Settings&,
                                                  const policy::fair::Snapshot&);

        /// `decider` is policy::fair::decide; tests put others in its place.
        Arbiter(const policy::fair::Settings& settings, Mode mode, Clients clients,
                policy::Machine machine, Decide decider = policy::fair::decide);

        [[nodiscard]] Clients& clients() { return clients_; }
        [[nodiscard]] const Clients& clients() const { return clients_; }

        /// Other settings or rules, for all clients: decide() next.
        void configure(const policy::fair::Settings& settings, Mode mode,
                       std::vector<policy::fair::Rule> rules);

        /// The user `by` has paused or resumed it all: for the history; configure() next.
        void suspended(bool suspended, std::uint32_t by, TimePoint now);

        [[nodiscard]] Mode mode() const { return mode_; }

        /// CPUs came or went: decide() next.
        void set_machine(policy::Machine machine);

        /// Takes a sample; Clients::measured() of every client must have been called for it.
        /// `yielding_millicpu` is burned, somewhere, by threads that run only when nobody else
        /// wants to (SCHED_IDLE, cgroups with cpu.idle).
        void sampled(const policy::Sample& sample, std::uint32_t yielding_millicpu, TimePoint now);
        /// Decides now and takes note. Returns the clients whose grant changed.
        std::vector<ProgramId> decide(TimePoint now);

        [[nodiscard]] const policy::fair::Decision& last() const { return last_; }

        /// See Clients::turns(). Empty where the settings say that nobody takes turns, too.
        [[nodiscard]] std::optional<Clients::Turns> turns(ProgramId id, TimePoint now) const {
                return settings_.turns ? clients_.turns(id, now) : std::nullopt;
        }

private:
        policy::fair::Settings settings_;
        Mode mode_;
        Clients clients_;
        policy::Machine machine_;
        std::optional<std::uint32_t> cpus_before_;  ///< where the machine changed since decide()
        Decide decide_;
        evidence::ForeignLoad foreign_;
        policy::fair::Decision last_;
};

}  // namespace governor::registry
