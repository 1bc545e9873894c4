// SPDX-License-Identifier: MIT
//
// The daemon's work, wired to an event loop: samples, clients, answers.
#pragma once

#include "config/settings.hpp"
#include "server/answers/answers.hpp"
#include "server/connections/acceptor.hpp"
#include "server/connections/connections.hpp"
#include "server/connections/listener.hpp"
#include "server/kernel/event_loop.hpp"
#include "server/sharing/governor.hpp"
#include "server/sharing/sample_loop.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace governor::server {

/// "fair", "fair (observing)", "threshold 5%"
[[nodiscard]] std::string policy_in_force(const config::Settings& settings);

/// Empty: at least one of the CPUs of `sample` is given out. Otherwise a sentence. `apart`: see
/// kept_apart().
[[nodiscard]] std::optional<std::string> why_nothing_is_governed(const config::Settings& settings,
                                                                 const policy::CpuMask& apart,
                                                                 const policy::Sample& sample);

/// CPUs that the settings name and `sample` lacks, which may come later, and CPUs that they would
/// give out if these were not kept apart: at most one sentence for each key and one for `apart`.
[[nodiscard]] std::vector<std::string> notes_of_absent_cpus(const config::Settings& settings,
                                                            const policy::CpuMask& apart,
                                                            const policy::Sample& sample);

class Server {
public:
        /// Samples the machine below `root` with default settings and serves nobody yet. `most`:
        /// descriptors for clients. `loop` must outlive this.
        Server(EventLoop& loop, const std::string& root, std::size_t most);

        /// False if /proc/stat was not usable; nothing can be governed then.
        [[nodiscard]] bool can_sample() const { return sampling_.has_sample(); }
        [[nodiscard]] const SampleLoop& sampling() const { return sampling_; }

        /// Connections may come by it from now on.
        void open(Listener listener);

        /// Takes effect at once; connections stay. The error is one sentence; then nothing has
        /// changed.
        [[nodiscard]] tl::expected<void, std::string> apply(config::Settings settings);
        [[nodiscard]] const config::Settings& settings() const { return settings_; }

        /// The files say something else than what is in force, and are wrong: to be told until the
        /// next apply().
        void configuration_refused(std::string why) { configuration_error_ = std::move(why); }
        [[nodiscard]] const std::string& configuration_error() const {
                return configuration_error_;
        }

        /// To be called when it serves no longer: tells the holders of leases.
        void release_all() { governor_.release_all(); }

        /// "3 of 8 cpus free, 12 connections, fair, 3 programs on 7 cpus"; under the other policy
        /// "..., threshold 5%"
        [[nodiscard]] std::string summary() const;

private:
        [[nodiscard]] tl::expected<void, std::string>
        follow_tcp(const std::optional<config::TcpAddress>& address);
        void warn_if_executables_are_hidden() const;
        [[nodiscard]] std::optional<Answer> handle(std::string_view message, const Peer& peer);
        [[nodiscard]] View view() const;

        config::Settings settings_;
        std::string configuration_error_;
        TimePoint started_;
        Governor governor_;
        SampleLoop sampling_;
        Connections connections_;
        Acceptor acceptor_;
        std::string tcp_name_;  // of the listener that settings_.tcp has opened
        std::uint64_t queries_ = 0;
};

}  // namespace governor::server
