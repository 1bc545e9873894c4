// SPDX-License-Identifier: MIT
// A tick: starts, ends, teams, and the CPU time that programs burned.
#include "play.hpp"

#include "descriptors.hpp"
#include "futex.hpp"
#include "identity.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::int64_t kTick = 10'000'000;
constexpr double kTicksPerNanosecond = 1e-7;
constexpr double kTicksPerSecond = 100;

void sleep_until(std::int64_t at_ns) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(at_ns - now_ns()));
}

Desk* shared_desks(std::size_t count) {
        void* memory = ::mmap(nullptr, sizeof(Desk) * count, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                throw std::system_error(errno, std::generic_category(), "mmap");
        return static_cast<Desk*>(memory);
}

}  // namespace

Play::Play(const simulation::Scenario& scenario, std::string governor, std::string root)
        : scenario_(scenario), governor_(std::move(governor)),
          machine_(std::move(root), scenario.machine.cpus),
          all_(simulation::CpuMask::range(0, scenario.machine.cpus)), passed_ns_(now_ns()) {
        for (const auto& program : scenario.programs)
                for (std::uint32_t copy = 0; copy < program.copies; copy++) {
                        actors_.emplace_back().program = &program;
                        actors_.back().start_ns = (program.start + copy * program.every).count();
                }
        std::ranges::stable_sort(actors_, {}, &Actor::start_ns);
        for (const auto& foreign : scenario.foreign)
                hogs_.emplace_back(foreign, all_, false);
        auto* desks = shared_desks(actors_.size());
        for (std::size_t i = 0; i < actors_.size(); i++)
                actors_[i].desk = &desks[i];
        for (auto& actor : actors_)
                start(actor);
}

Play::~Play() {
        for (const auto& actor : actors_)
                if (actor.pid > 0)
                        ::kill(actor.pid, SIGKILL);
        for (const auto& actor : actors_)
                if (actor.pid > 0)
                        ::waitpid(actor.pid, nullptr, 0);
}

void Play::start(Actor& actor) {
        new (actor.desk) Desk;
        const auto parent = ::getpid();
        const auto pid = ::fork();
        if (pid < 0)
                throw std::system_error(errno, std::generic_category(), "fork");
        if (pid == 0) {
                const bool is_root = ::geteuid() == 0;
                try {
                        become(is_root ? std::optional<uid_t>(actor.program->user) : std::nullopt);
                } catch (const std::exception&) {
                        ::_exit(1);
                }
                if (::getppid() != parent)
                        ::_exit(1);
                work(*actor.desk, *actor.program, scenario_.machine.cpus, governor_);
        }
        actor.pid = pid;
        machine_.add(pid);
}

std::int64_t Play::elapsed_ns() const { return now_ns() - began_ns_; }

bool Play::runs(const Actor& actor) const { return actor.pid > 0 && actor.team.threads > 0; }

void Play::idle() { pass(); }

void Play::run() {
        began_ns_ = passed_ns_ = now_ns();
        for (auto due_ns = began_ns_; !actors_.empty(); due_ns += kTick) {
                begin_before(due_ns);
                sleep_until(due_ns);
                pass();
                bury();
                kill_due();
                step_hogs();
                for (auto& actor : actors_)
                        changed_ = look(actor) || changed_;
                divide();
                const bool is_over =
                        std::ranges::all_of(actors_, [](const auto& one) { return one.pid < 0; });
                if (is_over || elapsed_ns() > scenario_.end.count())
                        break;
        }
}

void Play::begin_before(std::int64_t due_ns) {
        for (; begun_ < actors_.size() && began_ns_ + actors_[begun_].start_ns < due_ns; begun_++) {
                sleep_until(began_ns_ + actors_[begun_].start_ns);
                auto& begins = actors_[begun_].desk->begins;
                begins.store(1, std::memory_order_release);
                futex(begins, FUTEX_WAKE, 1);
        }
}

void Play::kill_due() {
        for (auto& actor : actors_) {
                if (actor.pid < 0 || actor.program->killed == simulation::kNever ||
                    elapsed_ns() < actor.start_ns + actor.program->killed.count())
                        continue;
                ::kill(actor.pid, SIGKILL);
                ::waitpid(actor.pid, nullptr, 0);
                const auto at_ns = now_ns();
                actor.desk->note({at_ns, 0, {}});
                end(actor, false);
        }
}

void Play::bury() {
        for (auto& actor : actors_) {
                int status = 0;
                if (actor.pid > 0 && ::waitpid(actor.pid, &status, WNOHANG) == actor.pid) {
                        if (status != 0)
                                throw std::runtime_error("a program failed");
                        end(actor, true);
                }
        }
}

void Play::end(Actor& actor, bool finished) {
        machine_.remove(actor.pid);
        actor.pid = -1;
        actor.finished = finished;
        look(actor);
        actor.end_ns = actor.team.at_ns;
        changed_ = true;
}

void Play::step_hogs() {
        for (auto& hog : hogs_)
                if (hog.next() <= simulation::Time(elapsed_ns())) {
                        hog.step(simulation::Time(elapsed_ns()));
                        changed_ = true;
                }
}

/// True: the program has another team.
bool Play::look(Actor& actor) {
        const auto count = actor.desk->count.load(std::memory_order_acquire);
        if (count == actor.seen)
                return false;
        if (count > Desk::kMostTeams)
                throw std::runtime_error("a program changed its team too often");
        actor.seen = count;
        actor.team = actor.desk->teams[count - 1];
        return true;
}

void Play::divide() {
        if (!changed_)
                return;
        changed_ = false;
        threads_.clear();
        for (const auto& actor : actors_) {
                if (!runs(actor))
                        continue;
                simulation::Threads team;
                team.cpus = actor.team.mask();
                if (team.cpus.empty())
                        team.cpus = all_;
                team.count = actor.team.threads;
                threads_.push_back(std::move(team));
        }
        for (const auto& hog : hogs_)
                if (auto threads = hog.threads())
                        threads_.push_back(std::move(*threads));
        division_ = kernel_.divide(threads_, {}, all_);
}

/// The CPU time since the last tick goes by the division of that tick.
void Play::pass() {
        const auto span_ns = now_ns() - passed_ns_;
        const auto span_s = static_cast<double>(span_ns) * 1e-9;
        passed_ns_ += span_ns;
        if (began_ns_ > 0)
                longest_tick_ns_ = std::max(longest_tick_ns_, span_ns);
        std::size_t next = 0;
        for (auto& actor : actors_)
                if (runs(actor))
                        burn(actor, division_.rate[next++], span_s, span_ns);
        const auto ticks = static_cast<double>(span_ns) * kTicksPerNanosecond;
        auto busy = division_.busy;
        for (auto& cpu : busy)
                cpu *= ticks;
        machine_.pass(busy, ticks);
}

void Play::burn(Actor& actor, double cpus, double span_s, std::int64_t span_ns) {
        actor.used_s += cpus * span_s;
        machine_.used(actor.pid, static_cast<std::uint64_t>(actor.used_s * kTicksPerSecond));
        const double lost = 1 - cpus / actor.team.threads;
        if (lost > 1e-6)
                actor.desk->lost_ns.fetch_add(
                        static_cast<std::int64_t>(lost * static_cast<double>(span_ns)),
                        std::memory_order_relaxed);
}

}  // namespace bench
