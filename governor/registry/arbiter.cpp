// SPDX-License-Identifier: MIT
// One decision after the other.
#include "registry/arbiter.hpp"

#include <algorithm>
#include <utility>

namespace governor::registry {

namespace {

/// Nobody was told to shrink, so that nobody can be late.
void follow_at_once(policy::fair::Snapshot& snapshot) {
        for (auto& client : snapshot.clients) {
                client.in_use.clear();
                client.above_since.reset();
                client.relapsed = false;
                client.burning = std::min(client.burning, client.granted.count());
        }
}

}  // namespace

Arbiter::Arbiter(const policy::fair::Settings& settings, Mode mode, Programs programs,
                 policy::Machine machine, Decide decider)
        : settings_(settings), mode_(mode), programs_(std::move(programs)),
          machine_(std::move(machine)), decide_(std::move(decider)) {
        programs_.set_handover_max(settings.handover_max);
}

void Arbiter::configure(const policy::fair::Settings& settings, Mode mode,
                        std::vector<policy::fair::Rule> rules) {
        settings_ = settings;
        mode_ = mode;
        programs_.set_rules(std::move(rules));
        programs_.set_handover_max(settings.handover_max);
}

void Arbiter::suspended(bool suspended, std::uint32_t by, TimePoint now) {
        Event event;
        event.at = now;
        event.kind = suspended ? EventKind::Suspended : EventKind::Restored;
        event.by = by;
        programs_.history().add(event);
}

void Arbiter::set_machine(policy::Machine machine) {
        if (!cpus_before_)
                cpus_before_ = machine_.pool().count();
        machine_ = std::move(machine);
}

void Arbiter::sampled(const policy::Sample& sample, std::uint32_t yielding_millicpu,
                      TimePoint now) {
        programs_.sampled(sample, now);
        auto burns = programs_.burns(now);
        if (yielding_millicpu > 0)
                burns.push_back({policy::cpus_of(sample), yielding_millicpu});
        // What those burned who are not back yet is no foreign load: it is measured from then on.
        if (programs_.are_returning(now))
                foreign_ = {};
        else
                foreign_.add(sample, burns, machine_.pool(), now);
}

std::vector<ProgramId> Arbiter::decide(TimePoint now) {
        if (cpus_before_) {
                Event event;
                event.at = now;
                event.kind = EventKind::MachineChanged;
                event.from = *cpus_before_;
                event.to = machine_.pool().count();
                programs_.history().add(event);
                cpus_before_.reset();
        }
        auto snapshot = this->snapshot(now);
        if (mode_ == Mode::Observe)
                follow_at_once(snapshot);
        last_ = decide_(settings_, snapshot);
        return programs_.apply(last_, now);
}

}  // namespace governor::registry
