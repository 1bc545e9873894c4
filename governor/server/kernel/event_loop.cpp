// SPDX-License-Identifier: MIT
// The thin layer over sd-event.
#include "server/kernel/event_loop.hpp"

#include <csignal>
#include <ctime>
#include <sys/epoll.h>
#include <system_error>

namespace governor::server {

namespace {

void check(int result, const char* what) {
        if (result < 0)
                throw std::system_error(-result, std::generic_category(), what);
}

/// libstdc++'s steady_clock is CLOCK_MONOTONIC.
std::uint64_t as_us(TimePoint when) {
        return static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch())
                        .count());
}

}  // namespace

/// The callback keeps it alive while it runs, so that it may drop its own EventSource.
struct EventSource::Registration : std::enable_shared_from_this<Registration> {
        sd_event_source* source = nullptr;
        std::function<void()> callback;

        Registration() = default;
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;
        ~Registration() { stop(); }

        void stop() { source = sd_event_source_disable_unref(source); }

        /// An exception here is a bug, and may not unwind through sd-event's C code.
        static void call(void* userdata) noexcept {
                const auto self = static_cast<Registration*>(userdata)->shared_from_this();
                self->callback();
        }
};

EventSource& EventSource::operator=(EventSource&& other) noexcept {
        EventSource old(std::exchange(registration_, std::move(other.registration_)));
        return *this;
}

EventSource::~EventSource() {
        if (registration_)
                registration_->stop();
}

void EventSource::set_time(TimePoint when) {
        check(sd_event_source_set_time(registration_->source, as_us(when)), "timer");
        check(sd_event_source_set_enabled(registration_->source, SD_EVENT_ONESHOT), "timer");
}

EventLoop::EventLoop() {
        check(sd_event_new(&event_), "event loop");
        const auto handler = [](sd_event_source*, int, std::uint32_t, void* userdata) {
                static_cast<SocketSet*>(userdata)->dispatch();
                return 0;
        };
        check(sd_event_add_io(event_, nullptr, sockets_.fd(), EPOLLIN, handler, &sockets_),
              "epoll");
}

EventLoop::~EventLoop() { sd_event_unref(event_); }

std::chrono::nanoseconds EventLoop::cpu_time() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

EventSource EventLoop::on_time(TimePoint when, std::function<void()> callback,
                               std::chrono::microseconds accuracy) {
        auto registration = std::make_shared<EventSource::Registration>();
        registration->callback = std::move(callback);
        const auto handler = [](sd_event_source*, std::uint64_t, void* userdata) {
                EventSource::Registration::call(userdata);
                return 0;
        };
        check(sd_event_add_time(event_, &registration->source, CLOCK_MONOTONIC, as_us(when),
                                static_cast<std::uint64_t>(accuracy.count()), handler,
                                registration.get()),
              "timer");
        check(sd_event_source_set_priority(registration->source, SD_EVENT_PRIORITY_IMPORTANT),
              "timer");
        return EventSource(std::move(registration));
}

/// Among sources of one priority the longest due goes first.
EventSource EventLoop::on_time_in_turn(TimePoint when, std::function<void()> callback) {
        auto timer = on_time(when, std::move(callback));
        check(sd_event_source_set_priority(timer.registration_->source, SD_EVENT_PRIORITY_NORMAL),
              "timer");
        return timer;
}

EventSource EventLoop::on_signal(int signal, std::function<void()> callback) {
        auto registration = std::make_shared<EventSource::Registration>();
        registration->callback = std::move(callback);
        const auto handler = [](sd_event_source*, const struct signalfd_siginfo*, void* userdata) {
                EventSource::Registration::call(userdata);
                return 0;
        };
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, signal);
        check(-pthread_sigmask(SIG_BLOCK, &set, nullptr), "signal mask");
        check(sd_event_add_signal(event_, &registration->source, signal, handler,
                                  registration.get()),
              "signal");
        check(sd_event_source_set_priority(registration->source, SD_EVENT_PRIORITY_IMPORTANT),
              "signal");
        return EventSource(std::move(registration));
}

int EventLoop::run() { return sd_event_loop(event_); }

void EventLoop::exit(int code) { sd_event_exit(event_, code); }

}  // namespace governor::server
