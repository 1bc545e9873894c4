// SPDX-License-Identifier: MIT
// One sample or event after the other.
#include "registry/cycle.hpp"

#include "policy/numbers.hpp"
#include "policy/permyriad.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace governor::registry {

namespace fair = policy::fair;

namespace {

/// A part of the time between two samples: of one CPU, looks take no more than decisions do. The
/// heartbeat, which is due every half a second, waits for one.
std::chrono::nanoseconds time_for_look(std::chrono::nanoseconds period) {
        constexpr std::chrono::milliseconds kMost{50};
        return std::min<std::chrono::nanoseconds>(period / numbers::kLittle, kMost);
}

Mode mode_of(bool is_observing) { return is_observing ? Mode::Observe : Mode::Govern; }

/// The grant of a program that is held to nothing: as many threads as it likes, and no CPUs in
/// particular.
fair::Grant ungoverned() {
        fair::Grant grant;
        grant.reason.limit = fair::Limit::Ungoverned;
        return grant;
}

std::vector<ProgramId> all_of(const Programs& programs) {
        std::vector<ProgramId> all;
        all.reserve(programs.size());
        programs.for_each([&](const Program& program) { all.push_back(program.id()); });
        return all;
}

}  // namespace

Cycle::Cycle(ProcessFacts& facts, ReportSource& reports, TimePoint started,
             const LeaseLimits& limits, Arbiter::Decide decide)
        : facts_(facts), reports_(reports), started_(started), schedule_(started),
          arbiter_(fair::Settings{}, Mode::Govern, Programs(limits, {}), policy::Machine{},
                   std::move(decide)) {}

void Cycle::configured(const Settings& settings, policy::Machine machine, TimePoint now) {
        settings_ = settings;
        arbiter_.set_machine(std::move(machine));
        follow_settings(now);
}

void Cycle::paused(bool paused, std::uint32_t by, TimePoint now) {
        if (is_paused_ == paused)
                return;
        is_paused_ = paused;
        arbiter_.suspended(paused, by, now);
        follow_settings(now);
}

void Cycle::follow_settings(TimePoint now) {
        auto& programs = arbiter_.programs();
        const bool were_known = std::exchange(
                needs_executables_, std::ranges::any_of(settings_.rules, [](const auto& rule) {
                        return rule.executable.has_value();
                }));
        if (needs_executables_ && !were_known)
                programs.for_each([this](Program& program) {
                        program.runs(facts_.executable(program.id()));
                });
        arbiter_.configure(settings_.fair, mode_of(settings_.is_observing || is_paused_),
                           settings_.rules);
        // Another mode, or a rule to ignore it, is no other grant, but other words.
        programs.for_each([this](const Program& program) { tell(program.id()); });
        want_decision(now);
}

void Cycle::plugged(policy::Machine machine) {
        arbiter_.set_machine(std::move(machine));
        is_plugged_ = true;
}

void Cycle::sampled(const policy::Sample& sample, TimePoint now) {
        look_where_they_are(now);
        const bool has_looked = facts_.look(now, time_for_look(settings_.period));
        // The programs' state now tells what they used the time since the last sample for.
        take_all_reports(now);
        measure(now);
        if (has_looked) {
                const auto yielding = facts_.yielding_millicpu();
                arbiter_.sampled(sample, yielding, facts_.ungoverned(),
                                 yielding > 0 || facts_.have_descendants(), now);
        } else {
                arbiter_.sampled_without_look(sample, now);
        }
        schedule_.sampled(now);
        decide(now);
}

void Cycle::ticked(const policy::Sample& sample, TimePoint now) {
        arbiter_.programs().for_each([&](Program& program) {
                program.ticked(facts_.cpu_time_at_tick(program.id(), now), now);
        });
        // Without a lease nobody has looked at processes lately: what yields counts as foreign
        // load.
        const auto yielding = programs().size() > 0 ? facts_.yielding_millicpu() : 0;
        if (arbiter_.ticked(sample, yielding, now))
                want_decision(now);
        schedule_.ticked(now);
}

/// Such a part of the programs that each is looked at once in kMemory. All of them where CPUs came
/// or went: the kernel leaves what is offline out of a program's mask.
void Cycle::look_where_they_are(TimePoint now) {
        const auto all = programs().size();
        const auto part = std::exchange(is_plugged_, false)
                                  ? all
                                  : all * settings_.period / numbers::kMemory + 1;
        for (std::size_t i = 0; i < std::min(part, all); i++) {
                const auto* next = programs().next(looked_at_);
                if (next == nullptr)
                        next = programs().next(ProgramId{});
                looked_at_ = next->id();
                if (const auto where = facts_.where(looked_at_, now))
                        arbiter_.programs().find(looked_at_)->confine(*where, now);
        }
}

void Cycle::measure(TimePoint now) {
        arbiter_.programs().for_each([&](Program& program) {
                const auto measured = facts_.measured(program.id());
                if (!measured)
                        return;
                program.measured(measured->cpu_time, measured->is_stopped, now);
                if (program.may_be_light(now))
                        program.low_use(facts_.low_use(program.id(), measured->cpu_time), now);
        });
}

/// Before a decision.
void Cycle::take_all_reports(TimePoint now) {
        const auto reports = reports_.reports(all_of(programs()));
        auto report = reports.begin();
        arbiter_.programs().for_each([&](Program& program) {
                if (*report)
                        (void)program.report(**report, now);
                ++report;
        });
}

void Cycle::find_waited_for() {
        std::ranges::sort(changed_);
        waited_.emplace();
        programs().for_each([this](const Program& program) {
                if (program.is_waited_for() || std::ranges::binary_search(changed_, program.id()))
                        waited_->push_back({program.id()});
        });
}

/// Between decisions: reports of programs that may change a decision, or that were just told
/// another grant, as far as they differ from the last ones.
bool Cycle::take_reports_waited_for(TimePoint now) {
        if (!waited_)
                find_waited_for();
        std::vector<ProgramId> ids;
        ids.reserve(waited_->size());
        for (const auto& waited : *waited_)
                ids.push_back(waited.id);
        auto reports = reports_.reports(ids);
        bool matters = false;
        for (std::size_t i = 0; i < ids.size(); i++) {
                auto& last = (*waited_)[i].last;
                if (!reports[i] || last == reports[i])
                        continue;
                last = reports[i];
                auto& program = *arbiter_.programs().find(ids[i]);
                matters = program.report(*reports[i], now) || matters ||
                          (program.has_left() && schedule_.makes_somebody_wait());
        }
        return matters;
}

/// True: a program was stopped since the last look. About 0.5 us for each program with CPUs of its
/// own that it does not lend.
bool Cycle::find_stopped(TimePoint now) {
        std::vector<Program*> stopped;
        arbiter_.programs().for_each([&](Program& program) {
                if (!program.may_fall_silent())
                        return;
                const auto used = facts_.cpu_time(program.id());
                if (used && program.fell_silent(*used) && facts_.is_stopped(program.id()))
                        stopped.push_back(&program);
        });
        // A region that began before it was stopped does not wake it.
        if (!stopped.empty())
                take_all_reports(now);
        for (auto* program : stopped)
                program->stopped(now);
        return !stopped.empty();
}

/// Looks at trees that yield and in which no other program holds a lease. True: one began to do
/// nothing in its turn, or to work again after it had lent its turn. Looks at kMost of them at
/// most, about 0.3 ms each.
bool Cycle::look_at(Trees which, TimePoint now) {
        constexpr std::size_t kMost = 4;
        if (!programs().have_trees())
                return false;
        std::vector<Program*> due;
        arbiter_.programs().for_each([&](Program& program) {
                if (program.lends_turn() == (which == Trees::Lending) && program.may_lend_turn() &&
                    program.is_look_due(now))
                        due.push_back(&program);
        });
        if (due.empty())
                return false;
        std::map<ProgramId, std::size_t> members;
        programs().for_each([&](const Program& program) { members[program.tree()]++; });
        std::erase_if(due, [&](const Program* program) { return members[program->id()] > 1; });
        // Each has its time where there are more: those behind the last one come first.
        auto& last = which == Trees::Lending ? last_lender_ : last_with_turn_;
        const auto next = std::ranges::find_if(
                due, [&](const Program* program) { return program->id() > last; });
        std::rotate(due.begin(), next, due.end());
        due.resize(std::min(due.size(), kMost));
        bool matters = false;
        for (auto* program : due) {
                last = program->id();
                matters = program->looked(facts_.look_at_tree(last), now) || matters;
        }
        return matters;
}

/// A decision goes by what programs do at this moment.
void Cycle::woke(TimePoint now) {
        if (schedule_.is_poll_due(now)) {
                const bool began = take_reports_waited_for(now);
                schedule_.polled(look_at(Trees::Lending, now) || began, now);
        }
        if (schedule_.is_watch_due(now)) {
                const bool stopped = find_stopped(now);
                schedule_.watched(look_at(Trees::WithTurn, now) || stopped, now);
        }
        if (schedule_.is_decision_due(now)) {
                take_all_reports(now);
                decide(now);
        }
}

/// Right after take_all_reports().
void Cycle::decide(TimePoint now) {
        changed_ = arbiter_.decide(now);
        waited_.reset();
        for (const auto id : changed_)
                tell(id);
        tell_returned();
        decisions_++;
        schedule_.decided(arbiter_.last(), now);
        bool shows_soon = false;
        std::size_t with_turns = 0;
        programs().for_each([&](const Program& program) {
                with_turns += program.takes_turns() ? 1 : 0;
                shows_soon = shows_soon || program.shows_soon(now);
        });
        if (shows_soon && with_turns > 1)
                schedule_.decide_again(now + numbers::kTick / 2);
}

void Cycle::tell(ProgramId id) {
        const auto* program = programs().find(id);
        if (program == nullptr)
                return;
        const auto* held = program->held();
        if (held == nullptr && !program->is_ignored())
                return;
        Effects::Word word;
        word.id = id;
        word.grant = held != nullptr ? held->grant : ungoverned();
        word.grant.threads = program->told(word.grant);
        word.is_unlimited = held == nullptr || arbiter_.mode() == Mode::Observe;
        word.grant.parked = word.grant.parked && !word.is_unlimited;
        if (held != nullptr)
                word.epoch = held->epoch;
        if (word.grant.parked)
                parked_.insert(id);
        else
                word.is_its_turn = parked_.erase(id) > 0;
        publish_.push_back(std::move(word));
}

/// A program that resumed its earlier grant has no reason yet, and the decision may be just that
/// grant. Nothing changes then, but the program is told the reason: that it waits until all are
/// back, and when that is over.
void Cycle::tell_returned() {
        std::erase_if(returned_, [this](Returned& returned) {
                const auto* program = programs().find(returned.id);
                const auto* held = program != nullptr ? program->held() : nullptr;
                const bool is_over =
                        held == nullptr || held->grant.reason.limit != fair::Limit::Returning;
                if (is_over || !std::exchange(returned.is_told, true))
                        tell(returned.id);
                return is_over;
        });
}

Programs::Joined Cycle::joined(const Identity& identity, const Request& request,
                               const Confinement& where, const policy::CpuMask& held,
                               TimePoint now) {
        auto& programs = arbiter_.programs();
        const auto joined = programs.join(identity, request, where, now);
        if (joined.refusal)
                return joined;
        if (!held.empty() && now - started_ < numbers::kReturn) {
                // Else programs that come and go could keep everybody from knowing foreign load.
                constexpr auto kBlind = numbers::kSettling + numbers::kWindow;
                const auto settled =
                        std::max(started_ + numbers::kSettling, now + numbers::kWindow);
                programs.resume(joined.id, held, {settled, std::min(settled, started_ + kBlind)},
                                now);
                returned_.push_back({joined.id});
        }
        if (programs.size() == 1)
                arbiter_.catch_sight(facts_.running());
        if (programs.find(joined.id)->holds_tree())
                arbiter_.begins_unseen();
        // Tells the program what it has resumed, as the decision may be just that, and no change.
        // Or tells that it is ignored.
        tell(joined.id);
        want_decision(now);
        return joined;
}

void Cycle::want_decision(TimePoint now) {
        arbiter_.forget_shares();
        schedule_.want_decision(now);
}

/// The program's last report is read first: its length tells something about others of its label.
void Cycle::left(ProgramId id, TimePoint now) {
        if (auto* program = arbiter_.programs().find(id))
                if (const auto last = reports_.reports(std::array{id}).front())
                        (void)program->report(*last, now);
        arbiter_.programs().leave(id, facts_.cpu_time(id), now);
        parked_.erase(id);
        if (waited_)
                std::erase_if(*waited_, [id](const Waited& waited) { return waited.id == id; });
        std::erase_if(publish_, [id](const Effects::Word& word) { return word.id == id; });
        want_decision(now);
}

/// One that has to start is told a number that its grant does not tell, and the grant may stay.
void Cycle::wishes_changed(const Program& program, TimePoint now) {
        if (program.has_to_start())
                tell(program.id());
        want_decision(now);
}

void Cycle::requested(ProgramId id, const Request& request, TimePoint now) {
        if (auto* program = arbiter_.programs().find(id)) {
                program->request(request, now);
                wishes_changed(*program, now);
        }
}

void Cycle::widened(ProgramId id, const Request& other, TimePoint now) {
        auto* program = arbiter_.programs().find(id);
        if (program != nullptr && program->widen(other, now))
                wishes_changed(*program, now);
}

void Cycle::acts(ProgramId id, std::string acts) {
        if (auto* program = arbiter_.programs().find(id))
                program->set_acts(std::move(acts));
}

void Cycle::belongs(ProgramId id, ProgramId tree, TimePoint now) {
        if (arbiter_.programs().move(id, tree))
                want_decision(now);
}

void Cycle::yields(ProgramId id, bool yields, TimePoint now) {
        if (auto* program = arbiter_.programs().find(id)) {
                program->set_yields(yields);
                want_decision(now);
        }
}

void Cycle::keeps(ProgramId id, bool sleeps, TimePoint now) {
        auto* program = arbiter_.programs().find(id);
        if (program != nullptr && program->keep(sleeps, now))
                want_decision(now);
}

void Cycle::moved(ProgramId id, TimePoint now) {
        auto* program = arbiter_.programs().find(id);
        if (program == nullptr)
                return;
        if (const auto where = facts_.where(id, now))
                program->confine(*where, now);
        want_decision(now);
}

Orders::Outcome Cycle::ordered(ProgramId id, const Order& order, Authority by, std::uint32_t uid,
                               TimePoint now) {
        auto* program = arbiter_.programs().find(id);
        if (program == nullptr)
                return {};
        const auto outcome = program->order(order, by, uid, now);
        if (outcome.changed)
                wishes_changed(*program, now);
        return outcome;
}

Effects Cycle::take_effects() {
        Effects effects;
        effects.publish = std::exchange(publish_, {});
        const auto until = history().end_number();
        effects.has_news = until != told_until_;
        told_until_ = until;
        effects.wake_at = schedule_.next();
        effects.tick_at = schedule_.next_tick();
        return effects;
}

}  // namespace governor::registry
