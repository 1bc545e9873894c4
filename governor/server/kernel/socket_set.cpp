// SPDX-License-Identifier: MIT
// epoll with owners.
#include "server/kernel/socket_set.hpp"

#include "server/kernel/event_loop.hpp"

#include <cerrno>
#include <chrono>
#include <sys/epoll.h>
#include <system_error>
#include <utility>

namespace governor::server {

namespace {

/// Callbacks between two looks at the timers.
constexpr int kAtOnce = 16;

void check(bool succeeded) {
        if (!succeeded)
                throw std::system_error(errno, std::generic_category(), "epoll");
}

}  // namespace

struct SocketSet::Epoll {
        UniqueFd fd{::epoll_create1(EPOLL_CLOEXEC)};
        std::uint64_t last_number = 0;
        /// By a number that is never used again: an event may be late for a socket that is gone.
        std::unordered_map<std::uint64_t, SocketSource::Watch*> watches;
};

struct SocketSource::Watch : std::enable_shared_from_this<Watch> {
        std::shared_ptr<SocketSet::Epoll> epoll;
        std::uint64_t number = 0;
        int fd = -1;
        SocketCallback callback;

        void control(int operation, std::uint32_t events) const {
                epoll_event event{};
                event.events = events;
                event.data.u64 = number;
                check(::epoll_ctl(epoll->fd.get(), operation, fd, &event) == 0);
        }

        /// Leaves epoll at once: the descriptor may be closed right after.
        void stop() {
                if (epoll->watches.erase(number) > 0)
                        ::epoll_ctl(epoll->fd.get(), EPOLL_CTL_DEL, fd, nullptr);
        }

        /// It stays while it runs, so that it may drop its own source.
        void call(std::uint32_t ready) {
                const auto self = shared_from_this();
                callback(ready);
        }
};

SocketSource::SocketSource() = default;
SocketSource::SocketSource(SocketSource&&) noexcept = default;
SocketSource::SocketSource(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}

SocketSource& SocketSource::operator=(SocketSource&& other) noexcept {
        const SocketSource old(std::exchange(watch_, std::move(other.watch_)));
        return *this;
}

SocketSource::~SocketSource() {
        if (watch_)
                watch_->stop();
}

void SocketSource::set_io_events(std::uint32_t epoll_events) {
        watch_->control(EPOLL_CTL_MOD, epoll_events);
}

SocketSet::SocketSet() : epoll_(std::make_shared<Epoll>()) { check(epoll_->fd.get() >= 0); }

SocketSet::~SocketSet() = default;

int SocketSet::fd() const { return epoll_->fd.get(); }

SocketSource SocketSet::watch(int fd, std::uint32_t epoll_events, SocketCallback callback) {
        auto watch = std::make_shared<SocketSource::Watch>();
        watch->epoll = epoll_;
        watch->number = ++epoll_->last_number;
        watch->fd = fd;
        watch->callback = std::move(callback);
        watch->control(EPOLL_CTL_ADD, epoll_events);
        epoll_->watches.emplace(watch->number, watch.get());
        return SocketSource(std::move(watch));
}

/// A callback may drop any other source, of which the kernel has told us already.
void SocketSet::dispatch() noexcept {
        const auto end = EventLoop::now() + EventLoop::kTurn;
        for (int n = 0; n < kAtOnce && EventLoop::now() < end; n++) {
                epoll_event event{};  // one: those that were fetched cannot be given back
                if (::epoll_wait(fd(), &event, 1, 0) != 1)
                        return;
                const std::uint64_t number = event.data.u64;  // lies there unaligned
                const auto found = epoll_->watches.find(number);
                if (found != epoll_->watches.end())
                        found->second->call(event.events);
        }
}

}  // namespace governor::server
