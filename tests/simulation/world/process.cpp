// SPDX-License-Identifier: MIT
// Work is counted in CPU seconds of one thread alone.
#include "simulation/world/process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace simulation {

namespace {

constexpr double kDone = 1e-8;  // work that is not worth an event, in seconds
constexpr auto kEndless = std::numeric_limits<std::uint64_t>::max();

const CpuMask kNone;

}  // namespace

Process::Process(const Program& program, std::size_t index, std::uint32_t copy, CpuMask allowed,
                 bool idle, Time now, Runtime runtime)
        : program_(&program), index_(index), copy_(copy), allowed_(std::move(allowed)), idle_(idle),
          started_(now), waiting_(runtime, program) {}

const CpuMask& Process::occupied() const { return phase_ == Phase::Region ? set_ : kNone; }

std::uint64_t Process::alike() const {
        const bool pauses = program_->serial.count() > 0 || program_->sleep.count() > 0;
        if (pauses && !blended_)
                return 0;
        const auto to_end = program_->regions == 0 ? kEndless : program_->regions - done_ - 1;
        const auto every = program_->asks_every;
        return follows_ ? std::min(to_end, every - 1 - done_ % every) : to_end;
}

Time Process::end_of_work(Time now) const {
        double work = left_;
        if (phase_ == Phase::Region && alike() == kEndless)
                work = std::numeric_limits<double>::infinity();
        else if (phase_ == Phase::Region)
                work += static_cast<double>(alike()) * in_seconds(program_->region);
        const double speed = rate_ * per_cpu_ * pace_;
        const double wait_ns = std::ceil(std::max(work, 0.0) / speed * 1e9);
        return speed > 0 && wait_ns < 1e18 ? now + Time(static_cast<std::int64_t>(wait_ns))
                                           : kNever;
}

Time Process::next(Time now) const {
        Time at = kNever;
        if (program_->killed != kNever)
                at = started_ + program_->killed;
        if (stops_ < program_->stopped.size()) {
                const auto& stop = program_->stopped[stops_];
                const auto change = stopped_ ? stop.to : stop.from;
                if (change != kNever)
                        at = std::min(at, started_ + change);
        }
        if (stopped_ || phase_ == Phase::Hello || phase_ == Phase::Gone)
                return at;
        if (spinners_.count() > 0)
                at = std::min(at, waiting_.asleep(now, spinners_.least(), spinning_share()));
        if (phase_ == Phase::Parked)
                return at;
        return std::min(at, phase_ == Phase::Sleep ? wakes_ : end_of_work(now));
}

void Process::advance(Time span) {
        const double used_s = rate_ * in_seconds(span);
        cpu_s_ += used_s + spinning_rate_ * in_seconds(span);
        if (spinners_.count() > 0 && !stopped_)
                spinners_.advance(waiting_.spun(span, spinning_share()));
        if (runs()) {
                const bool is_team = phase_ == Phase::Region;
                const double of_each_s = used_s / (is_team ? team_ : 1);
                const double could_s = (is_team ? appetite() : 1.0) * in_seconds(span);
                thread_s_ += of_each_s;
                waited_s_ += std::max(could_s - of_each_s, 0.0);
        }
        if (phase_ == Phase::Region || phase_ == Phase::Serial)
                left_ -= used_s * per_cpu_ * pace_;
        if (phase_ == Phase::Region)
                inside_s_ += in_seconds(span) * part_in_regions();
        if (phase_ == Phase::Region)
                pass_regions();
}

/// Those that ended since, with the next one like it; the last one is left to step().
void Process::pass_regions() {
        const double work = in_seconds(program_->region);
        const auto most = alike();
        if (left_ > 0 || most == 0 || work <= 0)
                return;
        const auto passed = std::min(static_cast<std::uint64_t>(-left_ / work) + 1, most);
        done_ += passed;
        left_ += static_cast<double>(passed) * work;
        const double of_present_s = (work - left_) / (rate_ * per_cpu_ * pace_) * part_in_regions();
        note_ended(passed, std::max(inside_s_ - of_present_s, 0.0));
}

void Process::note_ended(std::uint64_t regions, double inside_s) {
        ended_.regions += regions;
        ended_.inside_s += inside_s;
        inside_s_ -= inside_s;
}

/// The part of a mixture's time that passes in regions.
double Process::part_in_regions() const {
        if (!blended_)
                return 1;
        const double region_s = in_seconds(program_->region) / program_->speedup.of(team_);
        return region_s / (region_s + in_seconds(program_->serial) + in_seconds(program_->sleep));
}

bool Process::follow_stops(Time now) {
        bool changed = false;
        while (stops_ < program_->stopped.size()) {
                const auto& stop = program_->stopped[stops_];
                const auto change = stopped_ ? stop.to : stop.from;
                if (change == kNever || started_ + change > now)
                        break;
                stops_ += stopped_ ? 1 : 0;
                stopped_ = !stopped_;
                changed = true;
        }
        return changed;
}

bool Process::step(Time now, const Held* held) {
        if (phase_ == Phase::Gone)
                return false;
        if (program_->killed != kNever && started_ + program_->killed <= now) {
                killed_ = true;
                phase_ = Phase::Gone;
                return true;
        }
        bool changed = follow_stops(now);
        if (stopped_)
                return changed;
        if (spinners_.sleep())
                changed = true;
        if (phase_ == Phase::Region && left_ <= kDone && alike() == 0) {
                end_region(now, held);
                return true;
        }
        if (phase_ == Phase::Serial && left_ <= kDone) {
                if (regions_ == 0)
                        begin_region(held);
                else
                        after_serial(now, held);
                return true;
        }
        if (phase_ == Phase::Sleep && wakes_ <= now) {
                begin_region(held);
                return true;
        }
        return changed;
}

bool Process::told(const Held& held, std::uint32_t threads) {
        if (phase_ == Phase::Hello) {
                first_told_ = threads;
                begin(&held);
                return true;
        }
        if (phase_ == Phase::Parked && !held.grant.parked) {
                begin_region(&held);
                return true;
        }
        follows_ = phase_ == Phase::Region;
        return false;
}

/// With what comes before its first region.
void Process::begin(const Held* held) {
        if (program_->setup.count() > 0)
                begin_serial(program_->setup);
        else
                begin_region(held);
}

void Process::end_region(Time now, const Held* held) {
        done_++;
        note_ended(1, inside_s_);
        follows_ = false;
        if (program_->regions > 0 && done_ >= program_->regions) {
                phase_ = Phase::Gone;
                return;
        }
        if (!blended_ && (program_->serial.count() > 0 || program_->sleep.count() > 0))
                rest(team_ - 1);
        if (!blended_ && program_->serial.count() > 0)
                begin_serial(program_->serial);
        else
                after_serial(now, held);
}

void Process::begin_serial(Time length) {
        phase_ = Phase::Serial;
        left_ = in_seconds(length);
        per_cpu_ = 1;
}

void Process::after_serial(Time now, const Held* held) {
        if (blended_ || program_->sleep.count() == 0) {
                begin_region(held);
                return;
        }
        phase_ = Phase::Sleep;
        wakes_ = now + program_->sleep;
}

/// That many of its threads have nothing to do from now on.
void Process::rest(std::uint32_t threads) {
        if (waiting_.spins_on().count() > 0)
                spinners_.add(threads, waiting_.spins_on());
}

/// To the new team; `present` threads need no call.
void Process::call(std::uint32_t present) {
        if (present > team_)
                rest(present - team_);
        else
                spinners_.take(team_ - present);
        if (waiting_.ends_surplus())
                spinners_.take(spinners_.count());
}

double Process::spinning_share() const { return spinning_rate_ / spinners_.count(); }

/// It says that it is outside, by its newest grant.
bool Process::waits_for_turn(const Held* held) {
        const bool can_wait = program_->waits || program_->behaviour == Behaviour::Keeper;
        if (held == nullptr || !held->grant.parked || !can_wait)
                return false;
        if (phase_ == Phase::Region)
                rest(team_ - 1);
        phase_ = Phase::Parked;
        follows_ = false;
        epoch_ = held->epoch;
        team_ = 0;
        set_ = {};
        return true;
}

void Process::begin_region(const Held* held) {
        if (asks() && waits_for_turn(held))
                return;
        const bool first = first_team_ == 0;
        const auto present = phase_ == Phase::Region ? team_ : 1;
        const auto awake = spinners_.count() + present;
        if (asks())
                choose_team(held);
        waiting_.sleep(program_->sleeps && held != nullptr && held->grant.crowded);
        call(present);
        regions_++;
        if (first) {
                first_epoch_ = epoch_;
                first_team_ = team_;
        }
        phase_ = Phase::Region;
        follows_ = false;
        const double work = in_seconds(program_->region);
        left_ = program_->behaviour == Behaviour::Endless ? std::numeric_limits<double>::infinity()
                                                          : work;
        const double turn = work / program_->speedup.of(team_) + in_seconds(program_->serial) +
                            in_seconds(program_->sleep);
        blended_ = (program_->serial.count() > 0 || program_->sleep.count() > 0) &&
                   turn < in_seconds(kBlended) && program_->behaviour != Behaviour::Endless;
        per_cpu_ = program_->speedup.of(team_) / (team_ * appetite());
        if (blended_)
                per_cpu_ = work / turn / (team_ * appetite());
        if (awake < team_ && !first)
                left_ += in_seconds(waiting_.wake()) * program_->speedup.of(team_);
}

/// Greedy teams do not ask; the others take what they read now, or read when they began.
void Process::choose_team(const Held* held) {
        const auto kind = program_->behaviour;
        const bool obeys = kind != Behaviour::Greedy && kind != Behaviour::Liar &&
                           kind != Behaviour::Unlinked && kind != Behaviour::Keeper &&
                           held != nullptr;
        if (kind == Behaviour::StartOnly && first_team_ > 0)
                return;
        epoch_ = held != nullptr ? held->epoch : 0;
        const auto told = kind == Behaviour::StartOnly ? first_told_
                          : held != nullptr            ? held->grant.threads
                                                       : 0;
        team_ = obeys ? told : std::max(allowed_.count(), 1U);
        if ((kind == Behaviour::Unlinked || kind == Behaviour::Keeper) && program_->max > 0)
                team_ = std::min(team_, program_->max);
        set_ = obeys ? held->grant.cpus : allowed_;
        promised_ = obeys && !held->grant.shared &&
                    held->grant.reason.limit != governor::policy::fair::Limit::Ungoverned;
}

/// CPUs that each thread of the team would use if it could, on average.
double Process::appetite() const {
        const double team = team_;
        const double speedup = program_->speedup.of(team_);
        const double in_region = waiting_.spins() ? 1.0 : std::min(speedup / team, 1.0);
        if (!blended_)
                return in_region;
        const double region_s = in_seconds(program_->region) / speedup;
        const double serial_s = in_seconds(program_->serial);
        return (region_s * team * in_region + serial_s) /
               (region_s + serial_s + in_seconds(program_->sleep)) / team;
}

std::optional<Threads> Process::threads() const {
        if (!runs())
                return std::nullopt;
        auto threads = of_its_kind(phase_ == Phase::Region ? team_ : 1);
        threads.appetite = phase_ == Phase::Region ? appetite() : 1;
        return threads;
}

std::optional<Threads> Process::spinning() const {
        if (!spins_on())
                return std::nullopt;
        return of_its_kind(spinners_.count());
}

Threads Process::of_its_kind(std::uint32_t count) const {
        Threads threads;
        threads.cpus = program_->bound && promised_ && !set_.empty() ? set_ : allowed_;
        threads.count = count;
        threads.weight = idle_ ? idle_weight() : nice_weight(program_->nice);
        threads.niced = program_->nice > 0;
        threads.cgroup = program_->cgroup;
        return threads;
}

void Process::set_rate(double cpus, double speed, bool alike) {
        rate_ = cpus;
        pace_ = speed;
        if (phase_ != Phase::Region || cpus <= 0)
                return;
        const double work_s = in_seconds(program_->region) / program_->speedup.of(team_);
        pace_ *= waiting_.pace(work_s, team_, cpus / (team_ * appetite()), alike);
}

/// Threads that wait for others take none.
double Process::bandwidth() const {
        if (phase_ != Phase::Region)
                return 0;
        return program_->bandwidth * rate_ * per_cpu_ * pace_;
}

Time Process::region_length() const {
        const double speed = rate_ * per_cpu_ * pace_;
        if (phase_ != Phase::Region || speed <= 0 || program_->behaviour == Behaviour::Endless)
                return phase_ == Phase::Region ? kNever : Time(0);
        const double length_ns = in_seconds(program_->region) / speed * 1e9;
        return length_ns < 1e18 ? Time(static_cast<std::int64_t>(length_ns)) : kNever;
}

governor::evidence::Report Process::report(const Held* held) const {
        const bool in_region = phase_ == Phase::Region;
        if (regions_ == 0 && phase_ != Phase::Parked)
                return {};
        switch (program_->behaviour) {
        case Behaviour::Silent:
        case Behaviour::Unlinked:
        case Behaviour::Ungoverned:
                return {};
        case Behaviour::Liar:
                if (held != nullptr)
                        return {held->epoch, held->grant.threads, true};
                return {};
        case Behaviour::Boaster:
                return {first_epoch_, first_team_, true};
        case Behaviour::Honest:
        case Behaviour::StartOnly:
        case Behaviour::Endless:
        case Behaviour::Greedy:
        case Behaviour::Keeper:
                return {epoch_,
                        team_,
                        in_region,
                        regions_,
                        program_->progress ? done_ : 0,
                        program_->progress ? program_->regions : 0,
                        ended_.regions,
                        static_cast<std::uint64_t>(ended_.inside_s * 1e9),
                        phase_ == Phase::Parked};
        }
        return {};
}

}  // namespace simulation
