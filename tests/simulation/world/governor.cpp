// SPDX-License-Identifier: MIT
// When the daemon looks, and when it decides.
#include "simulation/world/governor.hpp"

#include <algorithm>

namespace simulation {

namespace {

/// So that the policy may look back from the start of a scenario.
constexpr auto kStart = std::chrono::hours(1000);

Time virtual_time(governor::policy::TimePoint at) {
        return std::chrono::duration_cast<Time>(at.time_since_epoch()) - kStart;
}

Time time_of(double seconds) {
        return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
}

Time cpu_time(const Process& process) { return time_of(process.cpu_s()); }

governor::evidence::LowUse::Reading light_use(const Process& process) {
        return {cpu_time(process), time_of(process.thread_s()), time_of(process.waited_s())};
}

Arbiter make_arbiter(const Scenario& scenario, Arbiter::Decide decide,
                     const governor::policy::Machine& machine) {
        return {scenario.governor.fair, governor::registry::Mode::Govern,
                governor::registry::Clients({}, scenario.rules), machine, decide};
}

}  // namespace

governor::policy::TimePoint time_point(Time at) {
        return governor::policy::TimePoint(
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(at + kStart));
}

Governor::Governor(const Scenario& scenario, const Decider& decider,
                   const governor::policy::Machine& machine)
        : period_(scenario.governor.period), settings_(scenario.governor.fair), decider_(decider),
          machine_(machine), arbiter_(make_arbiter(scenario, decider.decide, machine)) {}

std::optional<ProgramId> Governor::join(const Process& process,
                                        const governor::registry::Confinement& where, Time now) {
        const auto& program = process.program();
        governor::registry::Identity identity;
        identity.pid = static_cast<std::uint32_t>(leases_.size() + 1);
        identity.account.uid = program.user;
        identity.uid = program.user;
        identity.label = program.name;
        identity.executable = "/usr/bin/" + program.name;
        identity.job = program.job;
        identity.cpu_time = cpu_time(process);
        governor::registry::Request request;
        request.min = program.min;
        request.max = program.max;
        request.weight = program.weight;
        request.scheduling_class = program.scheduling_class;
        request.can_wait = program.waits;
        request.start_only = program.behaviour == Behaviour::StartOnly;
        const auto joined = arbiter_.clients().join(identity, request, where, time_point(now));
        if (joined.refusal != governor::registry::Refusal::None)
                return std::nullopt;
        leases_.push_back({joined.id, &process});
        agenda_.want_decision(time_point(now));
        return joined.id;
}

void Governor::leave(ProgramId id, Time now) {
        const auto lease = std::ranges::find(leases_, id, &Lease::id);
        const bool says_bye = lease->process->finished();
        arbiter_.clients().leave(id,
                                 says_bye ? std::optional(cpu_time(*lease->process)) : std::nullopt,
                                 time_point(now));
        leases_.erase(lease);
        agenda_.want_decision(time_point(now));
}

void Governor::set_machine(const governor::policy::Machine& machine, Time now) {
        machine_ = machine;
        arbiter_.set_machine(machine);
        agenda_.want_decision(time_point(now));
}

Time Governor::next() const {
        const auto agenda = agenda_.next() == governor::registry::Agenda::kNever
                                    ? kNever
                                    : virtual_time(agenda_.next());
        return std::min(next_sample_, agenda);
}

bool Governor::read_reports(Time now) {
        bool matters = false;
        for (const auto& lease : leases_)
                if (arbiter_.clients().report(lease.id, lease.process->report(held(lease.id)),
                                              time_point(now)))
                        matters = true;
        return matters;
}

void Governor::sample(const governor::policy::Sample& sample, std::uint32_t yielding_millicpu,
                      Time now) {
        read_reports(now);  // what they do now says what the time since the last sample was for
        for (const auto& lease : leases_) {
                auto& clients = arbiter_.clients();
                clients.measured(lease.id, cpu_time(*lease.process), lease.process->stopped(),
                                 time_point(now));
                if (clients.may_be_light(lease.id, time_point(now)))
                        clients.measured(lease.id, light_use(*lease.process), time_point(now));
        }
        auto burns = arbiter_.clients().burns(time_point(now));
        if (yielding_millicpu > 0)
                burns.push_back({cpus_of(sample), yielding_millicpu});
        foreign_.add(sample, burns, machine_.pool(), time_point(now));
        arbiter_.sampled(sample, yielding_millicpu, time_point(now));
        next_sample_ = now + period_;
        agenda_.sampled(time_point(now));
}

bool Governor::find_stopped(Time now) {
        std::vector<ProgramId> stopped;
        for (const auto& lease : leases_)
                if (arbiter_.clients().fell_silent(lease.id, cpu_time(*lease.process)) &&
                    lease.process->stopped())
                        stopped.push_back(lease.id);
        if (!stopped.empty())
                read_reports(now);
        for (const auto id : stopped)
                arbiter_.clients().stopped(id, time_point(now));
        return !stopped.empty();
}

bool Governor::wake(Time now) {
        if (agenda_.is_poll_due(time_point(now)))
                agenda_.polled(read_reports(now), time_point(now));
        if (agenda_.is_watch_due(time_point(now)))
                agenda_.watched(find_stopped(now), time_point(now));
        if (!agenda_.is_decision_due(time_point(now)))
                return false;
        read_reports(now);
        return true;
}

void Governor::decide(Time now) {
        changed_ = arbiter_.decide(time_point(now));
        agenda_.decided(last(), time_point(now));
}

governor::policy::fair::Snapshot Governor::snapshot(Time now) const {
        return arbiter_.clients().snapshot(machine_, foreign_.seen(), time_point(now));
}

governor::policy::fair::Snapshot Governor::believed(Time now) const {
        return decider_.told != nullptr ? decider_.told(snapshot(now)) : snapshot(now);
}

}  // namespace simulation
