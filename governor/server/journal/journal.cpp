// SPDX-License-Identifier: MIT
// Which event is worth what.
#include "server/journal/journal.hpp"

#include "server/journal/log.hpp"
#include "server/journal/printable.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>

namespace governor::server {

namespace {

using registry::EventKind;
using Happened = registry::Event;

std::string label(const Happened& event) { return printable_text(event.label.data()); }

/// "md[4711] of user 1000"
std::string program(const Happened& event) {
        return fmt::format("{}[{}] of user {}", label(event), event.pid, event.uid);
}

/// About a program, at the level debug.
void tell_of_program(Event kind, const Happened& event, const char* what) {
        if (!is_logged(Level::Debug))
                return;
        log(Level::Debug, kind, program(event) + what,
            {{"GOVERNORD_UID", std::to_string(event.uid)},
             {"GOVERNORD_PID", std::to_string(event.pid)},
             {"GOVERNORD_LABEL", label(event)}});
}

void tell_of_grant(const Happened& event) {
        if (!is_logged(Level::Debug))
                return;
        log(Level::Debug, Event::Granted, program(event) + " was " + what_happened(event),
            {{"GOVERNORD_UID", std::to_string(event.uid)},
             {"GOVERNORD_PID", std::to_string(event.pid)},
             {"GOVERNORD_LABEL", label(event)},
             {"GOVERNORD_THREADS", std::to_string(event.to)}});
}

void tell_of_all(Event kind, const Happened& event) {
        log(Level::Info, kind, what_happened(event),
            {{"GOVERNORD_BY_UID", std::to_string(event.by)}});
}

}  // namespace

void Journal::follow(const registry::History& history, TimePoint now) {
        for (const auto& [number, event] : history.from(next_))
                tell(event, now);
        next_ = history.end_number();
}

void Journal::tell(const Happened& event, TimePoint now) {
        switch (event.kind) {
        case EventKind::Joined:
                return tell_of_program(Event::LeaseBegan, event, " holds a lease");
        case EventKind::Left:
                return tell_of_program(Event::LeaseEnded, event, " holds no lease any more");
        case EventKind::Granted:
                return tell_of_grant(event);
        case EventKind::Ordered:
                return tell_of_order(event, now);
        case EventKind::Suspended:
                return tell_of_all(Event::Suspended, event);
        case EventKind::Restored:
                return tell_of_all(Event::Restored, event);
        case EventKind::Refused:  // see refused(): the history holds some together
        case EventKind::Rigid:
        case EventKind::MachineChanged:
                break;
        }
}

void Journal::refused(const registry::Identity& identity, const std::function<Shortage()>& what,
                      TimePoint now) {
        if (const auto count = refused_.allow(identity.account, now))
                log(Level::Warning, Event::LeaseRefused,
                    fmt::format("{}[{}] of user {} was refused a lease, so it runs at its own "
                                "maximum and asks again: {}{}",
                                printable_text(identity.label), identity.pid, identity.uid,
                                why_refused(what()), since(*count, "attempts")),
                    {{"GOVERNORD_UID", std::to_string(identity.uid)}});
}

void Journal::tell_of_order(const Happened& event, TimePoint now) {
        const auto count =
                event.by == 0 ? std::optional<std::uint64_t>(1) : ordered_.allow({event.by}, now);
        if (!count)
                return;
        log(Level::Info, Event::Ordered,
            program(event) + ": " + what_happened(event) + since(*count, "orders"),
            {{"GOVERNORD_UID", std::to_string(event.uid)},
             {"GOVERNORD_PID", std::to_string(event.pid)},
             {"GOVERNORD_LABEL", label(event)},
             {"GOVERNORD_BY_UID", std::to_string(event.by)}});
}

}  // namespace governor::server
