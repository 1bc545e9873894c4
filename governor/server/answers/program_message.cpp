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

/// The process holds no lease that the peer may see. A user is not told whether another's process
/// holds one. It has to fit into the library's answer.
std::string no_lease(std::uint32_t pid, const Peer& peer, const Governor& governor) {
        const auto process = "process " + std::to_string(pid);
        if (!governor.gives_leases())
                return process + " holds no lease: there are none under the policy in force";
        return process + (peer.account.is_root() ? "" : " is not yours, or") +
               " holds no lease: it was not started by `fairly` and does not use libthreadcount, "
               "asks another governor, was refused, or ended";
}

}  // namespace

bool may_know(const Peer& peer, const registry::Program& program) {
        return peer.account.is_root() || peer.account.uid == program.identity().uid ||
               peer.account == program.identity().account;
}

void fill(v1::Client& out, const registry::Program& program, const Peer& peer, Governor& governor) {
        const auto* held = program.held();
        out.set_id(static_cast<std::uint64_t>(program.id()));
        out.set_uid(program.identity().uid);
        if (held != nullptr) {
                const auto& grant = held->grant;
                out.set_granted(grant.threads);
                out.set_cpus(policy::format_cpu_list(grant.cpus.to_set()));
                out.set_shared(grant.shared);
                out.set_reason(policy::fair::explain(grant));
        }
        out.set_in_use(program.team());
        out.set_burning_millicpu(program.burning_millicpu());
        const auto age = governor.now() - program.joined();
        out.set_age_ms(static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::milliseconds>(age).count()));
        out.set_share(governor.cycle().arbiter().share(program, governor.now()));
        out.set_tree(static_cast<std::uint64_t>(program.tree()));
        if (program.tree() != ProgramId{})
                out.set_processes(governor.processes(program));
        if (!may_know(peer, program))
                return;
        if (held != nullptr && program.orders().paused())
                out.set_reason("paused; " + out.reason());
        out.set_acts(program.acts());
        out.set_adapts(program.lets_teams_follow());
        out.set_pid(program.identity().pid);
        out.set_label(printable_text(program.identity().label));
        out.set_max(program.max());
        out.set_weight(program.weight());
        out.set_scheduling_class(wire_class(program.scheduling_class()));
        out.set_parked(held != nullptr && held->grant.parked);
        out.set_paused(program.orders().paused());
        add(out, program.orders().owner(), false);
        add(out, program.orders().administrator(), true);
        if (const auto* lease = governor.lease(program.id()))
                add_pool(out, *lease);
}

tl::expected<const registry::Program*, v1::Reply> visible(std::uint32_t pid, const Peer& peer,
                                                          Governor& governor) {
        const auto* lease = governor.lease_of(pid);
        const auto* program = lease != nullptr ? governor.programs().find(lease->id)
                                               : governor.holder_above(pid, [&](const auto& above) {
                                                         return may_know(peer, above);
                                                 });
        if (program == nullptr || !may_know(peer, *program))
                return tl::unexpected(refuse(v1::Error::NO_LEASE, no_lease(pid, peer, governor)));
        return program;
}

}  // namespace governor::server
