// SPDX-License-Identifier: MIT
//
// One running copy of a program: regions, serial parts and sleeps, one after the other.
#pragma once

#include "registry/programs.hpp"
#include "simulation/scenario/scenario.hpp"
#include "simulation/world/kernel.hpp"
#include "simulation/world/spinners.hpp"
#include "simulation/world/waiting.hpp"

#include <optional>

namespace simulation {

using governor::evidence::Held;

enum class Phase : std::uint8_t {
        Hello,   ///< waits for its first grant
        Region,  ///< its team is at work
        Serial,  ///< one thread is
        Sleep,
        Parked,  ///< waits for its turn
        Gone,
};

/// A region goes on with the team that it began with. Regions between which nothing happens are not
/// simulated one by one: the end of the present one is looked for only where a new grant is to be
/// followed. A turn with serial parts and sleeps that is shorter than kBlended counts as one
/// mixture that uses its team's CPUs partly.
class Process {
public:
        static constexpr Time kBlended = std::chrono::milliseconds(5);

        /// `allowed`: cpuset and taskset. `idle`: by its control group. `program` must outlive
        /// this.
        Process(const Program& program, std::size_t index, std::uint32_t copy, CpuMask allowed,
                bool idle, Time now, Runtime runtime);

        [[nodiscard]] const Program& program() const { return *program_; }
        [[nodiscard]] std::size_t program_index() const { return index_; }
        [[nodiscard]] std::uint32_t copy() const { return copy_; }
        [[nodiscard]] Time started() const { return started_; }
        [[nodiscard]] const CpuMask& allowed() const { return allowed_; }
        /// Its control group is: it runs where nobody else wants to.
        [[nodiscard]] bool is_idle() const { return idle_; }
        [[nodiscard]] bool governed() const { return program_->behaviour != Behaviour::Ungoverned; }
        /// Follows its grants and tells the truth, and its regions end.
        [[nodiscard]] bool honest() const { return program_->behaviour == Behaviour::Honest; }

        // Time: an event at next(), advance() to it, then step().
        [[nodiscard]] Time next(Time now) const;
        void advance(Time span);
        /// Does what is due. True if its threads or its team changed.
        bool step(Time now, const Held* held);
        /// No governor: it begins on its own.
        void begin_alone() { begin(nullptr); }
        /// There is a new word in its page, of so many threads. True as for step().
        bool told(const Held& held, std::uint32_t threads);

        /// The wishes of its threads; empty: none runs.
        [[nodiscard]] std::optional<Threads> threads() const;
        [[nodiscard]] bool runs() const {
                return !stopped_ && (phase_ == Phase::Region || phase_ == Phase::Serial);
        }
        /// Threads of a team that is over, or of one that was larger: they burn CPU time for a
        /// while before they sleep.
        [[nodiscard]] std::optional<Threads> spinning() const;
        [[nodiscard]] bool spins_on() const {
                return spinners_.count() > 0 && !stopped_ && phase_ != Phase::Gone;
        }
        /// Its threads get `cpus`, all together. A CPU does `speed` of the work that it does alone.
        /// `alike`: as Waiting::pace().
        void set_rate(double cpus, double speed = 1, bool alike = true);
        void set_spinning_rate(double cpus) { spinning_rate_ = cpus; }
        /// Part of the machine's memory bandwidth that it wants at its present pace.
        [[nodiscard]] double bandwidth() const;
        void slow_down(double speed) { pace_ *= speed; }

        /// Its page of reports, which the governor reads when it likes.
        [[nodiscard]] governor::evidence::Report report(const Held* held) const;

        // The truth.
        [[nodiscard]] Phase phase() const { return phase_; }
        [[nodiscard]] bool stopped() const { return stopped_; }
        [[nodiscard]] bool finished() const { return done_ >= program_->regions && !killed_; }
        [[nodiscard]] std::uint32_t team() const { return team_; }
        /// The epoch of the grant that the present or last region began with.
        [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
        /// The first number in its page; 0: there was none.
        [[nodiscard]] std::uint32_t first_told() const { return first_told_; }
        /// The CPUs that its team was given when the present region began; none between regions.
        [[nodiscard]] const CpuMask& occupied() const;
        /// The present team was given its CPUs for itself alone.
        [[nodiscard]] bool was_promised() const { return promised_; }
        [[nodiscard]] double cpu_s() const { return cpu_s_; }
        [[nodiscard]] double rate() const { return rate_; }
        /// The time that one of its threads has run, and that it could have run without rivals.
        [[nodiscard]] double thread_s() const { return thread_s_; }
        [[nodiscard]] double waited_s() const { return waited_s_; }
        /// The length of its present region at the present speed, from its beginning to its end.
        [[nodiscard]] Time region_length() const;

private:
        void begin(const Held* held);
        void begin_region(const Held* held);
        void rest(std::uint32_t threads);
        void call(std::uint32_t present);
        [[nodiscard]] double spinning_share() const;
        [[nodiscard]] bool waits_for_turn(const Held* held);
        void choose_team(const Held* held);
        void end_region(Time now, const Held* held);
        void after_serial(Time now, const Held* held);
        void pass_regions();
        void note_ended(std::uint64_t regions, double inside_s);
        [[nodiscard]] double part_in_regions() const;
        void begin_serial(Time length);
        bool follow_stops(Time now);
        /// Regions like the present one that follow it at once, before one at which something
        /// changes.
        [[nodiscard]] std::uint64_t alike() const;
        [[nodiscard]] bool asks() const { return done_ % program_->asks_every == 0; }
        [[nodiscard]] Time end_of_work(Time now) const;
        [[nodiscard]] double appetite() const;
        [[nodiscard]] Threads of_its_kind(std::uint32_t count) const;

        const Program* program_;
        std::size_t index_;
        std::uint32_t copy_;
        CpuMask allowed_;
        bool idle_;
        Time started_;

        Phase phase_ = Phase::Hello;
        bool stopped_ = false;
        bool killed_ = false;
        std::size_t stops_ = 0;  // of Program::stopped that are over
        std::uint64_t done_ = 0;
        double left_ = 0;       // work to the end of the phase, CPU seconds
        Time wakes_{0};         // in Sleep
        bool follows_ = false;  // a new grant waits for the end of the region

        // Facts of the present or last region.
        std::uint32_t team_ = 0;
        std::uint64_t epoch_ = 0;
        std::uint64_t first_epoch_ = 0;
        std::uint32_t first_team_ = 0;
        std::uint32_t first_told_ = 0;  // in its page
        CpuMask set_;
        bool promised_ = false;
        std::uint64_t regions_ = 0;  // begun
        bool blended_ = false;
        double per_cpu_ = 0;  // work done per CPU time that its threads use
        double pace_ = 1;     // of that is left where threads wait for each other

        Waiting waiting_;
        Spinners spinners_;
        double spinning_rate_ = 0;

        struct Ended {
                std::uint64_t regions = 0;
                double inside_s = 0;
        };
        Ended ended_;
        double inside_s_ = 0;  // in regions that have not ended yet

        double rate_ = 0;
        double cpu_s_ = 0;
        double thread_s_ = 0;
        double waited_s_ = 0;
};

}  // namespace simulation
