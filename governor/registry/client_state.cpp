// SPDX-License-Identifier: MIT
// What a client looks like to the policy and to people, and what it was granted.
#include "registry/client_state.hpp"

#include <algorithm>
#include <limits>

namespace governor::registry {

namespace {

constexpr std::uint32_t kMaxWeight = 10'000;
constexpr auto kNobody = std::numeric_limits<std::uint32_t>::max();  // no user's number

}  // namespace

std::uint32_t Clients::State::max() const {
        const auto own = stricter(limits.max(), orders.highest(rule));
        return request.start_only ? stricter(own, first_grant) : own;
}

std::uint32_t Clients::State::weight() const {
        return std::clamp(orders.weight(rule, request.weight), 1U, kMaxWeight);
}

/// A CPU that is not in the pool any more is nobody's: it is neither granted nor lingers.
fair::Client Clients::State::client(const policy::CpuMask& pool) const {
        fair::Client client;
        client.id = id;
        client.account = fair::AccountId{identity.account.uid.value_or(kNobody)};
        client.joined = joined;
        client.weight = weight();
        client.max = max();
        const auto most = [&client](std::uint32_t wish) {
                return client.max == 0 ? std::max(wish, 1U) : std::clamp(wish, 1U, client.max);
        };
        client.had = had;
        client.settled = settled;
        client.min = most(request.min);
        client.guaranteed = most(rule.min.value_or(1));
        client.allowed = limits.cpus();
        if (const auto* held = occupancy.held(); held != nullptr && held->is_governed()) {
                client.granted = held->grant.cpus & pool;
                client.shared = held->grant.shared;
                client.parked = held->grant.parked;
        }
        client.in_use = occupancy.in_use() & pool;
        client.above_since = occupancy.above_since();
        client.relapsed = occupancy.relapsed();
        client.burning = occupancy.burning();
        client.idle = demand.idle();
        client.light = low_use.light();
        client.wants = client.idle || client.light ? 1 : demand.wants();
        return client;
}

/// A region of an earlier grant says nothing about this one.
void Clients::State::note_pace(const evidence::Report& report, TimePoint now) {
        const auto cpus = own_cpus();
        if (cpus > 0 && report.epoch == occupancy.held()->epoch)
                speedup.report({cpus, report.ended, report.ended_ns}, now);
        else
                speedup.interrupted();
}

Event Clients::State::event(EventKind kind, TimePoint now) const {
        Event event;
        event.at = now;
        event.kind = kind;
        event.id = id;
        event.pid = identity.pid;
        event.uid = identity.uid;
        event.set_label(identity.label);
        return event;
}

bool Clients::State::apply(const fair::Grant& grant, TimePoint now, History& history) {
        const auto* held = occupancy.held();
        const auto before = held != nullptr ? held->grant.threads : 0;
        const bool was_rigid = held != nullptr && held->grant.reason.limit == fair::Limit::Rigid;
        const bool waited = parked();
        const bool changed = occupancy.grant(grant, now);
        was_parked = was_parked || grant.parked;
        if (waited && !grant.parked)
                turn_since = now;
        if (first_grant == 0)
                first_grant = grant.threads;
        if (grant.reason.limit == fair::Limit::Rigid && !was_rigid)
                history.add(event(EventKind::Rigid, now));
        if (changed) {
                auto granted = event(EventKind::Granted, now);
                granted.from = before;
                granted.to = grant.threads;
                granted.reason = grant.reason;
                history.add(granted);
        }
        return changed;
}

/// As it was last seen to, else all that it has of its own. Who was parked when it was seen has had
/// that since its turn came, and who has been parked since then went on until he was.
std::chrono::nanoseconds Clients::State::presumably_used(TimePoint since, TimePoint now) const {
        const auto* held = occupancy.held();
        if (parked())
                return (std::max(since, held->since) - since) * occupancy.burning();
        if (burn.judged() && !was_parked)
                return (now - since) * occupancy.burning();
        if (held == nullptr || !held->is_own())
                return std::chrono::nanoseconds{0};
        return (now - std::max(since, was_parked ? turn_since : since)) * occupancy.knows_of();
}

void Clients::State::add_reading(std::chrono::nanoseconds cpu_time,
                                 std::optional<TimePoint> previous, TimePoint now) {
        burn.add({cpu_time, occupancy.allowed(now), occupancy.knows_of()}, where.cpus.count(), now,
                 previous.value_or(joined));
}

}  // namespace governor::registry
