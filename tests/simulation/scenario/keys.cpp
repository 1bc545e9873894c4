// SPDX-License-Identifier: MIT
// One row per key.
#include "simulation/scenario/keys.hpp"

#include "config/units.hpp"
#include "policy/permyriad.hpp"
#include "simulation/scenario/quantities.hpp"

#include <algorithm>
#include <array>

namespace simulation {

namespace {

// Setters and getters of one member each. Default values are not written.

template <auto member, class Part>
bool differs(const Part& part) {
        return !(part.*member == Part{}.*member);
}

template <auto member, auto low, auto high>
struct Whole {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const auto value = parse_whole(text, low, high);
                if (value)
                        part.*member = static_cast<std::remove_reference_t<decltype(part.*member)>>(
                                *value);
                return value.has_value();
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return differs<member>(part) ? std::to_string(part.*member) : "";
        }
};

template <auto member>
struct Uid {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const auto value = parse_whole(text, 0U, 4294967295U);
                if (value)
                        part.*member = static_cast<std::uint32_t>(*value);
                return value.has_value();
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return part.*member ? std::to_string(*(part.*member)) : "";
        }
};

template <auto member, std::int64_t low_ns = 0>
struct Moment {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const auto value = parse_time(text);
                if (!value || value->count() < low_ns)
                        return false;
                part.*member = *value;
                return true;
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return differs<member>(part) ? format_time(part.*member) : "";
        }
};

template <auto member>
struct Yes {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const auto value = governor::config::parse_yes(text);
                if (value)
                        part.*member = *value;
                return value.has_value();
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return differs<member>(part) ? governor::config::format_yes(part.*member) : "";
        }
};

template <auto member>
struct Cpus {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                auto value = governor::policy::parse_cpu_list(text);
                if (!value || value->empty())
                        return false;
                part.*member = std::move(*value);
                return true;
        }
        static std::string text(const std::optional<CpuSet>& cpus) {
                return cpus ? governor::policy::format_cpu_list(*cpus) : "";
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return text(part.*member);
        }
};

template <auto member>
struct Nice {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const bool is_negative = text.starts_with('-');
                const auto value =
                        parse_whole(text.substr(is_negative ? 1 : 0), 0, is_negative ? 20 : 19);
                if (value)
                        part.*member = static_cast<std::int32_t>(*value) * (is_negative ? -1 : 1);
                return value.has_value();
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return differs<member>(part) ? std::to_string(part.*member) : "";
        }
};

/// The name of a control group that stands above.
template <auto member>
struct Group {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario& scenario) {
                const auto found = std::ranges::find(scenario.cgroups, text, &Cgroup::name);
                if (found == scenario.cgroups.end())
                        return false;
                part.*member = static_cast<std::size_t>(found - scenario.cgroups.begin());
                return true;
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario& scenario) {
                return part.*member ? scenario.cgroups[*(part.*member)].name : "";
        }
};

std::optional<governor::policy::fair::Class> parse_class(std::string_view text) {
        if (text == "interactive")
                return governor::policy::fair::Class::Interactive;
        if (text == "batch")
                return governor::policy::fair::Class::Batch;
        return std::nullopt;
}

/// From a percentage to 1.
template <auto member, int low_percent>
struct Real {
        template <class Part>
        static bool set(Part& part, std::string_view text, const Scenario&) {
                const auto value = parse_real(text, low_percent / 100.0, 1);
                part.*member = value.value_or(0);
                return value.has_value();
        }
        template <class Part>
        static std::string get(const Part& part, const Scenario&) {
                return differs<member>(part) ? format_real(part.*member) : "";
        }
};

/// A row whose setter and getter are those of `Access`.
template <class Part, class Access>
constexpr Key<Part> row(std::string_view name, std::string_view accepted, std::string_view meaning,
                        Access) {
        return {name, accepted, meaning, &Access::template set<Part>, &Access::template get<Part>};
}

constexpr std::string_view kList = "a CPU list such as 0-3,8";
constexpr std::string_view kSpan = "a time with its unit, such as 200ms";
constexpr std::uint32_t kThreads = 65536;

constexpr std::array kScenarioKeys{
        row<Scenario>("end", "1ms .. 24h, with the unit", "when the simulation ends at the latest",
                      Moment<&Scenario::end, 1'000'000>{}),
        row<Scenario>("parts", "1 .. 8192",
                      "of the machine under policy static (as many as programs would be there at "
                      "once if none slowed down another)",
                      Whole<&Scenario::parts, 1U, 8192U>{}),
};

constexpr std::array kMachineKeys{
        row<MachineShape>("cpus", "1 .. 8192", "CPUs", Whole<&MachineShape::cpus, 1U, 8192U>{}),
        row<MachineShape>("smt", "1 .. 8", "CPUs of a core", Whole<&MachineShape::smt, 1U, 8U>{}),
        row<MachineShape>("packages", "1 .. 64", "sockets",
                          Whole<&MachineShape::packages, 1U, 64U>{}),
        row<MachineShape>("nodes", "1 .. 64", "NUMA nodes", Whole<&MachineShape::nodes, 1U, 64U>{}),
        row<MachineShape>("caches", "1 .. 1024", "last-level caches",
                          Whole<&MachineShape::caches, 1U, 1024U>{}),
        row<MachineShape>("pool", kList, "only these are distributed", Cpus<&MachineShape::pool>{}),
        Key<MachineShape>{"isolated", kList, "not distributed, and nobody runs there unasked",
                          [](MachineShape& shape, std::string_view text, const Scenario&) {
                                  const auto cpus = governor::policy::parse_cpu_list(text);
                                  shape.isolated = cpus.value_or(CpuSet{});
                                  return cpus.has_value();
                          },
                          [](const MachineShape& shape, const Scenario&) {
                                  return governor::policy::format_cpu_list(shape.isolated);
                          }},
        Key<MachineShape>{"runtime", "free, libgomp or libomp",
                          "how the threads of programs wait, and what that costs; free: nothing",
                          [](MachineShape& shape, std::string_view text, const Scenario&) {
                                  const auto value = parse_runtime(text);
                                  shape.runtime = value.value_or(Runtime::Free);
                                  return value.has_value();
                          },
                          [](const MachineShape& shape, const Scenario&) {
                                  return shape.runtime == Runtime::Free
                                                 ? ""
                                                 : format_runtime(shape.runtime);
                          }},
        row<MachineShape>("autogroup", "yes or no",
                          "threads of a process outside all control groups weigh as one",
                          Yes<&MachineShape::autogroup>{}),
        row<MachineShape>("shared_core", "0.1 .. 1",
                          "speed of a CPU while all CPUs of its core are busy",
                          Real<&MachineShape::shared_core, 10>{}),
};

template <auto member>
struct Fair {
        static bool set(GovernorSettings& settings, std::string_view text, const Scenario&) {
                const auto value = governor::config::parse_duration(text);
                if (value)
                        settings.fair.*member = *value;
                return value.has_value();
        }
        static std::string get(const GovernorSettings& settings, const Scenario&) {
                const bool is_default =
                        settings.fair.*member == governor::policy::fair::Settings{}.*member;
                return is_default ? "" : governor::config::format_duration(settings.fair.*member);
        }
};

template <auto member>
struct Policy {
        static bool set(GovernorSettings& settings, std::string_view text, const Scenario& all) {
                return Yes<member>::set(settings.fair, text, all);
        }
        static std::string get(const GovernorSettings& settings, const Scenario& all) {
                return Yes<member>::get(settings.fair, all);
        }
};

constexpr std::array kSettingsKeys{
        Key<GovernorSettings>{
                "period", "50ms .. 60s, with the unit", "time between two samples",
                [](GovernorSettings& settings, std::string_view text, const Scenario&) {
                        const auto value = parse_time(text);
                        if (!value || *value < std::chrono::milliseconds(50) ||
                            *value > std::chrono::seconds(60))
                                return false;
                        settings.period = *value;
                        return true;
                },
                [](const GovernorSettings& settings, const Scenario&) {
                        return settings.period == GovernorSettings{}.period
                                       ? ""
                                       : format_time(settings.period);
                }},
        Key<GovernorSettings>{
                "foreign_max", "0% .. 100%, with the sign",
                "programs that are not governed are yielded at most this part",
                [](GovernorSettings& settings, std::string_view text, const Scenario&) {
                        const auto value = governor::config::parse_percent(text);
                        if (value)
                                settings.fair.foreign_max_permyriad = *value;
                        return value.has_value();
                },
                [](const GovernorSettings& settings, const Scenario&) {
                        const auto value = settings.fair.foreign_max_permyriad;
                        return value == governor::policy::fair::Settings{}.foreign_max_permyriad
                                       ? ""
                                       : governor::policy::format_percent(value);
                }},
        Key<GovernorSettings>{"newcomer", kSpan, "who is younger makes nobody shrink",
                              &Fair<&governor::policy::fair::Settings::newcomer>::set,
                              &Fair<&governor::policy::fair::Settings::newcomer>::get},
        Key<GovernorSettings>{"handover_max", kSpan, "who is above its grant for longer is rigid",
                              &Fair<&governor::policy::fair::Settings::handover_max>::set,
                              &Fair<&governor::policy::fair::Settings::handover_max>::get},
        Key<GovernorSettings>{"turns", "yes or no", "batch programs of a user take turns",
                              &Policy<&governor::policy::fair::Settings::turns>::set,
                              &Policy<&governor::policy::fair::Settings::turns>::get},
        Key<GovernorSettings>{"turns_across_users", "yes or no", "those of all users together",
                              &Policy<&governor::policy::fair::Settings::turns_across_users>::set,
                              &Policy<&governor::policy::fair::Settings::turns_across_users>::get},
        Key<GovernorSettings>{"turn_quantum", kSpan, "the first turn, where no end is known",
                              &Fair<&governor::policy::fair::Settings::turn_quantum>::set,
                              &Fair<&governor::policy::fair::Settings::turn_quantum>::get},
        Key<GovernorSettings>{"turn_max_wait", kSpan, "who waits for longer has a thread",
                              &Fair<&governor::policy::fair::Settings::turn_max_wait>::set,
                              &Fair<&governor::policy::fair::Settings::turn_max_wait>::get},
};

constexpr std::array kCgroupKeys{
        row<Cgroup>("parent", "the name of a control group that stands above", "",
                    Group<&Cgroup::parent>{}),
        Key<Cgroup>{"quota", "0.01 .. 65536", "cpu.max, in CPUs",
                    [](Cgroup& group, std::string_view text, const Scenario&) {
                            group.quota = parse_real(text, 0.01, kThreads);
                            return group.quota.has_value();
                    },
                    [](const Cgroup& group, const Scenario&) {
                            return group.quota ? format_real(*group.quota) : "";
                    }},
        row<Cgroup>("cpus", kList, "cpuset", Cpus<&Cgroup::cpus>{}),
        row<Cgroup>("idle", "yes or no", "cpu.idle", Yes<&Cgroup::idle>{}),
};

constexpr std::array kProgramKeys{
        row<Program>("user", "0 .. 4294967295", "whose share it counts against",
                     Whole<&Program::user, 0U, 4294967295U>{}),
        row<Program>("copies", "1 .. 100000", "processes", Whole<&Program::copies, 1U, 100000U>{}),
        row<Program>("start", kSpan, "of the first copy", Moment<&Program::start>{}),
        row<Program>("every", kSpan, "the next copy starts so much later",
                     Moment<&Program::every>{}),
        row<Program>("weight", "1 .. 10000", "against others of its user",
                     Whole<&Program::weight, 1U, 10000U>{}),
        row<Program>("min", "1 .. 65536", "comes first in its user's share",
                     Whole<&Program::min, 1U, kThreads>{}),
        row<Program>("max", "1 .. 65536", "never more", Whole<&Program::max, 1U, kThreads>{}),
        Key<Program>{"class", "interactive or batch", "",
                     [](Program& program, std::string_view text, const Scenario&) {
                             const auto value = parse_class(text);
                             program.scheduling_class =
                                     value.value_or(governor::policy::fair::Class::Interactive);
                             return value.has_value();
                     },
                     [](const Program& program, const Scenario&) -> std::string {
                             return program.scheduling_class == governor::policy::fair::Class::Batch
                                            ? "batch"
                                            : "";
                     }},
        Key<Program>{"tree", "a name",
                     "programs of one user and tree share as one; the first holds it",
                     [](Program& program, std::string_view text, const Scenario&) {
                             program.tree = text;
                             return !text.empty();
                     },
                     [](const Program& program, const Scenario&) { return program.tree; }},
        row<Program>(
                "yields", "yes or no",
                "where it holds a tree: this runs on what nobody else wants while it is parked",
                Yes<&Program::yields>{}),
        row<Program>("region", "1us .. 24h, with the unit",
                     "CPU time of a parallel region: so long on one CPU",
                     Moment<&Program::region, 1000>{}),
        row<Program>("setup", kSpan, "CPU time from the hello to the first region, on one thread",
                     Moment<&Program::setup>{}),
        row<Program>("serial", kSpan, "CPU time between regions, on one thread",
                     Moment<&Program::serial>{}),
        row<Program>("sleep", kSpan, "between regions", Moment<&Program::sleep>{}),
        row<Program>("regions", "1 .. 1000000000000", "then it ends; else it goes on",
                     Whole<&Program::regions, 1U, 1'000'000'000'000U>{}),
        row<Program>("asks_every", "1 .. 1000000000000",
                     "regions: it follows its grant at the first of so many only",
                     Whole<&Program::asks_every, 1U, 1'000'000'000'000U>{}),
        row<Program>("bandwidth", "0 .. 1",
                     "part of the machine's memory bandwidth that each of its threads takes",
                     Real<&Program::bandwidth, 0>{}),
        Key<Program>{"speedup",
                     "linear, amdahl:0 .. amdahl:1, flat:1 .. flat:65536, or power:0 .. power:1",
                     "how much faster more threads are",
                     [](Program& program, std::string_view text, const Scenario&) {
                             const auto value = parse_speedup(text);
                             program.speedup = value.value_or(Speedup{});
                             return value.has_value();
                     },
                     [](const Program& program, const Scenario&) -> std::string {
                             return program.speedup == Speedup{} ? ""
                                                                 : format_speedup(program.speedup);
                     }},
        row<Program>("spins", "yes or no", "threads that wait for others burn CPU time",
                     Yes<&Program::spins>{}),
        row<Program>("sleeps", "yes or no", "of a keeper: threads that wait sleep in a crowd",
                     Yes<&Program::sleeps>{}),
        row<Program>("waits", "yes or no", "begins no region while it is parked",
                     Yes<&Program::waits>{}),
        row<Program>("progress", "yes or no", "says how far it is", Yes<&Program::progress>{}),
        Key<Program>{"label", "a name", "that it gives itself; else that of its section",
                     [](Program& program, std::string_view text, const Scenario&) {
                             program.label = text;
                             return !text.empty();
                     },
                     [](const Program& program, const Scenario&) { return program.label; }},
        Key<Program>{"job", "a name", "all programs of this job run and wait together",
                     [](Program& program, std::string_view text, const Scenario&) {
                             program.job = text;
                             return !text.empty();
                     },
                     [](const Program& program, const Scenario&) { return program.job; }},
        row<Program>("cgroup", "the name of a control group that stands above", "",
                     Group<&Program::cgroup>{}),
        row<Program>("cpus", kList, "taskset", Cpus<&Program::cpus>{}),
        row<Program>("bound", "yes or no", "teams run on the CPUs that they are granted alone",
                     Yes<&Program::bound>{}),
        row<Program>("nice", "-20 .. 19", "", Nice<&Program::nice>{}),
        Key<Program>{"behaviour",
                     "honest, start-only, endless, silent, greedy, liar, boaster, unlinked, "
                     "keeper or ungoverned",
                     "what it makes of its grants",
                     [](Program& program, std::string_view text, const Scenario&) {
                             const auto value = parse_behaviour(text);
                             program.behaviour = value.value_or(Behaviour::Honest);
                             return value.has_value();
                     },
                     [](const Program& program, const Scenario&) {
                             return program.behaviour == Behaviour::Honest
                                            ? ""
                                            : format_behaviour(program.behaviour);
                     }},
        row<Program>("killed", kSpan, "so long after its start", Moment<&Program::killed>{}),
        Key<Program>{"stopped", "times since its start, such as 5s..8s, 20s..", "by a signal",
                     [](Program& program, std::string_view text, const Scenario&) {
                             const auto value = parse_spans(text);
                             program.stopped = value.value_or(std::vector<Span>{});
                             return value.has_value();
                     },
                     [](const Program& program, const Scenario&) {
                             return format_spans(program.stopped);
                     }},
};

constexpr std::array kForeignKeys{
        row<Foreign>("threads", "1 .. 65536", "each wants a CPU",
                     Whole<&Foreign::threads, 1U, kThreads>{}),
        row<Foreign>("user", "0 .. 4294967295", "who runs it; else its processes are hidden",
                     Uid<&Foreign::user>{}),
        row<Foreign>("nice", "-20 .. 19", "", Nice<&Foreign::nice>{}),
        row<Foreign>("idle", "yes or no", "SCHED_IDLE", Yes<&Foreign::idle>{}),
        row<Foreign>("start", kSpan, "", Moment<&Foreign::start>{}),
        row<Foreign>("end", kSpan, "", Moment<&Foreign::end>{}),
        row<Foreign>("on", kSpan, "busy so long ...", Moment<&Foreign::on>{}),
        row<Foreign>("off", kSpan, "... then idle so long, and again", Moment<&Foreign::off>{}),
        row<Foreign>("cgroup", "the name of a control group that stands above", "",
                     Group<&Foreign::cgroup>{}),
        row<Foreign>("cpus", kList, "taskset", Cpus<&Foreign::cpus>{}),
};

template <auto member>
struct Plugged {
        static bool set(Hotplug& event, std::string_view text, const Scenario&) {
                auto cpus = governor::policy::parse_cpu_list(text);
                if (!cpus || cpus->empty())
                        return false;
                event.*member = std::move(*cpus);
                return true;
        }
        static std::string get(const Hotplug& event, const Scenario&) {
                return governor::policy::format_cpu_list(event.*member);
        }
};

constexpr std::array kHotplugKeys{
        Key<Hotplug>{"offline", kList, "CPUs that go; CPU 0 never does",
                     &Plugged<&Hotplug::offline>::set, &Plugged<&Hotplug::offline>::get},
        Key<Hotplug>{"online", kList, "CPUs that come back", &Plugged<&Hotplug::online>::set,
                     &Plugged<&Hotplug::online>::get},
};

}  // namespace

std::span<const Key<Scenario>> scenario_keys() { return kScenarioKeys; }
std::span<const Key<MachineShape>> machine_keys() { return kMachineKeys; }
std::span<const Key<GovernorSettings>> settings_keys() { return kSettingsKeys; }
std::span<const Key<Cgroup>> cgroup_keys() { return kCgroupKeys; }
std::span<const Key<Program>> program_keys() { return kProgramKeys; }
std::span<const Key<Foreign>> foreign_keys() { return kForeignKeys; }
std::span<const Key<Hotplug>> hotplug_keys() { return kHotplugKeys; }

}  // namespace simulation
