// SPDX-License-Identifier: MIT
//
// Bounds the registry's beliefs, which nobody can know better, by what really happens.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <deque>
#include <map>
#include <string>

namespace simulation {

/// Looked at after every sample:
/// - foreign-belief: what is seen of foreign load lies between the least and the most of it in the
///   last kLately. Not for longer than things take to settle; while all clients have CPUs that are
///   online. The burn of idle clients may be a part of it
/// - demand-belief: a program that can always use one CPU more is not held for idle nor for content
///   with what it has, for longer than things take to settle. No program is held for one that wants
///   less than it burns for that long. A program that does nothing for that long is idle
/// - light-belief: no program is held for light if it runs, or could if others left it a CPU, most
///   of the time for longer than things take to settle
/// - rigid-belief: a program that waits and yields is not held for one that does not follow
class Beliefs final : public Invariant {
public:
        /// This much of the clients' burn may be taken for foreign load, or hide it: CPUs, and a
        /// part of those in the pool.
        static constexpr double kTolerance = 1.0;
        static constexpr double kToleratedPart = 0.02;
        /// A load that comes and goes faster may count as steady at its mean.
        static constexpr Time kLately = std::chrono::seconds(3);
        /// A client that burns more than this part of its grant can use more: a little above two
        /// thirds, from which on the registry sees it.
        static constexpr double kBusyPart = 0.7;
        /// A client that is runnable for more than this part of the time is not light: a little
        /// above three quarters, likewise.
        static constexpr double kHeavyPart = 0.8;

        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;
        void passes(const World& world, Time span) override;

private:
        /// The time since which something has been so.
        class Since {
        public:
                /// The time that it has lasted by now; 0: it is not so.
                Time update(bool is_so, Time now) {
                        if (!is_so)
                                begin_ = kNever;
                        else if (begin_ == kNever)
                                begin_ = now;
                        return is_so ? now - begin_ : Time(0);
                }

                void restart(Time now) { begin_ = begin_ == kNever ? kNever : now; }

        private:
                Time begin_ = kNever;
        };

        struct Watch {
                Since held_back;
                Since idles;
                Since heavy;
                double cpu_s = 0;
                double runnable_s = 0;
                Time looked{0};
        };

        void check_foreign(const World& world, const governor::policy::fair::Snapshot& believed);
        void check_client(const World& world, const Resident& resident,
                          const governor::policy::fair::Client& believed);

        Since too_much_;
        Since too_little_;
        /// By clients that are believed to be idle, since the last look.
        [[nodiscard]] double burned_idly(const World& world,
                                         const governor::policy::fair::Snapshot& believed);

        struct Load {
                Time until;
                double cpus;
        };
        std::deque<Load> lately_;               // within kLately, oldest first
        std::deque<Load> idle_lately_;          // likewise
        std::map<std::size_t, Watch> watches_;  // by Resident::number
        Time next_look_{0};
};

}  // namespace simulation
