// SPDX-License-Identifier: MIT
// Settings and messages meet samples.
#include "server/server.hpp"

#include "policy/permyriad.hpp"
#include "probe/program.hpp"
#include "registry/holders.hpp"
#include "server/answers/lease_answers.hpp"
#include "server/journal/log.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace governor::server {

namespace {

constexpr std::string_view kWaysApart = "isolcpus=, nohz_full= or an isolated cpuset partition";

std::chrono::milliseconds since_start(TimePoint start) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(EventLoop::now() - start);
}

}  // namespace

std::string policy_in_force(const config::Settings& settings) {
        if (settings.policy == config::PolicyName::Threshold)
                return "threshold " +
                       policy::format_percent(settings.threshold.threshold_permyriad);
        return settings.is_observing ? "fair (observing)" : "fair";
}

std::optional<std::string> why_nothing_is_governed(const config::Settings& settings,
                                                   const policy::CpuMask& apart,
                                                   const policy::Sample& sample) {
        if (!policy::restrict_to(settings.pool.without(apart), sample).cpus.empty())
                return std::nullopt;
        const auto& [cpus, reserve] = settings.pool;
        const bool are_apart = !policy::restrict_to(settings.pool, sample).cpus.empty();
        std::string why = "cpus = " + (cpus ? policy::format_cpu_list(*cpus) : "all");
        if (!reserve.empty())
                why += ", reserve = " + policy::format_cpu_list(reserve);
        if (are_apart)
                why += ": the kernel keeps apart all that are online (" + std::string(kWaysApart) +
                       ")";
        else
                why += reserve.empty() ? ": none of them is online"
                                       : ": none that is left is online";
        return why + ", so every program is advised 1 thread";
}

std::vector<std::string> notes_of_absent_cpus(const config::Settings& settings,
                                              const policy::CpuMask& apart,
                                              const policy::Sample& sample) {
        const auto online = policy::cpus_of(sample).to_set();
        const auto& [cpus, reserve] = settings.pool;
        std::vector<std::string> notes;
        for (const auto& [key, named] :
             {std::pair{"cpus", cpus.value_or(policy::CpuSet{})}, std::pair{"reserve", reserve}}) {
                policy::CpuSet absent;
                std::ranges::set_difference(named, online, std::back_inserter(absent));
                if (absent.empty())
                        continue;
                const bool is_one = absent.size() == 1;
                notes.push_back(
                        fmt::format("{} = {}: {} {} not online here, and without effect until {}",
                                    key, policy::format_cpu_list(named), is_one ? "CPU" : "CPUs",
                                    policy::format_cpu_list(absent) + (is_one ? " is" : " are"),
                                    is_one ? "it is" : "they are"));
        }
        const auto left_out =
                (policy::cpus_of(policy::restrict_to(settings.pool, sample)) & apart).to_set();
        if (!left_out.empty())
                notes.push_back(fmt::format(
                        "the kernel keeps CPU{} {} apart ({}), and {} not given out",
                        left_out.size() == 1 ? "" : "s", policy::format_cpu_list(left_out),
                        kWaysApart, left_out.size() == 1 ? "it is" : "they are"));
        return notes;
}

Server::Server(EventLoop& loop, const std::string& root, std::size_t most)
        : started_(EventLoop::now()),
          governor_(
                  loop, root, [this] { return sampling_.tick(); },
                  [this](const Peer& peer) { return connections_.admit_lease(peer.connection); },
                  [this](int connection, const std::string& reply) {
                          connections_.tell(connection, reply);
                  }),
          sampling_(loop, root, settings_.period,
                    [this] {
                            governor_.sampled(sampling_.sampler().sample(), sampling_.topology());
                    }),
          connections_(
                  loop, most,
                  [this](std::string_view message, const Peer& peer) {
                          return handle(message, peer);
                  },
                  [this](const Peer& peer) { (void)governor_.leave(peer); }),
          acceptor_(loop, [this](Arrival arrival) {
                  connections_.add(std::move(arrival.fd), policy::Account{arrival.uid},
                                   arrival.pid);
          }) {}

void Server::open(Listener listener) {
        log(Level::Info, Event::Listening, "listening on " + listener.name(),
            {{"GOVERNORD_SOCKET", listener.name()}});
        acceptor_.open(std::move(listener));
}

tl::expected<void, std::string> Server::apply(config::Settings settings) {
        if (settings.tcp != settings_.tcp)
                if (auto followed = follow_tcp(settings.tcp); !followed)
                        return followed;
        settings_ = std::move(settings);
        configuration_error_.clear();
        governor_.configure(settings_, sampling_.sampler().sample(), sampling_.topology());
        sampling_.set_period(settings_.period);
        const auto& sample = sampling_.sampler().sample();
        const auto& apart = governor_.apart();
        if (const auto why = why_nothing_is_governed(settings_, apart, sample))
                log(Level::Warning, Event::NothingGoverned, *why);
        else
                for (const auto& note : notes_of_absent_cpus(settings_, apart, sample))
                        log(Level::Info, Event::CpusAbsent, note);
        warn_if_executables_are_hidden();
        return {};
}

/// Clients of the old port stay.
tl::expected<void, std::string>
Server::follow_tcp(const std::optional<config::TcpAddress>& address) {
        if (!address) {
                acceptor_.close(std::exchange(tcp_name_, {}));
                return {};
        }
        // Another host at the same port may need the port that is ours.
        const bool same_port = settings_.tcp && settings_.tcp->port == address->port;
        if (same_port)
                acceptor_.close(tcp_name_);
        auto listener = listen_tcp(*address);
        auto result = listener ? tl::expected<void, std::string>()
                               : tl::unexpected(std::move(listener.error()));
        if (!listener && same_port)
                listener = listen_tcp(*settings_.tcp);
        if (!listener)
                return result;
        if (!same_port)
                acceptor_.close(tcp_name_);
        tcp_name_ = listener->name();
        open(std::move(*listener));
        return result;
}

/// The kernel tells everybody whom a process belongs to, but what it runs only to users that may
/// look into it.
void Server::warn_if_executables_are_hidden() const {
        if (probe::sees_others_executables())
                return;
        const auto self = static_cast<std::uint32_t>(::geteuid());
        std::string names;
        for (const auto& rule : settings_.programs)
                if (rule.executable && rule.uid != self)
                        names += (names.empty() ? "[program " : ", [program ") + rule.name + "]";
        if (!names.empty())
                log(Level::Warning, Event::ExecutablesHidden,
                    names + ": executable = applies to programs of user " + std::to_string(self) +
                            " only: without CAP_SYS_PTRACE the governor cannot see what those of "
                            "other users run; ask for user = and label = there");
}

std::string Server::summary() const {
        const auto sample = policy::restrict_to(governor_.pool(), sampling_.sampler().sample());
        const auto free = sample.warming_up
                                  ? "warming up"
                                  : fmt::format("{} of {} cpus free",
                                                policy::count_free(settings_.threshold, sample),
                                                sample.cpus.size());
        auto line = fmt::format("{}, {} connections, {}", free, connections_.size(),
                                policy_in_force(settings_));
        if (settings_.policy == config::PolicyName::Fair) {
                const auto& programs = governor_.programs();
                const auto cpus = held_cpus(programs).count();
                if (governor_.cycle().is_paused())
                        line += " (paused)";
                line += fmt::format(", {} program{} on {} cpu{}", programs.size(),
                                    programs.size() == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
        }
        return line;
}

std::optional<Answer> Server::handle(std::string_view message, const Peer& peer) {
        v1::Request request;
        if (!request.ParseFromArray(message.data(), static_cast<int>(message.size())))
                return std::nullopt;
        queries_ += request.has_query() ? 1 : 0;
        if (request.protocol() == kProtocol && peer.account.uid) {
                const auto decided_for = governor_.decided_for();
                if (auto about_leases = answer_about_leases(request, peer, governor_)) {
                        about_leases->free_of_charge = governor_.decided_for() - decided_for;
                        connections_.set_aside(governor_.descriptors());
                        return about_leases;
                }
        }
        auto seen = view();
        if (request.has_query() && peer.account.uid) {
                seen.tree_share = governor_.share_of_tree(peer);
                if (!seen.tree_share)
                        seen.fair_share = governor_.fair_share(peer);
                seen.adapts =
                        governor_.lets_teams_follow(peer, known_label(request.query().label()));
        }
        const auto reply = answer(request, seen, peer.account.uid ? Reach::Local : Reach::Network);
        if (seen.fair_share && reply.has_advice())
                governor_.promise(peer, seen.fair_share->account, reply.advice().threads());
        return reply.SerializeAsString();
}

View Server::view() const {
        const auto& sampler = sampling_.sampler();
        return {settings_,
                governor_.pool(),
                sampler.sample(),
                sampling_.topology(),
                governor_.programs(),
                Counters{static_cast<std::uint32_t>(connections_.size()), queries_,
                         connections_.misbehaved(), connections_.refused(), sampler.accepted(),
                         sampler.discarded(), governor_.cycle().arbiter().last().foreign,
                         governor_.cycle().decisions()},
                since_start(started_),
                sampling_.warm_in(),
                governor_.cycle().is_paused(),
                configuration_error_,
                {},
                {},
                false};
}

}  // namespace governor::server
