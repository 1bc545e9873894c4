// SPDX-License-Identifier: MIT
// What evidence there is of a program, put together.
#include "registry/program.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace governor::registry {

namespace fair = policy::fair;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kMaxWeight = 10'000;
constexpr auto kNobody = std::numeric_limits<std::uint32_t>::max();  // no user's number

/// Turns a number of which 0 means "none" into an optional.
std::optional<std::uint32_t> known(std::uint32_t number) {
        return number > 0 ? std::optional(number) : std::nullopt;
}

std::uint32_t rounded_cpus(std::uint32_t millicpu) { return (millicpu + 500) / 1000; }

/// Any user can make groups, as deep and as many as they like; a group without a quota says
/// nothing.
Confinement with_quotas_only(Confinement where) {
        std::erase_if(where.groups, [](const auto& group) { return !group.quota; });
        return where;
}

/// Labels of two accounts have different ones. 0: the program has no label.
std::uint64_t hash_of(const Identity& identity) {
        if (identity.label.empty())
                return 0;
        const auto user = identity.account.uid.value_or(kNobody);
        return std::hash<std::string>{}(std::to_string(user) + "/" + identity.label);
}

/// A program that keeps its teams, and has no job, is alone: two in one process group do not wait
/// for each other as a rule, and would spin.
evidence::Gangs::Key gang_of(const Identity& identity, const Request& request, ProgramId id) {
        const bool has_job = !identity.job.empty();
        const bool has_group = has_job || (identity.process_group > 0 && !request.keeps);
        return {identity.account, identity.job, has_job || !has_group ? 0 : identity.process_group,
                has_group ? 0 : static_cast<std::uint64_t>(id), false};
}

/// Trees of one process group that wait for each other lend each other their turns, as they are
/// idle meanwhile. Ranks, which spin while they wait, have a job.
evidence::Gangs::Key gang_of_tree(const Program& holder) {
        const auto& identity = holder.identity();
        return {identity.account, identity.job, 0,
                identity.job.empty() ? static_cast<std::uint64_t>(holder.id()) : 0, true};
}

}  // namespace

fair::AccountId account_id(const Account& account) {
        return fair::AccountId{account.uid.value_or(kNobody)};
}

Event event_of(const Identity& identity, EventKind kind, TimePoint now) {
        Event event;
        event.at = now;
        event.kind = kind;
        event.account = identity.account;
        event.pid = identity.pid;
        event.uid = identity.uid;
        event.set_label(identity.label);
        return event;
}

Event Program::event(EventKind kind, TimePoint now) const {
        auto event = event_of(identity_, kind, now);
        event.id = id_;
        return event;
}

void Program::note(const Event& event) {
        recent_.add(event);
        around_.history.add(event);
}

Program::Program(ProgramId id, const Identity& identity, const Request& request,
                 const Confinement& where, const std::vector<fair::Rule>& rules,
                 Surroundings& around, TimePoint now)
        : around_(around), id_(id), joined_(now), identity_(identity),
          label_hash_(hash_of(identity)), request_(request), where_(with_quotas_only(where)),
          limits_(request.max, where.cpus), groups_(around.cgroups.enter(where_.groups)),
          gang_(around.gangs.enter(gang_of(identity, request, id), now)) {
        occupancy_.set_waits(keeps());
        follow(rules);
        if (identity.cpu_time) {
                burn_.begin(*identity.cpu_time, now);
                ticked_.begin(*identity.cpu_time, now);
                used_at_tick_ = *identity.cpu_time;
        }
        note(event(EventKind::Joined, now));
}

std::uint32_t Program::wished_max() const {
        return stricter(limits_.max(), orders_.highest(rule_));
}

std::uint32_t Program::max() const {
        return request_.start_only ? stricter(wished_max(), first_number_) : wished_max();
}

fair::Tree Program::as_tree() const {
        const auto most = known(wished_max());
        return {weight(), most ? std::clamp(request_.min, 1U, *most) : std::max(request_.min, 1U),
                most};
}

std::uint32_t Program::weight() const {
        return std::clamp(orders_.weight(rule_, request_.weight), 1U, kMaxWeight);
}

std::uint32_t Program::burning_millicpu() const {
        const auto rate = burn_.judged();
        return rate ? rate->millicpu : 0;
}

std::uint32_t Program::own_cpus() const {
        const auto* held = occupancy_.held();
        const bool runs = held != nullptr && held->is_own() && !held->grant.parked;
        return runs ? held->grant.threads : 0;
}

const policy::CpuMask& Program::can_run_on() const {
        // One that keeps its teams has a runtime that binds them to places of its own.
        return where_.bound && !keeps() && own_cpus() > 0 ? occupancy_.held()->grant.cpus
                                                          : where_.cpus;
}

bool Program::parked() const {
        const auto* held = occupancy_.held();
        return held != nullptr && held->grant.parked;
}

void Program::follow(const std::vector<fair::Rule>& rules) {
        rule_ = fair::combine(rules, {identity_.uid, identity_.label, identity_.executable});
}

void Program::enter_gang(TimePoint now) {
        const auto before = std::exchange(
                gang_,
                around_.gangs.enter(
                        yields_with_ ? *yields_with_ : gang_of(identity_, request_, id_), now));
        around_.gangs.leave(before);
}

void Program::yield_with(const Program* holder, TimePoint now) {
        auto gang = holder != nullptr ? std::optional(gang_of_tree(*holder)) : std::nullopt;
        if (gang == yields_with_)
                return;
        yields_with_ = std::move(gang);
        tree_looks_.forget();
        lends_turn_ = false;
        enter_gang(now);
        occupancy_.set_yields(yields(), now);
}

bool Program::keep(bool sleeps, TimePoint now) {
        if (request_.keeps && request_.sleeps == sleeps)
                return false;
        request_.keeps = true;
        request_.sleeps = sleeps;
        enter_gang(now);
        occupancy_.set_waits(keeps());
        return true;
}

void Program::resume(const policy::CpuMask& cpus, TimePoint settled, TimePoint now) {
        fair::Grant grant;
        grant.id = id_;
        grant.cpus = cpus;
        grant.threads = std::max(cpus.count(), 1U);
        resumed_ = {grant.threads, settled};
        if (!cpus.empty())
                (void)occupancy_.grant(grant, now);
}

void Program::ask_for_limits(TimePoint now) {
        limits_.ask(stricter(request_.max, orders_.owners_max()), where_.cpus, now);
}

void Program::request(const Request& request, TimePoint now) {
        const auto before = std::exchange(request_, request);
        request_.start_only = before.start_only;
        request_.can_wait = before.can_wait;
        request_.yields = before.yields;
        request_.keeps = before.keeps;
        request_.sleeps = before.sleeps;
        ask_for_limits(now);
}

bool Program::widen(const Request& other, TimePoint now) {
        const bool is_more = request_.max != 0 && (other.max == 0 || other.max > request_.max);
        if (is_more) {
                request_.max = other.max;
                ask_for_limits(now);
        }
        const bool sleeps = request_.sleeps || other.sleeps;
        if (request_.keeps || other.keeps)
                return keep(sleeps, now) || is_more;
        return std::exchange(request_.sleeps, sleeps) != sleeps || is_more;
}

Orders::Outcome Program::order(const Order& order, Authority by, std::uint32_t uid, TimePoint now) {
        const auto outcome = orders_.take(order, by, uid, rule_);
        if (!outcome.changed)
                return outcome;
        ask_for_limits(now);
        auto ordered = event(EventKind::Ordered, now);
        ordered.order = order;
        ordered.by = uid;
        note(ordered);
        return outcome;
}

void Program::confine(const Confinement& where, TimePoint now) {
        auto next = with_quotas_only(where);
        auto entered = around_.cgroups.enter(next.groups);  // first: groups of both must not go
        around_.cgroups.leave(where_.groups);
        groups_ = std::move(entered);
        where_ = std::move(next);
        ask_for_limits(now);
}

bool Program::report(const evidence::Report& report, TimePoint now) {
        if (is_ignored())
                return false;
        const bool was_above = occupancy_.above_since().has_value();
        const bool had_team = team() > 0;
        note_progress(report, now);
        if (takes_turns())
                note_pace(report, now);
        const auto effect = occupancy_.report(report, where_.cpus.count(), now);
        if (effect.began)
                teams_.add(report.team, now);
        // One that was never seen in a region may be in one: its page is new after a restart.
        const bool tells = keeps() && occupancy_.has_begun();
        const bool tried = tells && try_crowd(report, now);
        if (report.in_region && parked())
                team_since_ = team_since_.value_or(now);
        else
                team_since_.reset();
        has_left_ = keeps() && parked() && had_team && team() == 0;
        const bool wants_to_run = effect.began || (keeps() && report.waits);
        const bool woke = wants_to_run && demand_.idle();
        if (wants_to_run)
                demand_.woke(now);
        const bool rested = tells && note_rest(report, wants_to_run, now);
        return effect.gave_back || woke || tried || rested ||
               (was_above && !occupancy_.above_since());
}

std::uint32_t Program::usual_team() const {
        return std::max(teams_.largest() > 0 ? teams_.largest() : where_.cpus.count(), 1U);
}

/// In a crowd, or in its round. Another reason for its grant than the crowd does not say how many
/// teams there are. In rounds as many of them run at once as fit, if the others are of its size.
bool Program::try_crowd(const evidence::Report& report, TimePoint now) {
        const auto* granted = held();
        if (!request_.sleeps || granted == nullptr ||
            granted->grant.crowded != (granted->grant.reason.limit == fair::Limit::Crowded)) {
                crowd_trial_.interrupted();
                return false;
        }
        std::optional<double> parts;
        if (granted->grant.crowded) {
                const auto at_once = where_.cpus.count() / usual_team();
                parts = std::max(1., (granted->grant.reason.bound + 1.) / std::max(at_once, 1U));
        }
        return crowd_trial_.report(report.ended, parts, now);
}

bool Program::note_rest(const evidence::Report& report, bool wants_to_run, TimePoint now) {
        const bool did_rest = kept_regions_.rests();
        kept_regions_.report(report, wants_to_run, now);
        const auto since = kept_regions_.outside_since();
        const bool is_idle_now = since && demand_.quiet(*since, now);
        return is_idle_now || kept_regions_.rests() != did_rest;
}

/// A program that says nothing about its progress is taken to have as many regions as others of its
/// label.
void Program::note_progress(const evidence::Report& report, TimePoint now) {
        const auto served = around_.gangs.served(gang_, now);
        ended_ = report.ended;
        const auto* known =
                takes_turns() ? around_.labels.find(identity_.account, identity_.label) : nullptr;
        if (report.progress_total > 0 || !takes_turns()) {
                progress_.report(report.progress_done, report.progress_total, served);
                if (takes_turns() && (known == nullptr || !known->says_progress))
                        around_.labels.learn(identity_.account, identity_.label).says_progress =
                                true;
                return;
        }
        // To go before others because it is short is of no use if it makes nothing of what it has.
        const bool is_known = known != nullptr && known->scaling != policy::fair::Scaling{};
        const auto length = is_known ? known->length() : std::nullopt;
        progress_.report(length ? std::min(ended_, *length) : 0, length.value_or(0), served);
}

/// A label is a kind as long as no run of it has said how far it was, and the last two were of one
/// length.
std::uint64_t Program::kind() const {
        const auto* known = around_.labels.find(identity_.account, identity_.label);
        const bool is_unlike =
                known != nullptr &&
                (known->says_progress || (known->regions.front() > 0 && !known->length()));
        return is_unlike ? 0 : label_hash_;
}

/// A region of an earlier grant says nothing about this one.
void Program::note_pace(const evidence::Report& report, TimePoint now) {
        const auto cpus = own_cpus();
        if (report.ended == 0 && !report.in_region) {
                speedup_.starts();
                return;
        }
        if (cpus == 0 || report.epoch != occupancy_.held()->epoch) {
                speedup_.interrupted();
                return;
        }
        if (const auto octaves = speedup_.report({cpus, report.ended, report.ended_ns}, now))
                around_.labels.learn(identity_.account, identity_.label)
                        .measured(speedup_.scaling(now), octaves->first, octaves->second, now);
}

/// Others of its label count by what one of them has shown since this program joined, or shortly
/// before: a wrong history is found out by then.
fair::Scaling Program::scaling(TimePoint now) const {
        auto scaling = speedup_.scaling(now);
        const auto* known = around_.labels.find(identity_.account, identity_.label);
        if (known != nullptr)
                scaling.complete(known->since(std::min(joined_, now - numbers::kHold)));
        return scaling;
}

std::optional<evidence::WidthProbe::Try> Program::probe_width(TimePoint now) const {
        using Guess = evidence::WidthProbe::Guess;
        const auto cpus = own_cpus();
        if (cpus < 2 && !width_probe_.is_trying())
                return std::nullopt;
        const auto* known = around_.labels.find(identity_.account, identity_.label);
        auto guess = Guess::None;
        const auto octave = policy::fair::octave_below(cpus);
        if (known != nullptr && known->scaling.elasticity(octave))
                guess = now - known->at[octave] < numbers::kMemory ? Guess::Fresh : Guess::Old;
        const auto turns = around_.gangs.served(gang_, now).turns;
        return width_probe_.next(speedup_, cpus, turns, guess, now);
}

/// Not for long after each change of its grant: it may be in a long region.
bool Program::shows_soon(TimePoint now) const {
        const auto cpus = own_cpus();
        return takes_turns() && ended_ > 0 && cpus > 0 && !speedup_.has_seen(cpus) &&
               now - occupancy_.held()->since < 2 * numbers::kWindow &&
               scaling(now) == fair::Scaling{};
}

bool Program::is_waited_for() const {
        return !is_ignored() && (keeps() || demand_.idle() || occupancy_.above_since() ||
                                 occupancy_.is_in_the_way());
}

void Program::add_reading(std::chrono::nanoseconds cpu_time, TimePoint now) {
        burn_.add(
                {cpu_time, occupancy_.allowed(now), occupancy_.knows_of(), yields() && was_parked_},
                where_.cpus.count(), now, around_.samples.previous().value_or(joined_));
}

void Program::ticked(std::optional<std::chrono::nanoseconds> cpu_time, TimePoint now) {
        around_.ticks.add(now);
        const auto last = around_.ticks.previous().value_or(joined_);
        const auto step = now - std::max(last, joined_);
        used_at_tick_ = cpu_time.value_or(used_at_tick_ + step * burning_millicpu() / 1000);
        ticked_.add({used_at_tick_, used_at_tick_, 1}, where_.cpus.count(), now, last);
}

void Program::measured(std::chrono::nanoseconds cpu_time, bool stopped, TimePoint now) {
        around_.samples.add(now);
        add_reading(cpu_time, now);
        const auto rate = burn_.judged();
        if (rate)
                occupancy_.burned(rounded_cpus(rate->millicpu), rounded_cpus(rate->excess_millicpu),
                                  rate->since, now);
        occupancy_.set_stopped(stopped, now);
        // The tree of a holder may be busy at any time, without a region. A program that has waited
        // for its turn since then wants what it wanted before.
        const bool was_parked = std::exchange(was_parked_, parked());
        if (stopped || (rate && !was_parked))
                usage_ = {.granted = rate ? rate->granted : occupancy_.knows_of(),
                          .burn_millicpu = rate ? rate->millicpu : 0,
                          .in_region = occupancy_.in_region() || (holds_tree() && !has_begun()),
                          .stopped = stopped,
                          .since = rate ? rate->since : now};
}

bool Program::may_be_light(TimePoint now) {
        const auto* granted = held();
        if (granted == nullptr)
                return false;
        if (granted->grant.parked) {
                low_use_.pause();
                return false;
        }
        const auto rate = burn_.judged();
        if (rate)
                low_use_.burned(rate->millicpu);
        const auto millicpu = rate ? rate->millicpu : 0;
        if (granted->grant.threads == 1 && millicpu <= evidence::LowUse::kHeavy_millicpu)
                return !low_use_.may_wait(millicpu, now);
        low_use_.pause();
        return false;
}

void Program::low_use(const std::optional<evidence::LowUse::Reading>& reading, TimePoint now) {
        if (reading)
                low_use_.add(*reading, now);
        else
                low_use_.unknown();
}

bool Program::may_fall_silent() const {
        const auto* granted = held();
        return granted != nullptr && granted->is_own() && !demand_.idle();
}

bool Program::fell_silent(std::chrono::nanoseconds cpu_time) {
        if (!may_fall_silent())
                return false;
        const bool was_silent = std::exchange(silent_, last_seen_at_ == cpu_time);
        last_seen_at_ = cpu_time;
        return silent_ && !was_silent;
}

bool Program::looked(const std::optional<evidence::TreeLook>& look, TimePoint now) {
        using Told = evidence::TreeLooks::Told;
        const auto told = tree_looks_.add(look, now);
        if (!look)
                lends_turn_ = false;
        if (told == Told::Nothing)
                return false;
        if (told == Told::Quiet) {
                const bool begins = demand_.quiet(tree_looks_.quiet_since(), now);
                lends_turn_ = demand_.idle();  // samples may have said so
                return begins;
        }
        if (!std::exchange(lends_turn_, false))
                return false;
        demand_.woke(now);
        low_use_.unknown();  // what it did until now says nothing any more
        return true;
}

void Program::stopped(TimePoint now) {
        occupancy_.set_stopped(true, now);
        demand_.stopped(now);
}

void Program::sampled(std::uint32_t idle_millicpu, TimePoint now) {
        if (!usage_)
                return;
        usage_->idle_millicpu = idle_millicpu;
        // Looks know better, as long as they come.
        if (lends_turn_ && tree_looks_.are_fresh(now)) {
                usage_.reset();
                return;
        }
        lends_turn_ = false;
        demand_.add(*usage_, now);
        usage_.reset();
}

/// A CPU that is not in the pool any more is nobody's: it is neither granted nor lingers.
fair::Client Program::client(const policy::CpuMask& pool) const {
        fair::Client client;
        client.id = id_;
        client.account = account_id(identity_.account);
        client.joined = joined_;
        client.weight = weight();
        client.max = known(max());
        const auto most = [&client](std::uint32_t wish) {
                return client.max ? std::clamp(wish, 1U, *client.max) : std::max(wish, 1U);
        };
        client.resumed = resumed_;
        client.min = most(request_.min);
        if (holds_tree()) {  // among its own it is like any other
                client.weight = fair::Client{}.weight;
                client.min = 1;
        }
        client.guaranteed = most(rule_.min.value_or(1));
        client.allowed = limits_.cpus();
        if (const auto* granted = occupancy_.held(); granted != nullptr && granted->is_governed()) {
                client.granted = granted->grant.cpus & pool;
                client.shared = granted->grant.shared;
                client.parked = granted->grant.parked;
        }
        client.sleeps = request_.sleeps && (keeps() || holds_tree());
        client.in_use = occupancy_.in_use() & pool;
        client.above_since = occupancy_.above_since();
        client.lingers_since = occupancy_.lingers_since();
        client.burning = occupancy_.burning();
        client.excess = occupancy_.excess();
        client.idle = demand_.idle();
        client.light = low_use_.light();
        client.wants = known(client.idle || client.light ? 1 : demand_.wants());
        if (keeps()) {
                client.team = most(usual_team());
                client.takes_turns = is_batch();
                client.rests = kept_regions_.rests();
                client.present_team = std::min(team(), *client.team);
                client.crowd_gain = crowd_trial_.result();
                client.team_since = team_since_;
                client.wants = client.idle ? 1 : *client.team;
        }
        return client;
}

void Program::add_turns(fair::Client& client, fair::Gang& gang, bool is_first,
                        TimePoint now) const {
        gang.account = client.account;
        const auto own_kind = kind();
        gang.kind = is_first || gang.kind == own_kind ? own_kind : 0;
        client.scaling = scaling(now);
        if (const auto probe = probe_width(now))
                client.probe_width = probe->cpus;
        const auto left = progress_.remaining(gang.served);
        gang.remaining = is_first || (left && gang.remaining) ? std::max(left, gang.remaining)
                                                              : std::nullopt;
        gang.round.region = std::max(gang.round.region, kept_regions_.length());
        gang.is_on_trial = gang.is_on_trial || progress_.is_on_trial(gang.served);
}

bool Program::apply(const fair::Grant& grant, TimePoint now) {
        const auto probe = takes_turns() ? probe_width(now) : std::nullopt;
        const auto* before = occupancy_.held();
        const auto threads = before != nullptr ? before->grant.threads : 0;
        const bool was_rigid =
                before != nullptr && before->grant.reason.limit == fair::Limit::Rigid;
        const bool waited = parked();
        const bool changed = occupancy_.grant(grant, now);
        was_parked_ = was_parked_ || grant.parked;
        if (!grant.parked)
                team_since_.reset();
        else if (team() > 0)
                team_since_ = team_since_.value_or(now);
        if (grant.parked)
                tree_looks_.forget();
        crowd_trial_.parked(grant.parked, now);
        if (waited && !grant.parked)
                turn_since_ = now;
        if (first_number_ == 0)
                first_number_ = grant.threads;
        if (grant.reason.limit == fair::Limit::Rigid && !was_rigid)
                note(event(EventKind::Rigid, now));
        if (changed) {
                auto granted = event(EventKind::Granted, now);
                granted.from = threads;
                granted.to = grant.threads;
                granted.reason = grant.reason;
                note(granted);
        }
        width_probe_.decided(probe, own_cpus(), speedup_, now);
        return changed;
}

/// The program is taken to have gone on as it was last seen to, else to have used all CPUs of its
/// own. A program that was parked when it was seen has had these since its turn came. One that has
/// been parked since then went on until that.
std::chrono::nanoseconds Program::presumably_used(TimePoint since, TimePoint now) const {
        const auto* granted = occupancy_.held();
        if (yields() && parked())
                return (now - since) * rounded_cpus(burning_millicpu());
        if (parked())
                return (std::max(since, granted->since) - since) * occupancy_.burning();
        if (burn_.judged() && !was_parked_)
                return (now - since) * occupancy_.burning();
        if (granted == nullptr || !granted->is_own())
                return std::chrono::nanoseconds{0};
        return (now - std::max(since, was_parked_ ? turn_since_ : since)) * occupancy_.knows_of();
}

evidence::Departed::Program Program::leave_ticks(std::optional<std::chrono::nanoseconds> cpu_time,
                                                 TimePoint now) {
        if (cpu_time)
                ticked_.add({*cpu_time, *cpu_time, 1}, where_.cpus.count(), now,
                            around_.ticks.previous().value_or(joined_));
        auto spans = ticked_.spans();
        const auto since = spans.empty() ? joined_ : spans.back().end;
        spans.push_back({since, now, presumably_used(since, now)});
        return {where_.cpus, where_.niced, std::move(spans)};
}

evidence::Departed::Program Program::leave(std::optional<std::chrono::nanoseconds> cpu_time,
                                           TimePoint now) {
        if (cpu_time)
                add_reading(*cpu_time, now);
        auto spans = burn_.spans();
        const auto since = spans.empty() ? joined_ : spans.back().end;
        spans.push_back({since, now, presumably_used(since, now)});
        if (takes_turns() && ended_ > 0) {
                auto& runs = around_.labels.learn(identity_.account, identity_.label).regions;
                runs = {runs.back(), ended_};
        }
        around_.history.add(event(EventKind::Left, now));
        around_.cgroups.leave(where_.groups);
        around_.gangs.leave(gang_);
        return {where_.cpus, where_.niced, std::move(spans)};
}

}  // namespace governor::registry
