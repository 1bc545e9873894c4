// SPDX-License-Identifier: MIT
// The thin layer over sd-event.
#include "server/event_loop.hpp"

#include "server/unique_fd.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/epoll.h>
#include <system_error>
#include <unordered_map>

namespace governor::server {

namespace {

constexpr std::uint64_t kAccuracy_us = 1000;

/// Callbacks of sockets between two looks at the timers.
constexpr std::size_t kSocketsAtOnce = 16;

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

/// The sockets have an epoll of their own, of which sd-event sees one descriptor: before each
/// single callback sd-event fetches all that is ready, so that thousands that are ready together
/// (clients that leave at once) would cost the square of their number.
struct EventLoop::Sockets {
        UniqueFd epoll{::epoll_create1(EPOLL_CLOEXEC)};
        std::uint64_t last_number = 0;
        /// By a number that is never used again: an event may be late for a socket that is gone.
        std::unordered_map<std::uint64_t, EventSource::Registration*> registrations;

        void control(int operation, int fd, std::uint32_t events, std::uint64_t number) const {
                epoll_event event{};
                event.events = events;
                event.data.u64 = number;
                check(::epoll_ctl(epoll.get(), operation, fd, &event) < 0 ? -errno : 0, "epoll");
        }

        void dispatch() noexcept;
};

/// The callback keeps it alive while it runs, so that it may drop its own EventSource.
struct EventSource::Registration : std::enable_shared_from_this<Registration> {
        sd_event_source* source = nullptr;  // of a timer or a signal
        std::function<void(std::uint32_t)> callback;

        std::shared_ptr<EventLoop::Sockets> sockets;  // of a socket, and what follows
        std::uint64_t number = 0;
        int fd = -1;
        std::uint32_t events = 0;
        bool enabled = false;

        Registration() = default;
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;
        ~Registration() { stop(); }

        /// Leaves epoll at once: the descriptor may be closed right after.
        void stop() {
                source = sd_event_source_disable_unref(source);
                if (!sockets)
                        return;
                if (enabled)
                        ::epoll_ctl(sockets->epoll.get(), EPOLL_CTL_DEL, fd, nullptr);
                sockets->registrations.erase(number);
                sockets.reset();
        }

        /// An exception here is a bug, and may not unwind through sd-event's C code.
        static void call(void* userdata, std::uint32_t events) noexcept {
                const auto self = static_cast<Registration*>(userdata)->shared_from_this();
                self->callback(events);
        }
};

/// A callback may drop or disable any other source, of which the kernel has told us already.
void EventLoop::Sockets::dispatch() noexcept {
        std::array<epoll_event, kSocketsAtOnce> ready;
        const int n = ::epoll_wait(epoll.get(), ready.data(), static_cast<int>(ready.size()), 0);
        for (int i = 0; i < n; i++) {
                const auto event = ready.at(static_cast<std::size_t>(i));
                const std::uint64_t number = event.data.u64;  // lies there unaligned
                const auto found = registrations.find(number);
                if (found != registrations.end() && found->second->enabled)
                        EventSource::Registration::call(found->second, event.events);
        }
}

EventSource& EventSource::operator=(EventSource&& other) noexcept {
        EventSource old(std::exchange(registration_, std::move(other.registration_)));
        return *this;
}

EventSource::~EventSource() {
        if (registration_)
                registration_->stop();
}

void EventSource::set_io_events(std::uint32_t epoll_events) {
        auto& socket = *registration_;
        if (socket.enabled)
                socket.sockets->control(EPOLL_CTL_MOD, socket.fd, epoll_events, socket.number);
        socket.events = epoll_events;
}

void EventSource::set_enabled(bool enabled) {
        auto& socket = *registration_;
        if (enabled != socket.enabled)
                socket.sockets->control(enabled ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, socket.fd,
                                        socket.events, socket.number);
        socket.enabled = enabled;
}

void EventSource::set_time(TimePoint when) {
        check(sd_event_source_set_time(registration_->source, as_us(when)), "timer");
        check(sd_event_source_set_enabled(registration_->source, SD_EVENT_ONESHOT), "timer");
}

EventLoop::EventLoop() : sockets_(std::make_shared<Sockets>()) {
        check(sockets_->epoll ? 0 : -errno, "epoll");
        check(sd_event_new(&event_), "event loop");
        const auto handler = [](sd_event_source*, int, std::uint32_t, void* userdata) {
                static_cast<Sockets*>(userdata)->dispatch();
                return 0;
        };
        check(sd_event_add_io(event_, nullptr, sockets_->epoll.get(), EPOLLIN, handler,
                              sockets_.get()),
              "epoll");
}

EventLoop::~EventLoop() { sd_event_unref(event_); }

EventSource EventLoop::on_io(int fd, std::uint32_t epoll_events,
                             std::function<void(std::uint32_t)> callback) {
        auto registration = std::make_shared<EventSource::Registration>();
        const auto number = ++sockets_->last_number;
        sockets_->control(EPOLL_CTL_ADD, fd, epoll_events, number);
        registration->callback = std::move(callback);
        registration->sockets = sockets_;
        registration->number = number;
        registration->fd = fd;
        registration->events = epoll_events;
        registration->enabled = true;
        sockets_->registrations.emplace(number, registration.get());
        return EventSource(std::move(registration));
}

EventSource EventLoop::on_time(TimePoint when, std::function<void()> callback) {
        auto registration = std::make_shared<EventSource::Registration>();
        registration->callback = [run = std::move(callback)](std::uint32_t) { run(); };
        const auto handler = [](sd_event_source*, std::uint64_t, void* userdata) {
                EventSource::Registration::call(userdata, 0);
                return 0;
        };
        check(sd_event_add_time(event_, &registration->source, CLOCK_MONOTONIC, as_us(when),
                                kAccuracy_us, handler, registration.get()),
              "timer");
        check(sd_event_source_set_priority(registration->source, SD_EVENT_PRIORITY_IMPORTANT),
              "timer");
        return EventSource(std::move(registration));
}

EventSource EventLoop::on_signal(int signal, std::function<void()> callback) {
        auto registration = std::make_shared<EventSource::Registration>();
        registration->callback = [run = std::move(callback)](std::uint32_t) { run(); };
        const auto handler = [](sd_event_source*, const struct signalfd_siginfo*, void* userdata) {
                EventSource::Registration::call(userdata, 0);
                return 0;
        };
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, signal);
        check(-pthread_sigmask(SIG_BLOCK, &set, nullptr), "signal mask");
        check(sd_event_add_signal(event_, &registration->source, signal, handler,
                                  registration.get()),
              "signal");
        return EventSource(std::move(registration));
}

int EventLoop::run() { return sd_event_loop(event_); }

void EventLoop::exit(int code) { sd_event_exit(event_, code); }

}  // namespace governor::server
