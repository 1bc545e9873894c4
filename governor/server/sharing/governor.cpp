// SPDX-License-Identifier: MIT
// One event after the other.
#include "server/sharing/governor.hpp"

#include "probe/cpu_sets.hpp"
#include "probe/file_reader.hpp"
#include "probe/proc_stat.hpp"
#include "probe/program.hpp"
#include "server/journal/log.hpp"
#include "server/kernel/undo.hpp"

#include <algorithm>
#include <cerrno>
#include <governor/v1/governor.pb.h>
#include <limits>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace governor::server {

namespace {

constexpr std::chrono::milliseconds kHeartbeat{500};
constexpr std::chrono::seconds kLookApart{5};  // a host with many mounts takes milliseconds
constexpr int kMostAncestors = 64;

/// Below another root those that are online there, now.
std::uint32_t cpus_in_sets(const std::string& root) {
        auto configured = ::sysconf(_SC_NPROCESSORS_CONF);
        probe::FileReader files;
        std::string_view text;
        if (!root.empty() && files.read(root + "/proc/stat", text) == 0)
                if (const auto reading = probe::parse_proc_stat(text))
                        configured = static_cast<long>(reading->cpus.back().cpu) + 1;
        return static_cast<std::uint32_t>(
                std::clamp(configured, 64L, static_cast<long>(policy::kCpuNumberLimit)));
}

/// A slot for every lease that there may be.
Arenas::Limits slots_for(const registry::LeaseLimits& leases) {
        Arenas::Limits limits;
        limits.total = static_cast<std::uint32_t>(leases.leases);
        limits.per_account = static_cast<std::uint32_t>(leases.per_account);
        return limits;
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

Shortage::Of shortage(Governor::Refusal why) {
        switch (why) {
        case Governor::Refusal::TooManyOfAccount:
                return Shortage::Of::Account;
        case Governor::Refusal::TooMany:
                return Shortage::Of::All;
        case Governor::Refusal::NoRoom:
                return Shortage::Of::Descriptors;
        default:
                return Shortage::Of::System;
        }
}

std::uint32_t uid_of(const Peer& peer) { return peer.account.uid.value_or(0); }

registry::Promises::Asker asker_of(const Peer& peer) {
        return {peer.pid, peer.pid == 0 ? peer.arrived : std::chrono::nanoseconds{0}};
}

Governor::Refusal refusal(registry::Refusal why) {
        return why == registry::Refusal::TooMany ? Governor::Refusal::TooMany
                                                 : Governor::Refusal::TooManyOfAccount;
}

Governor::IsAccepted of_account(const policy::Account& account) {
        return [&account](const registry::Program& program) {
                return program.identity().account == account;
        };
}

}  // namespace

policy::CpuMask kept_apart(const config::Settings& settings, const probe::CpuSets& sets) {
        return settings.policy == config::PolicyName::Fair ? sets.apart() : policy::CpuMask{};
}

Governor::Governor(EventLoop& loop, const std::string& root, Ticker ticker, Admission admission,
                   Teller teller)
        : loop_(loop), root_(root), ticker_(std::move(ticker)), admission_(std::move(admission)),
          teller_(std::move(teller)), meter_(root),
          arenas_(slots_for(registry::LeaseLimits{}), cpus_in_sets(root)),
          leases_(loop, [this](const Lease& lease) { ended(lease); }),
          facts_(leases_, meter_, root), reports_(leases_), cycle_(facts_, reports_, loop.now()),
          timer_(loop.on_time(
                  TimePoint::max(), [this] { wake(); }, EventLoop::kExact)),
          tick_timer_(loop.on_time(TimePoint::max(), [this] { tick(); })),
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
                cycle_.forget_pause();
        }
        online_ = policy::cpus_of(sample);
        find_pool();
        cycle_.configured(
                {settings_.fair, settings_.programs, settings_.is_observing, settings_.period},
                machine_of(online_, topology), now());
        carry_out();
}

void Governor::release_all() { leases_.end_all(); }

void Governor::find_pool() {
        looked_apart_ = now();
        cpu_sets_ = probe::read_cpu_sets(root_).or_as(cpu_sets_);
        apart_ = kept_apart(settings_, cpu_sets_);
        pool_ = settings_.pool.without(apart_);
}

/// Isolated partitions are made and removed while the machine runs.
bool Governor::find_pool_again() {
        const auto before = apart_;
        find_pool();
        if (apart_ == before)
                return false;
        const auto text = [](const policy::CpuMask& cpus) {
                return cpus.empty() ? "none" : policy::format_cpu_list(cpus.to_set());
        };
        log(Level::Info, Event::CpusChanged,
            "CPUs that the kernel keeps apart changed: " + text(before) + " -> " + text(apart_));
        return true;
}

policy::Machine Governor::machine_of(const policy::CpuMask& online,
                                     const probe::Topology& topology) const {
        policy::CpuMask distributed;
        online.for_each([&](std::uint32_t cpu) {
                if (pool_.contains(cpu))
                        distributed.add(cpu);
        });
        return {topology, distributed};
}

void Governor::sampled(const policy::Sample& sample, const probe::Topology& topology) {
        auto online = policy::cpus_of(sample);
        const bool has_other_cpus = online != online_;
        const bool is_due = has_other_cpus || now() - looked_apart_ >= kLookApart;
        const bool has_other_pool = is_due && find_pool_again();
        if (has_other_cpus || has_other_pool) {
                online_ = std::move(online);
                cycle_.plugged(machine_of(online_, topology));
        }
        cycle_.sampled(sample, now());
        find_members();
        carry_out();
}

tl::expected<Governor::Joined, Governor::Refusal> Governor::join(const Peer& peer,
                                                                 const Wish& wish) {
        if (!gives_leases())
                return tl::unexpected(Refusal::NotGoverning);
        if (admission_ && !admission_(peer))
                return refuse(named(peer, wish), Refusal::NoRoom);
        auto process = open_process(peer);
        if (!process && process.error().value() == ESRCH)
                return tl::unexpected(Refusal::NotKnown);
        if (!process)
                return refuse(named(peer, wish), Refusal::System);
        auto* lease = leases_.of_process(process->pid);
        if (lease != nullptr && lease->uid != uid_of(peer)) {
                // Its process runs as somebody else by now, as after the exec of a set-user-ID
                // program. A peer with an older connection is the user that it was before.
                if (peer.arrived < lease->arrived)
                        return tl::unexpected(Refusal::NotKnown);
                leases_.end(lease->id);
                lease = nullptr;
        }
        if (lease == nullptr)
                return admit(peer, std::move(*process), wish);
        leases_.share(*lease, peer.connection);
        if (wish.request.can_wait)
                leases_.let_wait(peer.connection);
        widen(*lease, wish);
        return Joined{lease->place, false};
}

/// Another handle of its process asks for more, or knows of more CPUs.
void Governor::widen(Lease& lease, const Wish& wish) {
        cycle_.widened(lease.id, wish.request, now());
        if (auto widened = lease.affinity | wish.affinity; widened != lease.affinity) {
                lease.affinity = std::move(widened);
                cycle_.moved(lease.id, now());
        }
        carry_out();
}

/// All of it or nothing: what was taken is given back where a later step fails.
tl::expected<Governor::Joined, Governor::Refusal> Governor::admit(const Peer& peer, Process process,
                                                                  const Wish& wish) {
        const auto at = now();
        const auto where = meter_.where(peer.pid, wish.affinity, at);
        if (!where)
                return tl::unexpected(Refusal::NotKnown);
        const auto identity = identify(peer, *where, wish);
        const ArenaUser user{identity.account, identity.uid};
        const auto place = arenas_.take(user, at);
        if (!place)
                return refuse(identity, refusal(place.error()));
        Undo give_back([&] { arenas_.give_back(user, *place, at); });
        const auto joined =
                cycle_.joined(identity, wish.request, where->confinement, wish.holds, at);
        if (joined.refusal) {
                carry_out();
                return refuse(identity, refusal(*joined.refusal));
        }
        Undo leave([&] {
                cycle_.left(joined.id, at);
                carry_out();
        });
        try {
                leases_.add({joined.id, identity.account, peer.pid, identity.uid, peer.arrived,
                             *place, 0, wish.affinity},
                            std::move(process), peer.connection);
        } catch (const std::system_error&) {
                return refuse(identity, Refusal::System);
        }
        give_back.keep();
        leave.keep();
        if (wish.request.can_wait)
                leases_.let_wait(peer.connection);
        wake();
        return Joined{*place, true};
}

tl::unexpected<Governor::Refusal> Governor::refuse(const registry::Identity& identity,
                                                   Refusal why) {
        journal_.refused(
                identity,
                [&] {
                        Shortage what{shortage(why), 0, programs().size()};
                        programs().for_each([&](const registry::Program& program) {
                                what.held += program.identity().account == identity.account;
                        });
                        return what;
                },
                now());
        return tl::unexpected(why);
}

registry::Identity Governor::named(const Peer& peer, const Wish& wish) const {
        registry::Identity identity;
        identity.pid = peer.pid;
        identity.uid = uid_of(peer);
        identity.account = peer.account;
        identity.label = wish.label.empty() ? probe::read_program_name(root_, peer.pid)
                                            : std::string(wish.label);
        return identity;
}

registry::Identity Governor::identify(const Peer& peer, const ProcessMeter::Where& where,
                                      const Wish& wish) {
        auto identity = named(peer, wish);
        identity.account = account_of(uid_of(peer), where.owner);
        identity.job = wish.job;
        const auto group = ::getpgid(static_cast<pid_t>(peer.pid));
        identity.process_group = group > 0 ? static_cast<std::uint32_t>(group) : 0;
        if (cycle_.needs_executables())
                identity.executable = probe::read_executable(root_, peer.pid);
        identity.cpu_time = meter_.cpu_time(peer.pid, where);
        identity.wants_tree = wish.tree;
        identity.tree = tree_of(peer.pid, of_account(identity.account));
        return identity;
}

ProgramId Governor::tree_of(std::uint32_t pid, const IsAccepted& accepts) {
        if (!programs().have_trees())
                return {};
        return nearest_tree(pid, std::numeric_limits<std::uint64_t>::max(), accepts,
                            [this](std::uint32_t number) { return meter_.first_thread(number); });
}

/// Finds programs that said hello before the holder of their tree, as after a restart of the
/// governor.
void Governor::find_members() {
        if (!programs().have_trees())
                return;
        leases_.for_each([this](const Lease& lease) {
                const auto self = meter_.at_scan(lease.pid);
                if (!self)
                        return;
                const auto tree = nearest_tree(
                        self->ppid, self->started_ticks, of_account(lease.account),
                        [this](std::uint32_t number) { return meter_.at_scan(number); });
                if (tree != ProgramId{})
                        cycle_.belongs(lease.id, tree, now());
        });
}

/// A parent that began after its child is another process, which has the number by now.
template <class Look>
ProgramId Governor::nearest_tree(std::uint32_t pid, std::uint64_t started,
                                 const IsAccepted& accepts, Look look) {
        for (int i = 0; i <= kMostAncestors && pid > 0; i++) {
                if (const auto* lease = leases_.of_process(pid); lease != nullptr) {
                        const auto* program = programs().find(lease->id);
                        if (program->tree() != ProgramId{} && accepts(*program))
                                return program->tree();
                }
                const auto process = look(pid);
                if (!process || process->started_ticks > started)
                        return {};
                started = process->started_ticks;
                pid = process->ppid;
        }
        return {};
}

const registry::Program* Governor::holder_above(std::uint32_t pid, const IsAccepted& accepts) {
        return programs().find(tree_of(pid, accepts));
}

std::optional<std::uint32_t> Governor::share_of_tree(const Peer& peer) {
        const auto& arbiter = cycle_.arbiter();
        if (!is_governing() || peer.pid == 0)
                return std::nullopt;
        const auto tree = tree_of(peer.pid, of_account(peer.account));
        return tree != ProgramId{} ? std::optional(arbiter.share_of_tree(tree, now()))
                                   : std::nullopt;
}

/// A process that has ended may have left its connection to another one, and its number to a
/// process of another user.
std::optional<registry::FairShare> Governor::fair_share(const Peer& peer) {
        if (!is_governing())
                return std::nullopt;
        const auto process = open_process(peer);
        if (process && leases_.of_process(peer.pid) != nullptr)
                return std::nullopt;
        const auto owner = process ? meter_.owner(peer.pid, now()) : std::nullopt;
        const auto account = account_of(uid_of(peer), owner);
        const auto promised = promises_.beside(account, asker_of(peer), now());
        const auto& room = cycle_.arbiter().room(account, now());
        return registry::FairShare{account, room.share_beside(promised), room.parts.size(),
                                   promised.size()};
}

bool Governor::lets_teams_follow(const Peer& peer, std::string_view label) const {
        if (label.empty() || !gives_leases())
                return false;
        const auto executable = cycle_.needs_executables() ? probe::read_executable(root_, peer.pid)
                                                           : std::string();
        return policy::fair::lets_teams_follow(
                policy::fair::combine(settings_.programs, {uid_of(peer), label, executable}));
}

void Governor::promise(const Peer& peer, const policy::Account& account, std::uint32_t threads) {
        promises_.add(account, asker_of(peer), threads, now());
}

bool Governor::set_acts(const Peer& peer, std::string acts) {
        const auto* lease = leases_.of_connection(peer.connection);
        if (lease == nullptr)
                return false;
        cycle_.acts(lease->id, std::move(acts));
        return true;
}

bool Governor::set_yields(const Peer& peer, bool yields) {
        const auto* lease = leases_.of_connection(peer.connection);
        if (lease == nullptr)
                return false;
        cycle_.yields(lease->id, yields, now());
        carry_out();
        return true;
}

bool Governor::set_keeps(const Peer& peer, bool sleeps) {
        const auto* lease = leases_.of_connection(peer.connection);
        if (lease == nullptr)
                return false;
        cycle_.keeps(lease->id, sleeps, now());
        carry_out();
        return true;
}

bool Governor::request(const Peer& peer, const registry::Request& request) {
        const auto* lease = leases_.of_connection(peer.connection);
        if (lease == nullptr)
                return false;
        cycle_.requested(lease->id, request, now());
        carry_out();
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
        cycle_.left(lease.id, at);
        carry_out();
        arenas_.give_back({lease.account, lease.uid}, lease.place, at);
}

registry::Orders::Outcome Governor::order(ProgramId id, const registry::Order& order,
                                          registry::Authority by, std::uint32_t uid) {
        const auto outcome = cycle_.ordered(id, order, by, uid, now());
        carry_out();
        return outcome;
}

bool Governor::pause(bool paused, std::uint32_t uid) {
        if (!gives_leases())
                return false;
        cycle_.paused(paused, uid, now());
        carry_out();
        return true;
}

void Governor::wake() {
        const auto decisions = cycle_.decisions();
        const auto started = EventLoop::cpu_time();
        cycle_.woke(now());
        carry_out();
        if (cycle_.decisions() == decisions)
                return;
        const auto took = EventLoop::cpu_time() - started;
        cycle_.decision_took(took);
        decided_for_ += took;
}

void Governor::tick() {
        const auto started = EventLoop::cpu_time();
        if (const auto* sample = ticker_ ? ticker_() : nullptr)
                cycle_.ticked(*sample, now());
        else
                cycle_.not_ticked(now());
        cycle_.tick_took(EventLoop::cpu_time() - started);
        carry_out();
}

void Governor::carry_out() {
        const auto effects = cycle_.take_effects();
        for (const auto& word : effects.publish)
                publish(word);
        if (effects.has_news)
                journal_.follow(cycle_.history(), now());
        timer_.set_time(effects.wake_at);
        tick_timer_.set_time(gives_leases() ? effects.tick_at : registry::Schedule::kNever);
}

void Governor::publish(const registry::Effects::Word& word) {
        auto* lease = leases_.find(word.id);
        if (lease == nullptr)  // its admission failed
                return;
        auto grant = word.grant;
        if (word.is_unlimited)
                grant.threads = GOVERNOR_WORD_THREADS_MAX;  // what it would have anyway
        const auto epoch = lease->place.arena->publish(lease->place.slot, grant);
        if (word.epoch)
                lease->epoch_offset = epoch - static_cast<std::uint32_t>(*word.epoch);
        if (word.is_its_turn)
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
