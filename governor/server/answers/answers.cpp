// SPDX-License-Identifier: MIT
// One function per kind of request.
#include "server/answers/answers.hpp"

#include "config/keys.hpp"
#include "policy/threshold.hpp"
#include "probe/idle_history.hpp"
#include "registry/holders.hpp"
#include "server/answers/refuse.hpp"
#include "server/journal/printable.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace governor::server {

namespace {

// Keep a reply far below a message's limit.
constexpr std::size_t kCpusPerPage = 1024;
constexpr std::size_t kCpuPage = 28'672;     // bytes; no CPU is begun above it
constexpr std::size_t kConfigPage = 16'384;  // bytes; no rule is begun above it
constexpr std::size_t kLongestError = 512;   // bytes

v1::Advice::Reason wire_reason(policy::Reason reason) {
        switch (reason) {
        case policy::Reason::WarmingUp:
                return v1::Advice::WARMING_UP;
        case policy::Reason::FreeCpus:
                return v1::Advice::FREE_CPUS;
        case policy::Reason::NoFreeCpu:
                return v1::Advice::NO_FREE_CPU;
        case policy::Reason::OwnMax:
                return v1::Advice::OWN_MAX;
        case policy::Reason::AllCpus:
                return v1::Advice::ALL_CPUS;
        case policy::Reason::FairShare:
                return v1::Advice::FAIR_SHARE;
        }
        return v1::Advice::UNKNOWN;
}

std::string beside(const registry::FairShare& share) {
        return " (beside " + std::to_string(share.leases) + " with a lease and " +
               std::to_string(share.promised) + " just advised, of its user)";
}

v1::Reply advise(const v1::Query& query, const View& view, Reach reach) {
        for (const auto& [name, value] :
             {std::pair{"current", query.current()}, std::pair{"max", query.max()}})
                if (value > kMostThreads)
                        return above("Query." + std::string(name), value, kMostThreads);
        const policy::Question question{query.current(), query.max(),
                                        view.fair_share ? view.fair_share->threads : 0};
        const auto& settings = view.settings.threshold;
        const auto sample = policy::restrict_to(view.pool, view.sample);
        const auto advice = policy::advise(settings, sample, question);
        v1::Reply reply;
        auto& out = *reply.mutable_advice();
        out.set_threads(advice.threads);
        out.set_free(advice.free);
        out.set_total(advice.total);
        out.set_reason(wire_reason(advice.reason));
        out.set_explanation(policy::explain(settings, question, advice));
        if (advice.reason == policy::Reason::FairShare)
                *out.mutable_explanation() += beside(*view.fair_share);
        out.set_settle_ms(static_cast<std::uint32_t>(
                probe::IdleHistory::window(view.settings.period).count()));
        out.set_leases(reach == Reach::Local && view.settings.policy == config::PolicyName::Fair);
        out.set_adapts(view.adapts);
        if (view.tree_share) {
                out.set_threads(query.max() > 0 ? std::min(*view.tree_share, query.max())
                                                : *view.tree_share);
                out.set_reason(v1::Advice::TREE_SHARE);
                out.set_explanation("its tree may use " + std::to_string(*view.tree_share) +
                                    " of " + std::to_string(advice.total) + " cpus -> " +
                                    std::to_string(out.threads()));
                return reply;
        }
        if (advice.reason == policy::Reason::WarmingUp)
                out.set_warm_in_ms(static_cast<std::uint32_t>(view.warm_in.count()));
        return reply;
}

/// A path and what stands in a file: not for the network.
std::string configuration_error(const View& view) {
        return printable_ascii(view.configuration_error).substr(0, kLongestError);
}

std::uint32_t waiting(const registry::Programs& programs) {
        std::uint32_t count = 0;
        programs.for_each([&](const registry::Program& program) {
                const auto* held = program.held();
                count += held != nullptr && held->grant.parked ? 1 : 0;
        });
        return count;
}

v1::Reply status(const View& view, Reach reach) {
        const auto sample = policy::restrict_to(view.pool, view.sample);
        v1::Reply reply;
        auto& out = *reply.mutable_status();
        out.set_cpus(static_cast<std::uint32_t>(sample.cpus.size()));
        out.set_free(policy::count_free(view.settings.threshold, sample));
        out.set_policy(view.settings.policy == config::PolicyName::Fair ? "fair" : "threshold");
        out.set_mode(view.settings.is_observing ? "observe" : "govern");
        out.set_clients(static_cast<std::uint32_t>(view.programs.size()));
        const bool is_asked_of_nobody = view.settings.is_observing || view.is_paused;
        out.set_waiting(is_asked_of_nobody ? 0 : waiting(view.programs));
        out.set_foreign(view.counters.foreign);
        out.set_budget(static_cast<std::uint32_t>(sample.cpus.size()) -
                       std::min<std::uint32_t>(view.counters.foreign,
                                               static_cast<std::uint32_t>(sample.cpus.size())));
        out.set_paused(view.is_paused);
        out.set_decisions(view.counters.decisions);
        out.set_threshold_permyriad(view.settings.threshold.threshold_permyriad);
        out.set_period_ms(static_cast<std::uint32_t>(view.settings.period.count()));
        out.set_warming_up(sample.warming_up);
        out.set_connections(view.counters.connections);
        out.set_uptime_ms(static_cast<std::uint64_t>(view.uptime.count()));
        out.set_samples(view.counters.samples);
        out.set_discarded_samples(view.counters.discarded_samples);
        out.set_queries(view.counters.queries);
        out.set_bad_messages(view.counters.bad_messages);
        out.set_version(GOVERNOR_VERSION);
        out.set_refused_connections(view.counters.refused_connections);
        out.set_fallback(view.settings.is_fallback);
        if (reach == Reach::Local)
                out.set_configuration_error(configuration_error(view));
        return reply;
}

void fill(v1::Cpu& out, const policy::CpuIdle& cpu, const View& view) {
        out.set_cpu(cpu.cpu);
        out.set_governed(view.pool.contains(cpu.cpu));
        out.set_available(out.governed() && !view.sample.warming_up &&
                          policy::is_free(view.settings.threshold, cpu));
        if (cpu.idle_permyriad)
                out.set_idle_permyriad(*cpu.idle_permyriad);
        const auto found = view.topology.find(cpu.cpu);
        if (found == view.topology.end())
                return;
        const auto& place = found->second;
        if (place.core)
                out.set_core(*place.core);
        if (place.package)
                out.set_package(*place.package);
        if (place.node)
                out.set_node(*place.node);
}

v1::Reply cpus(const v1::CpusRequest& request, const View& view) {
        v1::Reply reply;
        auto& page = *reply.mutable_cpus();
        const auto& all = view.sample.cpus;
        auto cpu = std::ranges::lower_bound(all, request.first(), {}, &policy::CpuIdle::cpu);
        if (cpu == all.end())
                return reply;
        const auto held_by = registry::holders(view.programs);
        std::size_t bytes = 0;
        for (std::size_t n = 0; n < kCpusPerPage && bytes < kCpuPage && cpu != all.end();
             n++, cpu++) {
                auto& out = *page.add_cpu();
                fill(out, *cpu, view);
                if (const auto found = held_by.find(cpu->cpu); found != held_by.end())
                        for (const auto id : found->second)
                                out.add_holder(static_cast<std::uint64_t>(id));
                bytes += out.ByteSizeLong();
        }
        if (cpu != all.end())
                page.set_next(cpu->cpu);
        return reply;
}

/// `section`: what stands in front of the key in Settings::origins.
template <class Target>
v1::Setting setting(const config::KeyOf<Target>& key, const Target& target,
                    const std::string& section, const config::Settings& settings) {
        v1::Setting out;
        out.set_key(std::string(key.name));
        out.set_value(key.get(target));
        const auto origin = settings.origins.find(section + std::string(key.name));
        out.set_origin(origin != settings.origins.end() ? printable_ascii(origin->second.text())
                                                        : "default");
        return out;
}

void fill(v1::Program& out, const policy::fair::Rule& rule, const config::Settings& settings) {
        out.set_name(rule.name);
        for (const auto& key : config::program_keys())
                if (!key.get(rule).empty())
                        *out.add_setting() =
                                setting(key, rule, "program " + rule.name + ".", settings);
}

v1::Reply config(const v1::ConfigRequest& request, const View& view) {
        v1::Reply reply;
        auto& page = *reply.mutable_config();
        const auto& programs = view.settings.programs;
        std::size_t next = request.first_program();
        page.set_configuration_error(configuration_error(view));
        if (next == 0)
                for (const auto& key : config::keys())
                        *page.add_setting() = setting(key, view.settings, "", view.settings);
        do {  // at least one, so that there is an end
                if (next >= programs.size())
                        return reply;
                fill(*page.add_program(), programs[next++], view.settings);
        } while (page.ByteSizeLong() < kConfigPage);
        if (next < programs.size())
                page.set_next_program(static_cast<std::uint32_t>(next));
        return reply;
}

bool is_for_everybody(v1::Request::KindCase kind) {
        return kind == v1::Request::kQuery || kind == v1::Request::kStatus;
}

}  // namespace

v1::Reply answer(const v1::Request& request, const View& view, Reach reach) {
        if (request.protocol() != kProtocol)
                return refuse(v1::Error::UNSUPPORTED_PROTOCOL,
                              "protocol is " + std::to_string(request.protocol()),
                              std::to_string(kProtocol));
        if (reach == Reach::Network && !is_for_everybody(request.kind_case()))
                return refuse(v1::Error::NOT_PERMITTED, "this request is not answered over TCP",
                              "query, status");
        switch (request.kind_case()) {
        case v1::Request::kQuery:
                return advise(request.query(), view, reach);
        case v1::Request::kStatus:
                return status(view, reach);
        case v1::Request::kCpus:
                return cpus(request.cpus(), view);
        case v1::Request::kConfig:
                return config(request.config(), view);
        default:
                break;
        }
        return refuse(v1::Error::UNKNOWN_REQUEST, "a request of no kind that this governor knows",
                      "query, status, cpus, config, hello, update, bye, clients, explain, events, "
                      "set, pause, resume");
}

}  // namespace governor::server
