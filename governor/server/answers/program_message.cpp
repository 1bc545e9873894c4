// SPDX-License-Identifier: MIT
// Field by field.
#include "server/answers/program_message.hpp"

#include "policy/cpu_set.hpp"
#include "server/answers/refuse.hpp"
#include "server/journal/printable.hpp"

#include <chrono>
#include <string>

namespace governor::server {

namespace {

using Shown = registry::Clients::Shown;

v1::Class wire_class(policy::fair::Class scheduling_class) {
        return scheduling_class == policy::fair::Class::Batch ? v1::BATCH : v1::INTERACTIVE;
}

void add(v1::Client& out, const registry::Orders::Standing& standing, bool is_administrator) {
        const auto& order = standing.order;
        if (order.empty())
                return;
        auto& ordered = *out.add_ordered();
        ordered.set_uid(standing.uid);
        ordered.set_administrator(is_administrator);
        if (order.max)
                ordered.set_max(*order.max);
        if (order.weight)
                ordered.set_weight(*order.weight);
        if (order.scheduling_class)
                ordered.set_scheduling_class(wire_class(*order.scheduling_class));
        ordered.set_paused(order.paused.value_or(false));
}

void add_pool(v1::Client& out, const Lease& lease) {
        const auto totals = lease.place.arena->pool(lease.place.slot);
        if (!totals)
                return;
        auto& pool = *out.mutable_pool();
        pool.set_lanes(totals->lanes);
        pool.set_active(totals->active);
        pool.set_executed(totals->executed);
        pool.set_stolen(totals->stolen);
        pool.set_parked(totals->parked);
        pool.set_woken(totals->woken);
}

}  // namespace

bool may_know(const Peer& peer, const Shown& shown) {
        return peer.account.is_root() || peer.account.uid == shown.identity.uid ||
               peer.account == shown.identity.account;
}

void fill(v1::Client& out, const Shown& shown, const Peer& peer, Governor& governor) {
        out.set_id(static_cast<std::uint64_t>(shown.id));
        out.set_uid(shown.identity.uid);
        if (shown.held != nullptr) {
                const auto& grant = shown.held->grant;
                out.set_granted(grant.threads);
                out.set_cpus(policy::format_cpu_list(grant.cpus.to_set()));
                out.set_shared(grant.shared);
                out.set_reason((shown.orders.paused() ? "paused; " : "") +
                               policy::fair::explain(grant));
        }
        out.set_in_use(shown.team);
        out.set_burning_millicpu(shown.burning_millicpu);
        const auto age = std::chrono::steady_clock::now() - shown.joined;
        out.set_age_ms(static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::milliseconds>(age).count()));
        if (!may_know(peer, shown))
                return;
        out.set_pid(shown.identity.pid);
        out.set_label(printable_ascii(shown.identity.label));
        out.set_max(shown.max);
        out.set_weight(shown.weight);
        out.set_scheduling_class(wire_class(shown.scheduling_class));
        out.set_paused(shown.orders.paused());
        add(out, shown.orders.owner(), false);
        add(out, shown.orders.administrator(), true);
        if (const auto* lease = governor.lease(shown.id))
                add_pool(out, *lease);
}

tl::expected<Shown, v1::Reply> visible(std::uint32_t pid, const Peer& peer, Governor& governor) {
        const auto* lease = governor.lease_of(pid);
        const auto shown =
                lease != nullptr ? governor.arbiter().clients().show(lease->id) : std::nullopt;
        if (!shown || !may_know(peer, *shown))
                return tl::unexpected(
                        refuse(v1::Error::NO_LEASE, "process " + std::to_string(pid) +
                                                            " holds no lease that you may see"));
        return *shown;
}

}  // namespace governor::server
