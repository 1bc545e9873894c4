// SPDX-License-Identifier: MIT
// One function per part of a scenario. Most things happen early, so that quiet times follow in
// which nothing may change any more.
#include "simulation/scenario/generator.hpp"

#include "simulation/scenario/random.hpp"

#include <algorithm>
#include <string>

namespace simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kBusyTime = seconds(15);  // until then programs start, and most events come

class Generator {
public:
        explicit Generator(std::uint64_t seed)
                : random_(seed), trees_(~seed), yielding_(~seed / 2), setups_(~seed / 3) {
                scenario_.name = "seed-" + std::to_string(seed);
        }

        Scenario generate() {
                scenario_.end = seconds(random_.between(20, 40));
                machine();
                settings();
                if (random_.chance(35))
                        cgroups();
                programs();
                if (random_.chance(15))
                        stream();
                if (random_.chance(45))
                        foreign();
                if (random_.chance(8))
                        hotplug();
                if (trees_.chance(30))
                        trees();
                if (yielding_.chance(25))
                        yielding_trees();
                if (setups_.chance(30))
                        setups();
                return std::move(scenario_);
        }

private:
        void machine();
        void settings();
        void cgroups();
        void programs();
        void program(std::uint32_t copies);
        void work(Program& program);
        void wishes(Program& program);
        void place(Program& program);
        void mishaps(Program& program);
        void stream();
        void foreign();
        void hotplug();
        void trees();
        void yielding_trees();
        void setups();

        /// Neighbouring CPUs: at least one.
        CpuSet some_cpus();
        std::uint32_t user() { return 1000 + static_cast<std::uint32_t>(random_.below(users_)); }
        [[nodiscard]] std::uint32_t cpus() const { return scenario_.machine.cpus; }
        std::string name(const char* kind) { return kind + std::to_string(++named_); }

        Random random_;
        Random trees_;     // of its own: scenarios without trees stay what they were before these
        Random yielding_;  // likewise
        Random setups_;    // likewise
        Scenario scenario_;
        std::uint32_t users_ = 1;
        std::uint32_t named_ = 0;
};

void Generator::machine() {
        auto& machine = scenario_.machine;
        const auto size = random_.below(1000);
        if (size < 4)
                machine.cpus = random_.pick({1024U, 2048U, 4096U});
        else if (size < 50)
                machine.cpus = random_.pick({192U, 256U, 384U, 512U});
        else
                machine.cpus = random_.pick(
                        {1U, 2U, 3U, 4U, 6U, 8U, 8U, 12U, 16U, 16U, 24U, 32U, 48U, 64U, 96U, 128U});
        const auto divides = [&](std::uint32_t n) {
                return n <= machine.cpus && machine.cpus % n == 0;
        };
        if (const auto smt = random_.pick({1U, 2U, 2U, 4U}); divides(smt))
                machine.smt = smt;
        if (const auto nodes = random_.pick({1U, 1U, 2U, 4U, 8U}); divides(nodes * machine.smt))
                machine.packages = machine.nodes = machine.caches = nodes;
        if (const auto more = random_.pick({1U, 1U, 2U, 4U});
            divides(machine.nodes * machine.smt * more))
                machine.caches = machine.nodes * more;
        if (random_.chance(8))
                machine.pool = some_cpus();
        if (random_.chance(4) && machine.cpus > 2)
                machine.isolated = {machine.cpus - 1};
}

void Generator::settings() {
        auto& settings = scenario_.governor;
        if (random_.chance(20))
                settings.period = random_.pick({milliseconds(100), milliseconds(250),
                                                milliseconds(2000), milliseconds(3000)});
        if (random_.chance(15))
                settings.fair.foreign_max_permyriad = random_.pick({0U, 2000U, 8000U, 10000U});
        if (random_.chance(8))
                settings.fair.handover_max = random_.pick({milliseconds(500), milliseconds(5000)});
        if (random_.chance(8))
                settings.fair.newcomer = random_.pick({milliseconds(200), milliseconds(3000)});
}

CpuSet Generator::some_cpus() {
        const auto count = random_.between(1, std::max(1U, cpus() * 3 / 4));
        const auto first = random_.between(0, cpus() - count);
        return CpuMask::range(first, count).to_set();
}

void Generator::cgroups() {
        const auto count = random_.between(1, 4);
        for (std::uint32_t i = 0; i < count; i++) {
                Cgroup group;
                group.name = name("group");
                if (i > 0 && random_.chance(50))
                        group.parent = random_.below(i);
                if (random_.chance(50))
                        group.cpus = some_cpus();
                if (random_.chance(50))
                        group.quota = random_.between(3, std::max(8U, cpus() * 4)) / 4.0;
                scenario_.cgroups.push_back(std::move(group));
        }
}

void Generator::programs() {
        users_ = random_.pick({1U, 1U, 2U, 2U, 3U, 4U});
        const auto kind = random_.below(1000);
        auto left = kind < 600   ? random_.between(1, 6)
                    : kind < 900 ? random_.between(6, 14)
                    : kind < 995 ? random_.between(14, 40)
                                 : random_.between(100, 250);
        while (left > 0) {
                const auto copies = random_.between(1, std::max(1U, left / 3));
                program(copies);
                left -= copies;
        }
}

void Generator::program(std::uint32_t copies) {
        Program program;
        program.name = name("program");
        program.user = user();
        program.copies = copies;
        if (random_.chance(60))
                program.start = random_.between(Time(0), kBusyTime);
        if (random_.chance(50))
                program.every = random_.between(Time(0), milliseconds(3000));
        wishes(program);
        work(program);
        place(program);
        mishaps(program);
        scenario_.programs.push_back(std::move(program));
}

void Generator::wishes(Program& program) {
        if (random_.chance(15))
                program.weight = random_.pick({1U, 10U, 50U, 200U, 400U, 1000U});
        if (random_.chance(5))
                program.min = random_.between(1, cpus());
        if (random_.chance(15))
                program.max = random_.between(1, cpus());
        if (program.max > 0)
                program.min = std::min(program.min, program.max);
        if (random_.chance(5)) {
                governor::policy::fair::Rule rule;
                rule.name = program.name;
                rule.label = program.name;
                if (random_.chance(50))
                        rule.min = random_.between(1, std::max(1U, cpus() / 2));
                if (random_.chance(50))
                        rule.weight = random_.between(1, 500);
                if (random_.chance(20))
                        rule.ignore = true;
                if (rule.min || rule.weight || rule.ignore)
                        scenario_.rules.push_back(std::move(rule));
        }
}

void Generator::work(Program& program) {
        const auto length = random_.below(100);
        const auto region = length < 20   ? Time(std::chrono::microseconds(50))
                            : length < 50 ? Time(milliseconds(1))
                            : length < 75 ? Time(milliseconds(20))
                            : length < 92 ? Time(milliseconds(200))
                                          : random_.between(seconds(1), seconds(8));
        program.region = std::max(Time(1000), region * random_.between(1, cpus()));
        if (random_.chance(55)) {
                const auto run = random_.between(milliseconds(200), seconds(15));
                program.regions = std::max<std::uint64_t>(
                        1, static_cast<std::uint64_t>(run * random_.between(1, cpus()) /
                                                      program.region));
        }
        if (random_.chance(12))
                program.serial = random_.between(milliseconds(20), milliseconds(1500));
        if (random_.chance(12))
                program.sleep = random_.between(milliseconds(20), milliseconds(3000));
        if (random_.chance(30))
                program.speedup = {Speedup::Law::Amdahl,
                                   static_cast<double>(random_.between(80, 99)) / 100};
        else if (random_.chance(15))
                program.speedup = {Speedup::Law::Flat, static_cast<double>(random_.between(1, 16))};
        program.spins = random_.chance(80);
}

void Generator::place(Program& program) {
        if (!scenario_.cgroups.empty() && random_.chance(60))
                program.cgroup = random_.below(scenario_.cgroups.size());
        if (random_.chance(6))
                program.cpus = some_cpus();
        program.bound = random_.chance(35);
        if (random_.chance(8))
                program.nice = random_.pick({-5, 5, 10, 19});
}

void Generator::mishaps(Program& program) {
        if (random_.chance(12))
                program.behaviour =
                        random_.pick({Behaviour::StartOnly, Behaviour::Endless, Behaviour::Silent,
                                      Behaviour::Greedy, Behaviour::Liar, Behaviour::Boaster,
                                      Behaviour::Ungoverned});
        if (random_.chance(12))
                program.killed = random_.between(milliseconds(1), kBusyTime);
        if (random_.chance(3)) {
                const auto from = random_.between(Time(0), kBusyTime);
                program.stopped = {{from, from + random_.between(milliseconds(100), seconds(8))}};
        }
}

/// Short programs, one after the other.
void Generator::stream() {
        Program program;
        program.name = name("short");
        program.user = user();
        program.copies = random_.between(5, 40);
        program.start = random_.between(Time(0), seconds(5));
        program.every = random_.between(milliseconds(40), milliseconds(600));
        program.region = milliseconds(1);
        program.regions = random_.between(20, 400);
        place(program);
        scenario_.programs.push_back(std::move(program));
}

void Generator::foreign() {
        const auto count = random_.between(1, 3);
        for (std::uint32_t i = 0; i < count; i++) {
                Foreign foreign;
                foreign.name = name("hog");
                foreign.threads = random_.between(1, random_.chance(30) ? cpus() * 3 / 2 + 1
                                                                        : std::max(1U, cpus() / 3));
                foreign.nice = random_.pick({0, 0, 0, -5, 10, 19});
                if (foreign.threads % 3 != 0)  // no draw: all else stays what it was for a seed
                        foreign.user = 1000 + foreign.threads % (users_ + 1);
                if (random_.chance(70))
                        foreign.start = random_.between(Time(0), kBusyTime);
                if (random_.chance(40))
                        foreign.end =
                                foreign.start + random_.between(milliseconds(100), seconds(9));
                if (random_.chance(15)) {
                        foreign.on = random_.between(milliseconds(100), seconds(4));
                        foreign.off = random_.between(milliseconds(100), seconds(4));
                }
                if (!scenario_.cgroups.empty() && random_.chance(30))
                        foreign.cgroup = random_.below(scenario_.cgroups.size());
                if (random_.chance(30))
                        foreign.cpus = some_cpus();
                scenario_.foreign.push_back(std::move(foreign));
        }
}

void Generator::hotplug() {
        auto gone = some_cpus();
        std::erase(gone, 0U);
        if (gone.empty())
                return;
        const auto at = random_.between(milliseconds(500), kBusyTime);
        scenario_.hotplug.push_back({at, gone, {}});
        if (random_.chance(60))
                scenario_.hotplug.push_back(
                        {at + random_.between(milliseconds(10), seconds(8)), {}, gone});
}

void Generator::trees() {
        const auto names = trees_.between(1, 3);
        for (auto& program : scenario_.programs)
                if (trees_.chance(60))
                        program.tree = "tree" + std::to_string(trees_.between(1, names));
}

/// Some programs read their input first.
void Generator::setups() {
        for (auto& program : scenario_.programs)
                if (setups_.chance(40))
                        program.setup = setups_.between(milliseconds(20), seconds(5));
}

/// Two or three of one user. Some of their programs follow their grants all the same.
void Generator::yielding_trees() {
        const auto count = yielding_.between(2, 3);
        const auto user = 1000 + static_cast<std::uint32_t>(yielding_.below(users_));
        for (std::uint32_t i = 0; i < count; i++) {
                Program program;
                program.tree = name("yielding");
                program.user = user;
                program.start = yielding_.between(Time(0), kBusyTime / 2);
                program.scheduling_class = governor::policy::fair::Class::Batch;
                program.yields = true;
                program.region = milliseconds(5) * yielding_.between(1, cpus());
                program.spins = yielding_.chance(50);
                if (yielding_.chance(50))
                        program.serial = yielding_.between(milliseconds(20), milliseconds(1500));
                if (yielding_.chance(50))
                        program.regions = yielding_.between(50, 2000);
                for (const auto behaviour : {Behaviour::Unlinked, Behaviour::Honest}) {
                        program.name = name("batch");
                        program.behaviour = behaviour;
                        program.copies = yielding_.between(1, 2);
                        if (yielding_.chance(70))
                                scenario_.programs.push_back(program);
                }
        }
}

}  // namespace

Scenario random_scenario(std::uint64_t seed) { return Generator(seed).generate(); }

}  // namespace simulation
