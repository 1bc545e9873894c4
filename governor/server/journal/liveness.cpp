// SPDX-License-Identifier: MIT
// Heartbeat and status line.
#include "server/journal/liveness.hpp"

#include "server/journal/log.hpp"
#include "server/journal/service_manager.hpp"

#include <utility>

namespace governor::server {

namespace {

constexpr std::chrono::milliseconds kBeforeNextBeat{500};
constexpr std::chrono::seconds kStatus{5};  // each one wakes systemd and whoever watches the unit

}  // namespace

Liveness::Liveness(EventLoop& loop, std::function<bool()> is_sampling,
                   std::function<std::string()> status)
        : is_sampling_(std::move(is_sampling)), status_(std::move(status)) {
        if (ServiceManager::is_there())
                timer_ = loop.on_time(EventLoop::now(), [this] { tick(); });
}

void Liveness::tick() {
        if (is_sampling_())
                ServiceManager::alive();
        else if (withheld_log_.allow(EventLoop::now()))
                log(Level::Error, Event::SamplesMissing,
                    "the last usable sample is more than three periods old: the watchdog is not "
                    "told, and may start the daemon anew");
        if (EventLoop::now() >= tell_next_)
                tell_status();
        timer_.set_time(EventLoop::now() + kBeforeNextBeat);
}

void Liveness::tell_status() {
        tell_next_ = EventLoop::now() + kStatus;
        auto line = status_();
        if (line == told_)
                return;
        ServiceManager::status(line);
        told_ = std::move(line);
}

}  // namespace governor::server
