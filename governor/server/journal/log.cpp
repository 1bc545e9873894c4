// SPDX-License-Identifier: MIT
// spdlog for stderr, sd_journal_sendv() for the journal: spdlog's entries have no fields.
#include "server/journal/log.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace governor::server {

namespace {

/// $JOURNAL_STREAM names the device and inode of the stream that systemd has given us. A user that
/// has redirected stderr since then wants the lines there.
bool stderr_is_the_journal() {
        const char* stream = std::getenv("JOURNAL_STREAM");
        struct stat status {};
        if (stream == nullptr || ::fstat(STDERR_FILENO, &status) < 0)
                return false;
        return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

bool to_journal() {
        static const bool journal = stderr_is_the_journal();
        return journal;
}

spdlog::level::level_enum as_spdlog(Level level) {
        switch (level) {
        case Level::Debug:
                return spdlog::level::debug;
        case Level::Info:
                return spdlog::level::info;
        case Level::Warning:
                return spdlog::level::warn;
        case Level::Error:
                return spdlog::level::err;
        }
        return spdlog::level::err;
}

int as_priority(Level level) {
        switch (level) {
        case Level::Debug:
                return LOG_DEBUG;
        case Level::Info:
                return LOG_INFO;
        case Level::Warning:
                return LOG_WARNING;
        case Level::Error:
                return LOG_ERR;
        }
        return LOG_ERR;
}

/// Made with `systemd-id128 new`; a contract, listed in governord(8).
const char* message_id(Event event) {
        switch (event) {
        case Event::Listening:
                return "b01c21c3b7254f84b9edfc784452af09";
        case Event::Started:
                return "2bc5956ab06946678e325cb734e49815";
        case Event::Stopped:
                return "939f76c5c92a46cc81c9abeb744f9033";
        case Event::CannotStart:
                return "f76fbcfade474fe0a92cf8dc55077925";
        case Event::Reloaded:
                return "2a7b567ff9ec4e99aed512dd1d800b60";
        case Event::ConfigurationRefused:
                return "35132305140948b895e6042f5cb8a904";
        case Event::NothingGoverned:
                return "a5f0574cdde0431d9e4a02ac0ad8aa1d";
        case Event::CpusAbsent:
                return "0c76e73df36c4699a3d956bd0fee41aa";
        case Event::ExecutablesHidden:
                return "be1ebc8b94ce4e3b93d48cc48d7550d7";
        case Event::CpusChanged:
                return "8026b80a306143c29b59a04ff7a8bd94";
        case Event::SampleDiscarded:
                return "797e4c79e16c4f208d2e9b5eaf78d270";
        case Event::ClientMisbehaved:
                return "2173d71d9e4d47b28f089da06f0c8a21";
        case Event::ClientRefused:
                return "7ba1b8771c8c40098102ff1ed0ddf92a";
        case Event::CannotAccept:
                return "882a48353f55409d84b5d21e5269d4ce";
        case Event::SamplesMissing:
                return "4f9e849412a64eff87aba4b8945d8407";
        case Event::LeaseBegan:
                return "2f5311613d9c47308f6d2ab222a15e12";
        case Event::LeaseEnded:
                return "bd1dbeca3ae54c31b793a96f2017c3a6";
        case Event::LeaseRefused:
                return "cd944fe4233540b49b4166435c3a4e37";
        case Event::Granted:
                return "6fbf2f51e5504cfc8cfc781256bc97a9";
        case Event::Ordered:
                return "4cc94132195640709a9f8e0643788737";
        case Event::Suspended:
                return "e17e72a2de15461ba53319105269e4e0";
        case Event::Restored:
                return "cf0351d5fddf4f06a8a6256aa24c7da7";
        }
        return "";
}

void send_to_journal(Level level, Event event, const std::string& message,
                     std::initializer_list<Field> fields) {
        std::vector<std::string> entry{
                "MESSAGE=" + message, "PRIORITY=" + std::to_string(as_priority(level)),
                std::string("MESSAGE_ID=") + message_id(event), "SYSLOG_IDENTIFIER=governord"};
        for (const auto& [name, value] : fields)
                entry.push_back(std::string(name) + "=" + value);
        std::vector<iovec> parts;
        for (auto& field : entry)
                parts.push_back({field.data(), field.size()});
        sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

}  // namespace

void open_log() {
        spdlog::set_default_logger(spdlog::stderr_color_mt("governord"));
        spdlog::set_pattern("governord: %^%l%$: %v");
}

void linger_for_journal() {
        if (to_journal())
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

void set_log_level(Level level) { spdlog::set_level(as_spdlog(level)); }

bool is_logged(Level level) { return spdlog::should_log(as_spdlog(level)); }

void log(Level level, Event event, const std::string& message,
         std::initializer_list<Field> fields) {
        if (!is_logged(level))
                return;
        if (to_journal())
                send_to_journal(level, event, message, fields);
        else
                spdlog::log(as_spdlog(level), "{}", message);
}

std::string since(std::uint64_t count, const char* what) {
        return count == 1 ? std::string()
                          : " (" + std::to_string(count) + " " + what + " since last reported)";
}

}  // namespace governor::server
