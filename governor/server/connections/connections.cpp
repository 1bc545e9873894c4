// SPDX-License-Identifier: MIT
// Who is served when.
#include "server/connections/connections.hpp"

#include "server/journal/log.hpp"
#include "server/kernel/undo.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <malloc.h>
#include <sys/epoll.h>
#include <system_error>
#include <utility>
#include <vector>

namespace governor::server {

using namespace std::chrono_literals;

namespace {

/// Descriptors that are kept for accounts that have none: a 64th, and at least these.
constexpr std::size_t kForNewcomers = 64;

/// In units of Connection::work(). A question that is asked once a second costs two. This is
/// therefore two thousand programs of one user, or 2 % of a core for one user that only wants to
/// disturb.
constexpr std::uint32_t kWorkPerSecond = 4000;
constexpr std::uint32_t kBurst = 4000;

/// A unit pays for so much CPU time. Work that costs more is charged by its time, so that an
/// account has 10 % of a core at most, whatever its messages ask for.
constexpr std::chrono::nanoseconds kUnit{25'000};

/// Clients that wait for a turn get it at this pace. Each account has at most EventLoop::kTurn, and
/// all of them together kTurnsOfAll: then the loop looks at its timers.
constexpr std::chrono::milliseconds kPace{10};
constexpr std::chrono::milliseconds kTurnsOfAll = 2 * EventLoop::kTurn;

/// A client that is found in the middle of a message twice, without progress, is dropped.
constexpr std::chrono::seconds kSweep{10};

/// The memory of clients goes back to the system when so many have left between two sweeps.
constexpr std::size_t kCrowd = 1000;

/// The clock in which the start of a process is counted.
std::chrono::nanoseconds since_boot() {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

std::string uid_of(const policy::Account& account) {
        return account.uid ? std::to_string(*account.uid) : std::string();
}

}  // namespace

Connections::Connections(EventLoop& loop, std::size_t most, Handler handler, OnGone on_gone)
        : loop_(loop), most_(most), handler_(std::move(handler)), on_gone_(std::move(on_gone)),
          accounts_({most, std::max(kForNewcomers, most / 64), kWorkPerSecond, kBurst}),
          sweep_timer_(loop.on_time(EventLoop::now() + kSweep, [this] { sweep(); })) {}

Connections::~Connections() {
        for (auto& [fd, client] : clients_) {
                client.source = SocketSource();  // first, as in drop()
                closer_.close(client.connection.release(), client.seat.account());
        }
}

void Connections::add(UniqueFd fd, const policy::Account& account, std::uint32_t pid) {
        Undo close([&] { closer_.close(std::move(fd), account); });
        if (set_aside_what_closes() > most_ / 2)
                throw std::system_error(EMFILE, std::generic_category(), "sockets to be closed");
        auto seat = accounts_.admit(account, closer_.pending(account));
        if (!seat)
                return refuse(account);
        const int number = fd.get();
        auto source = loop_.on_io(number, EPOLLIN, [this, number](std::uint32_t events) {
                on_event(number, events);
        });
        close.keep();
        const Peer peer{number, account, pid, since_boot()};
        Connection connection(std::move(fd), [this, peer](std::string_view message) {
                return handler_(message, peer);
        });
        clients_.emplace(number,
                         Client{std::move(*seat), pid, std::move(connection), std::move(source)});
}

std::size_t Connections::set_aside_what_closes() {
        const auto count = closing();
        accounts_.set_aside(aside_ + count);
        return count;
}

void Connections::refuse(const policy::Account& account) {
        refused_++;
        if (const auto count = refused_log_.allow(account, EventLoop::now()))
                log(Level::Warning, Event::ClientRefused,
                    account.name() + " holds " + std::to_string(accounts_.held(account)) +
                            " connections and leases, as many as it leaves free; one more "
                            "connection was refused" +
                            since(*count, "attempts"),
                    {{"GOVERNORD_UID", uid_of(account)}});
}

bool Connections::admit_lease(int connection) {
        (void)set_aside_what_closes();
        auto& client = clients_.at(connection);
        if (!client.lease)
                client.lease = accounts_.admit_more(client.seat.account());
        return client.lease.has_value();
}

void Connections::tell(int connection, const std::string& reply) {
        clients_.at(connection).connection.tell(reply);
}

bool Connections::may_go_on(const policy::Account& account) const {
        return accounts_.wait(account, EventLoop::now()).count() == 0;
}

void Connections::on_event(int fd, std::uint32_t epoll_events) {
        auto& client = clients_.at(fd);
        const auto& account = client.seat.account();
        if (client.place) {
                // Nothing else is told of a client that waits: it is gone, and so is its question.
                if ((epoll_events & (EPOLLHUP | EPOLLERR)) != 0)
                        drop(fd, false);
        } else if (waiting_.contains(account) || !may_go_on(account)) {
                wait(fd, client);
        } else {
                serve(fd, client);
        }
}

void Connections::serve(int fd, Client& client) {
        auto& connection = client.connection;
        const auto events = connection.epoll_events();
        const auto work = connection.work();
        const auto cpu_time = connection.cpu_time();
        const auto state = connection.on_ready();
        const auto taken = std::max((connection.cpu_time() - cpu_time) / kUnit, std::int64_t{0});
        accounts_.charge(client.seat.account(),
                         std::max(connection.work() - work, static_cast<std::uint64_t>(taken)),
                         EventLoop::now());
        if (state != Connection::State::Open)
                drop(fd, state == Connection::State::Bad);
        else if (connection.has_more())
                wait(fd, client);
        else if (connection.epoll_events() != events)
                client.source.set_io_events(connection.epoll_events());
}

void Connections::wait(int fd, Client& client) {
        if (waiting_.empty())
                go_on_timer_ = loop_.on_time_in_turn(EventLoop::now() + kPace, [this] { go_on(); });
        auto& queue = waiting_[client.seat.account()];
        client.place = queue.insert(queue.end(), fd);
        client.source.set_io_events(0);
}

void Connections::leave_queue(Client& client) {
        waiting_.at(client.seat.account()).erase(*client.place);
        client.place.reset();
}

/// Each account once, from the one after the last on. The rest goes on at once, behind the sockets
/// that are ready.
void Connections::go_on() {
        const auto end = EventLoop::now() + kTurnsOfAll;
        auto next = waiting_.upper_bound(last_);
        std::size_t left = waiting_.size();
        for (auto now = EventLoop::now(); left > 0 && now < end; left--, now = EventLoop::now()) {
                if (next == waiting_.end())
                        next = waiting_.begin();
                last_ = next->first;
                serve_waiting(next->first, next->second, std::min(end, now + EventLoop::kTurn));
                ++next;
        }
        std::erase_if(waiting_, [](const auto& entry) { return entry.second.empty(); });
        if (!waiting_.empty())
                go_on_timer_.set_time(EventLoop::now() + (left > 0 ? 0ms : kPace));
}

void Connections::serve_waiting(const policy::Account& account, Queue& queue, TimePoint until) {
        while (!queue.empty() && may_go_on(account) && EventLoop::now() < until) {
                const int fd = queue.front();
                auto& client = clients_.at(fd);
                leave_queue(client);
                client.source.set_io_events(client.connection.epoll_events());
                serve(fd, client);
        }
}

void Connections::drop(int fd, bool misbehaved) {
        // The source goes first: epoll must not keep a descriptor that is closed.
        auto node = clients_.extract(fd);
        auto& client = node.mapped();
        client.source = SocketSource();
        if (client.place)
                leave_queue(client);
        left_++;
        const auto& account = client.seat.account();
        if (on_gone_)
                on_gone_({fd, account, client.pid});
        const bool has_gone = client.connection.input_ended();
        closer_.close(client.connection.release(), account, has_gone);
        if (!misbehaved)
                return;
        misbehaved_++;
        if (const auto count = misbehaved_log_.allow(account, EventLoop::now()))
                log(Level::Warning, Event::ClientMisbehaved,
                    "a client of " + account.name() +
                            " was disconnected: it sent what is no message, or descriptors, or "
                            "stopped in the middle of a message or of its replies" +
                            since(*count, "clients"),
                    {{"GOVERNORD_UID", uid_of(account)}});
}

void Connections::sweep() {
        std::vector<int> stuck;
        for (auto& [fd, client] : clients_) {
                // A client that waits for us does not make us wait.
                const auto progress = client.place ? std::nullopt : client.connection.progress();
                if (progress && client.stuck_at == progress)
                        stuck.push_back(fd);
                else
                        client.stuck_at = progress;
        }
        for (const int fd : stuck)
                drop(fd, true);
        accounts_.forget_idle(EventLoop::now());
        if (std::exchange(left_, 0) > kCrowd)
                ::malloc_trim(0);
        sweep_timer_.set_time(EventLoop::now() + kSweep);
}

}  // namespace governor::server
