// SPDX-License-Identifier: MIT
//
// Messages of the daemon to its administrator: lines on stderr, or entries with fields where stderr
// is the journal.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

namespace governor::server {

enum class Level : std::uint8_t { Debug, Info, Warning, Error };

/// Every kind of message has a MESSAGE_ID of its own, by which journalctl and monitoring find it.
enum class Event : std::uint8_t {
        Listening,
        Started,
        Stopped,
        CannotStart,
        Reloaded,
        ConfigurationRefused,
        NothingGoverned,
        CpusAbsent,
        ExecutablesHidden,
        CpusChanged,
        SampleDiscarded,
        ClientMisbehaved,
        ClientRefused,
        CannotAccept,
        SamplesMissing,
        LeaseBegan,
        LeaseEnded,
        LeaseRefused,
        Granted,
        Ordered,
        Suspended,
        Restored,
};

/// A journal field: its name ([A-Z0-9_]) and value.
using Field = std::pair<const char*, std::string>;

/// Chooses between stderr and the journal ($JOURNAL_STREAM, see systemd.exec(5)). To be called
/// once, before anything is logged.
void open_log();

/// To be called before a process ends because of what it has just logged. The journal asks the
/// kernel whose message it was, and would not tell a unit's messages from others' if the process
/// were gone. The call takes 100 ms, and nothing where messages go to stderr.
void linger_for_journal();

/// Nothing below `level` is logged from now on.
void set_log_level(Level level);
[[nodiscard]] bool is_logged(Level level);

/// Waits for whoever reads stderr, or for the journal; so what clients can cause goes through a
/// Throttle. Not thread-safe.
void log(Level level, Event event, const std::string& message,
         std::initializer_list<Field> fields = {});

/// " (17 attempts since last reported)", for messages that are throttled; "" for 1. `what` is
/// counted, in the plural.
[[nodiscard]] std::string since(std::uint64_t count, const char* what);

}  // namespace governor::server
