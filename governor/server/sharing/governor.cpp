// SPDX-License-Identifier: MIT
// One sample or event after the other.
#include "server/sharing/governor.hpp"

#include "probe/cpu_sets.hpp"
#include "probe/program.hpp"

#include <algorithm>
#include <cerrno>
#include <governor/v1/governor.pb.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace governor::server {

namespace {

using policy::fair::Limit;

constexpr std::chrono::milliseconds kHeartbeat{500};
/// Programs of a daemon that was restarted have come back by then.
constexpr std::chrono::seconds kReturn{60};
/// Who is in regions is back after this: a heartbeat that stands still is noticed after 2 s, and a
/// governor is looked for once a second.
constexpr std::chrono::seconds kSettling{4};
/// Who comes later has been foreign load, and is measured from then on.
constexpr std::chrono::seconds kSettlingOfOne{1};
/// Each program's affinity and control groups are read this often: that is what they cost most by.
constexpr std::chrono::seconds kLook{10};

TimePoint now() { return std::chrono::steady_clock::now(); }

std::uint32_t cpus_in_sets() {
        const auto configured = ::sysconf(_SC_NPROCESSORS_CONF);
        return static_cast<std::uint32_t>(
                std::clamp(configured, 64L, static_cast<long>(policy::kCpuNumberLimit)));
}

/// Of who is held to nothing: as many as it likes, and no CPUs in particular.
policy::fair::Grant ungoverned() {
        policy::fair::Grant grant;
        grant.threads = GOVERNOR_WORD_THREADS_MAX;
        grant.reason.limit = Limit::Ungoverned;
        return grant;
}

/// A slot for every lease that there may be.
Arenas::Limits slots_for(const registry::LeaseLimits& leases) {
        Arenas::Limits limits;
        limits.total = static_cast<std::uint32_t>(leases.leases);
        limits.per_account = static_cast<std::uint32_t>(leases.per_account);
        return limits;
}

registry::Arbiter make_arbiter() {
        return {policy::fair::Settings{}, registry::Mode::Govern,
                registry::Clients(registry::LeaseLimits{}, {}), policy::Machine{}};
}

Governor::Refusal refusal(const NoPlace& why) {
        switch (why.why) {
        case NoPlace::Why::AccountQuota:
                return Governor::Refusal::TooManyOfAccount;
        case NoPlace::Why::TotalQuota:
                return Governor::Refusal::TooMany;
        case NoPlace::Why::System:
                break;
        }
        return Governor::Refusal::System;
}

}  // namespace

Governor::Governor(EventLoop& loop, const std::string& root, Admission admission, Teller teller)
        : loop_(loop), root_(root), admission_(std::move(admission)), teller_(std::move(teller)),
          started_(now()), meter_(root),
          arenas_(slots_for(registry::LeaseLimits{}), cpus_in_sets()), arbiter_(make_arbiter()),
          leases_(loop, [this](const Lease& lease) { ended(lease); }), reports_(leases_),
          timer_(loop.on_time(
                  TimePoint::max(), [this] { wake(); }, EventLoop::kExact)),
          heartbeat_(loop.on_time(now() + kHeartbeat, [this] {
                  arenas_.beat();
                  arenas_.forget_idle(now());
                  heartbeat_.set_time(now() + kHeartbeat);
          })) {}

void Governor::configure(const config::Settings& settings, const policy::Sample& sample,
                         const probe::Topology& topology) {
        settings_ = settings;
        if (settings_.policy != config::PolicyName::Fair) {
                release_all();
                paused_ = false;
        }
        set_machine(policy::cpus_of(sample), topology);
        follow_settings();
}

void Governor::follow_settings() {
        const bool is_observing = settings_.is_observing || paused_;
        const bool were_known = std::exchange(
                needs_executables_, std::ranges::any_of(settings_.programs, [](const auto& rule) {
                        return rule.executable.has_value();
                }));
        if (needs_executables_ && !were_known)
                leases_.for_each([this](const Lease& lease) {
                        arbiter_.clients().runs(lease.id, probe::read_executable(root_, lease.pid));
                });
        arbiter_.configure(settings_.fair,
                           is_observing ? registry::Mode::Observe : registry::Mode::Govern,
                           settings_.programs);
        // Another mode, or a rule to ignore it, is no other grant, but other words.
        leases_.for_each([this](const Lease& lease) { tell(lease.id); });
        want_decision(now());
}

void Governor::release_all() { leases_.end_all(); }

void Governor::set_machine(policy::CpuMask online, const probe::Topology& topology) {
        online_ = std::move(online);
        const auto apart = probe::read_cpu_sets(root_);
        auto pool = online_;
        if (apart.isolated)
                pool -= *apart.isolated;
        if (apart.nohz_full)
                pool -= *apart.nohz_full;
        policy::CpuMask distributed;
        pool.for_each([&](std::uint32_t cpu) {
                if (settings_.pool.contains(cpu))
                        distributed.add(cpu);
        });
        arbiter_.set_machine(policy::Machine(topology, distributed));
}

void Governor::sampled(const policy::Sample& sample, const probe::Topology& topology) {
        const auto at = now();
        auto online = policy::cpus_of(sample);
        const bool other_cpus = online != online_;
        if (other_cpus)
                set_machine(std::move(online), topology);
        // The kernel leaves what is offline out of a program's mask: all may be other ones now.
        look_where_they_are(at, other_cpus ? leases_.size()
                                           : leases_.size() * settings_.period / kLook + 1);
        scan(at);
        // What they do now says what the time since the last sample was for.
        (void)reports_.take_all(arbiter_.clients(), at);
        measure(at);
        // Nobody looks at processes while nobody holds a lease: what yields counts as foreign then.
        arbiter_.sampled(sample, leases_.size() > 0 ? meter_.yielding_millicpu() : 0, at);
        agenda_.sampled(at);
        decide(at);
        arm();
}

void Governor::scan(TimePoint at) {
        std::vector<std::uint32_t> pids;
        leases_.for_each([&](const Lease& lease) { pids.push_back(lease.pid); });
        if (!pids.empty())
                meter_.scan(pids, at);
}

void Governor::measure(TimePoint at) {
        leases_.for_each([&](const Lease& lease) {
                const auto used = meter_.cpu_time_at_scan(lease.pid);
                if (!used)
                        return;
                auto& clients = arbiter_.clients();
                clients.measured(lease.id, *used, meter_.is_stopped(lease.pid), at);
                if (clients.may_be_light(lease.id, at))
                        clients.measured(lease.id, meter_.light_use(lease.pid, *used), at);
        });
}

/// True: somebody was stopped since the last look. About 0.5 us for each program with CPUs of its
/// own that it does not lend.
bool Governor::find_stopped(TimePoint at) {
        auto& clients = arbiter_.clients();
        std::vector<ProgramId> stopped;
        leases_.for_each([&](const Lease& lease) {
                if (!clients.may_fall_silent(lease.id))
                        return;
                const auto used = meter_.cpu_time(lease.pid);
                if (used && clients.fell_silent(lease.id, *used) &&
                    meter_.is_stopped_now(lease.pid))
                        stopped.push_back(lease.id);
        });
        // A region that began before it was stopped does not wake it.
        if (!stopped.empty())
                (void)reports_.take_all(clients, at);
        for (const auto id : stopped)
                clients.stopped(id, at);
        return !stopped.empty();
}

/// So many of them; at each sample such a part that each is looked at once in kLook.
void Governor::look_where_they_are(TimePoint at, std::size_t part) {
        for (std::size_t i = 0; i < std::min(part, leases_.size()); i++) {
                auto next = arbiter_.clients().next(looked_at_);
                if (!next)
                        next = arbiter_.clients().next(ProgramId{});
                if (!next)
                        return;
                looked_at_ = *next;
                const auto* lease = leases_.find(*next);
                if (lease == nullptr)
                        continue;
                if (const auto where = meter_.where(lease->pid, lease->affinity, at))
                        arbiter_.clients().confine(*next, where->confinement, at);
        }
}

tl::expected<Place, Governor::Refusal> Governor::join(const Peer& peer, const Wish& wish) {
        if (settings_.policy != config::PolicyName::Fair)
                return tl::unexpected(Refusal::NotGoverning);
        if (admission_ && !admission_(peer))
                return tl::unexpected(Refusal::NoRoom);
        auto process = open_process(peer);
        if (!process)
                return tl::unexpected(process.error().value() == ESRCH ? Refusal::NotKnown
                                                                       : Refusal::System);
        if (auto* lease = leases_.of_process(process->pid)) {
                leases_.share(*lease, peer.connection);
                if (wish.request.can_wait)
                        leases_.let_wait(peer.connection);
                widen(*lease, wish.affinity);
                return lease->place;
        }
        return admit(peer, std::move(*process), wish);
}

/// Another handle of its process knows of more CPUs.
void Governor::widen(Lease& lease, const policy::CpuMask& affinity) {
        auto widened = lease.affinity | affinity;
        if (widened == lease.affinity)
                return;
        lease.affinity = std::move(widened);
        const auto at = now();
        if (const auto where = meter_.where(lease.pid, lease.affinity, at))
                arbiter_.clients().confine(lease.id, where->confinement, at);
        want_decision(at);
}

tl::expected<Place, Governor::Refusal> Governor::admit(const Peer& peer, Process process,
                                                       const Wish& wish) {
        const auto at = now();
        const auto where = meter_.where(peer.pid, wish.affinity, at);
        if (!where)
                return tl::unexpected(Refusal::NotKnown);
        const auto identity = identify(peer, *where, wish);
        const auto place = arenas_.take(identity.account);
        if (!place) {
                if (place.error().why != NoPlace::Why::System)
                        journal_.refused(identity, at);
                return tl::unexpected(refusal(place.error()));
        }
        auto& clients = arbiter_.clients();
        const auto joined = clients.join(identity, wish.request, where->confinement, at);
        write_journal(at);
        if (joined.refusal != registry::Refusal::None) {
                journal_.refused(identity, at);
                arenas_.give_back(identity.account, *place, at);
                return tl::unexpected(joined.refusal == registry::Refusal::TooMany
                                              ? Refusal::TooMany
                                              : Refusal::TooManyOfAccount);
        }
        if (may_claim(at) && !wish.holds.empty()) {
                clients.claim(joined.id, wish.holds,
                              std::max(started_ + kSettling, at + kSettlingOfOne), at);
                returned_.push_back({joined.id});
        }
        try {
                leases_.add({joined.id, identity.account, peer.pid, *place, 0, wish.affinity},
                            std::move(process), peer.connection);
                if (wish.request.can_wait)
                        leases_.let_wait(peer.connection);
        } catch (const std::system_error&) {
                clients.leave(joined.id, std::chrono::nanoseconds{0}, at);
                arenas_.give_back(identity.account, *place, at);
                return tl::unexpected(Refusal::System);
        }
        // What it has claimed: the decision may be just that, and no change. Or that it is ignored.
        tell(joined.id);
        want_decision(at);
        wake();
        return *place;
}

bool Governor::may_claim(TimePoint at) const { return at - started_ < kReturn; }

registry::Identity Governor::identify(const Peer& peer, const ProcessMeter::Where& where,
                                      const Wish& wish) {
        registry::Identity identity;
        identity.pid = peer.pid;
        identity.uid = peer.account.uid.value_or(0);
        identity.account.uid = where.owner.value_or(identity.uid);
        identity.label = wish.label.empty() ? probe::read_program_name(root_, peer.pid)
                                            : std::string(wish.label);
        identity.job = wish.job;
        const auto group = ::getpgid(static_cast<pid_t>(peer.pid));
        identity.process_group = group > 0 ? static_cast<std::uint32_t>(group) : 0;
        if (needs_executables_)
                identity.executable = probe::read_executable(root_, peer.pid);
        identity.cpu_time = meter_.cpu_time(peer.pid);
        return identity;
}

bool Governor::request(const Peer& peer, const registry::Request& request) {
        const auto* lease = leases_.of_connection(peer.connection);
        if (lease == nullptr)
                return false;
        arbiter_.clients().request(lease->id, request, now());
        want_decision(now());
        return true;
}

bool Governor::leave(const Peer& peer) {
        if (leases_.of_connection(peer.connection) == nullptr)
                return false;
        leases_.leave(peer.connection);
        return true;
}

void Governor::ended(const Lease& lease) {
        const auto at = now();
        arbiter_.clients().leave(lease.id, meter_.cpu_time(lease.pid), at);
        write_journal(at);
        arenas_.give_back(lease.account, lease.place, at);
        want_decision(at);
}

void Governor::want_decision(TimePoint at) {
        agenda_.want_decision(at);
        arm();
}

/// A decision goes by what programs do at this moment.
void Governor::wake() {
        const auto at = now();
        if (agenda_.is_poll_due(at))
                agenda_.polled(reports_.take_waited_for(arbiter_.clients(), at), at);
        if (agenda_.is_watch_due(at))
                agenda_.watched(find_stopped(at), at);
        if (agenda_.is_decision_due(at)) {
                (void)reports_.take_all(arbiter_.clients(), at);
                decide(at);
        }
        arm();
}

void Governor::arm() { timer_.set_time(agenda_.next()); }

/// Right after Reports::take_all().
void Governor::decide(TimePoint at) {
        const auto changed = arbiter_.decide(at);
        for (const auto id : changed)
                tell(id);
        tell_who_returned();
        reports_.decided(changed);
        decisions_++;
        write_journal(at);
        agenda_.decided(arbiter_.last(), at);
}

/// A claim has no reason yet, and the decision may be just that grant: nothing that changes, but to
/// be told for its reason: that it is to wait until all are back, and when that is over.
void Governor::tell_who_returned() {
        std::erase_if(returned_, [this](Returned& returned) {
                const auto* held = arbiter_.clients().held(returned.id);
                const bool is_over =
                        held == nullptr || held->grant.reason.limit != Limit::Returning;
                if (is_over || !std::exchange(returned.knows_why, true))
                        tell(returned.id);
                return is_over;
        });
}

void Governor::write_journal(TimePoint at) { journal_.follow(arbiter_.clients().history(), at); }

void Governor::tell(ProgramId id) {
        const auto& clients = arbiter_.clients();
        auto* lease = leases_.find(id);
        const auto* held = clients.held(id);
        if (lease == nullptr || (held == nullptr && !clients.is_ignored(id)))
                return;
        auto grant = held != nullptr ? held->grant : ungoverned();
        if (arbiter_.mode() == registry::Mode::Observe) {
                grant.threads = GOVERNOR_WORD_THREADS_MAX;  // what it would have anyway
                grant.parked = false;
        }
        const auto epoch = lease->place.arena->publish(lease->place.slot, grant, 0);
        if (held != nullptr)
                lease->epoch_offset = epoch - static_cast<std::uint32_t>(held->epoch);
        if (std::exchange(lease->is_parked, grant.parked) && !grant.parked)
                tell_its_turn(*lease);
}

void Governor::tell_its_turn(const Lease& lease) const {
        if (!teller_)
                return;
        v1::Reply reply;
        reply.mutable_your_turn();
        leases_.for_each_waiting(lease, [this, bytes = reply.SerializeAsString()](int connection) {
                teller_(connection, bytes);
        });
}

}  // namespace governor::server
