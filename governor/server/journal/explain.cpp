// SPDX-License-Identifier: MIT
// Numbers put into words.
#include "server/journal/explain.hpp"

#include "evidence/foreign_load.hpp"
#include "policy/cpu_set.hpp"

#include <chrono>
#include <fmt/format.h>

namespace governor::server {

namespace {

using Turns = registry::Programs::Turns;

std::string plural(std::uint32_t count, const char* noun) {
        return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string distributed(const policy::fair::Reason& reason) {
        auto text = plural(reason.cpus, "cpu") + " to share";
        if (reason.foreign > 0)
                text += fmt::format("; {} left to programs that are not governed", reason.foreign);
        if (reason.own_foreign > 0)
                text += fmt::format(", {} of these against its user", reason.own_foreign);
        if (reason.reserved > 0)
                text += fmt::format("; {} kept free for programs that come and go",
                                    reason.reserved);
        if (reason.rigid > 0)
                text += fmt::format("; {} kept by programs that do not follow", reason.rigid);
        return text;
}

/// A tree is in no region that it could tell of.
std::string use(const registry::Program& program) {
        std::string place;
        if (program.team() > 0)
                place = "it has " + plural(program.team(), "thread") + " in a region";
        else if (!program.holds_tree())
                place = "it is in no region";
        if (!program.is_measured())
                return place + (place.empty() ? "" : "; ") + "its use of cpus is not measured yet";
        return place + (place.empty() ? "with all that it started it" : " and") +
               fmt::format(" burned {:.2f} cpus over the last second",
                           program.burning_millicpu() / 1e3);
}

std::string seconds(std::chrono::nanoseconds time) {
        return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

std::string progress(const Turns& turns) {
        const auto& said = turns.said;
        if (said.total == 0)
                return "it does not tell how far it is";
        const auto done = fmt::format("{} of {} done", said.done, said.total);
        if (!said.is_believed)
                return done + ", as it says; not believed: it went back, or took more than twice "
                              "as long as it had promised";
        if (said.done == said.total)
                return done;
        if (!turns.remaining)
                return done + ", too early to tell how long the rest takes";
        return done + ", " + seconds(*turns.remaining) + " of turns to go";
}

/// "batch job sweep, 2 programs"
std::string job(const registry::Program& program, std::size_t programs) {
        const auto& identity = program.identity();
        std::string name;
        if (program.yields())
                name = " of its tree";
        else if (!identity.job.empty())
                name = " " + identity.job;
        else if (identity.process_group > 0)
                name = fmt::format(" of process group {}", identity.process_group);
        return "batch job" + name + ", " + plural(static_cast<std::uint32_t>(programs), "program");
}

std::string batch(const registry::Program& program, const std::optional<Turns>& turns) {
        if (!turns)
                return "batch, but it takes no turns";
        return job(program, turns->programs) + ", " + seconds(turns->served) +
               " of turns so far; " + progress(*turns);
}

/// "user 0"
std::string user(std::uint32_t uid) { return uid == 0 ? "root" : fmt::format("user {}", uid); }

const char* name(policy::fair::Class scheduling_class) {
        return scheduling_class == policy::fair::Class::Batch ? "batch" : "interactive";
}

/// "max 4, weight none"
std::string listed(const registry::Order& order) {
        std::vector<std::string> parts;
        const auto number = [](std::uint32_t value) {
                return value == 0 ? std::string("none") : std::to_string(value);
        };
        if (order.max)
                parts.push_back("max " + number(*order.max));
        if (order.weight)
                parts.push_back("weight " + number(*order.weight));
        if (order.scheduling_class)
                parts.push_back(fmt::format("class {}", name(*order.scheduling_class)));
        return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ordered(const registry::Event& event) {
        const auto& order = event.order;
        if (order.paused)
                return user(event.by) + (*order.paused ? " paused it" : " resumed it");
        return user(event.by) + " set " + listed(order);
}

void add_orders(std::vector<std::string>& steps, const registry::Orders& orders) {
        for (const auto* standing : {&orders.owner(), &orders.administrator()}) {
                if (const auto set = listed(standing->order); !set.empty())
                        steps.push_back(fmt::format("set by {}: {}", user(standing->uid), set));
                if (standing->order.paused)
                        steps.push_back(fmt::format("paused by {}: one thread until it is resumed",
                                                    user(standing->uid)));
        }
}

}  // namespace

std::string why_refused(const Shortage& shortage) {
        switch (shortage.of) {
        case Shortage::Of::Account:
                return fmt::format("its user holds {} leases, as many as one user may",
                                   shortage.held);
        case Shortage::Of::All:
                return fmt::format("there are {} leases, {} of them its user's; of {} each user is "
                                   "to leave as many free as it holds",
                                   shortage.all, shortage.held, registry::LeaseLimits{}.leases);
        case Shortage::Of::Descriptors:
                return "its user holds as many connections and leases as leave descriptors for "
                       "others";
        case Shortage::Of::System:
                break;
        }
        return "the daemon is out of memory or descriptors";
}

std::string what_happened(const registry::Event& event) {
        switch (event.kind) {
        case registry::EventKind::Joined:
                return "came";
        case registry::EventKind::Left:
                return "went";
        case registry::EventKind::Refused:
                return "was refused a lease";
        case registry::EventKind::Rigid:
                return "still ran on more than its grant: charged for what it burns";
        case registry::EventKind::Granted: {
                policy::fair::Grant grant;
                grant.threads = event.to;
                grant.reason = event.reason;
                return fmt::format("granted {}, had {}; {}", event.to, event.from,
                                   policy::fair::explain(grant));
        }
        case registry::EventKind::Ordered:
                return ordered(event);
        case registry::EventKind::Suspended:
                return user(event.by) + " paused governing: programs are left alone";
        case registry::EventKind::Restored:
                return user(event.by) + " ended the pause of governing";
        case registry::EventKind::MachineChanged:
                break;
        }
        return fmt::format("the machine changed from {} to {} cpus", event.from, event.to);
}

std::vector<std::string> steps(const registry::Program& program,
                               const std::optional<Turns>& turns) {
        const auto* held = program.held();
        if (held == nullptr)
                return {program.rule_names().empty()
                                ? "nothing is granted yet"
                                : "rule " + program.rule_names() + ": it is not governed"};
        const auto& [threads, reason] = std::pair(held->grant.threads, held->grant.reason);
        std::vector<std::string> steps{distributed(reason)};
        steps.push_back(fmt::format("shared by {} of {}; its fair share is {}",
                                    plural(reason.programs, "program"),
                                    plural(reason.accounts, "account"), reason.share));
        if (!program.rule_names().empty())
                steps.push_back("rules: " + program.rule_names());
        if (program.lets_teams_follow())
                steps.push_back("a rule lets its teams follow the grant, as `fairly --adapt` does");
        add_orders(steps, program.orders());
        if (program.max() > 0)
                steps.push_back(fmt::format("at most {}", program.max()));
        if (program.yields() || program.scheduling_class() == policy::fair::Class::Batch)
                steps.push_back(batch(program, turns));
        steps.push_back(use(program));
        steps.push_back(policy::fair::explain(held->grant));
        return steps;
}

std::vector<std::string> sentences(const std::vector<registry::Event>& events,
                                   policy::TimePoint now) {
        std::vector<std::string> lines;
        lines.reserve(events.size());
        for (const auto& event : events)
                lines.push_back(seconds(now - event.at) + " ago: " + what_happened(event));
        return lines;
}

}  // namespace governor::server
