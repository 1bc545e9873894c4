// SPDX-License-Identifier: MIT
// Who is served when.
#include "server/clients.hpp"

#include "server/log.hpp"

#include <sys/epoll.h>
#include <utility>
#include <vector>

namespace governor::server {

namespace {

/// In units of Connection::work(). A question that is asked once a second costs two, so this is
/// two thousand programs of one user, or 2 % of a core for one who only wants to disturb.
constexpr std::uint32_t kWorkPerSecond = 4000;
constexpr std::uint32_t kBurst = 4000;

/// Accounts that are over their budget go on at this pace, some clients at a time.
constexpr std::chrono::milliseconds kPace{10};

/// Who is found in the middle of a message twice, without progress, is dropped.
constexpr std::chrono::seconds kSweep{10};

TimePoint now() { return std::chrono::steady_clock::now(); }

std::string uid_of(const registry::Account& account) {
        return account.uid ? std::to_string(*account.uid) : std::string();
}

}  // namespace

Clients::Clients(EventLoop& loop, std::size_t most, Handler handler)
        : loop_(loop), handler_(std::move(handler)), accounts_({most, kWorkPerSecond, kBurst}),
          sweep_timer_(loop.on_time(now() + kSweep, [this] { sweep(); })) {}

void Clients::add(UniqueFd fd, const registry::Account& account) {
        accounts_.charge(account, 1, now());
        auto seat = accounts_.admit(account);
        if (!seat)
                return refuse(account);
        const int number = fd.get();
        auto source =
                loop_.on_io(number, EPOLLIN, [this, number](std::uint32_t) { on_event(number); });
        Connection connection(std::move(fd), [this, account](std::string_view message) {
                return handler_(message, account);
        });
        clients_.emplace(number,
                         Client{std::move(*seat), std::move(connection), std::move(source)});
}

void Clients::refuse(const registry::Account& account) {
        refused_++;
        if (const auto count = refused_log_.allow(now()))
                log(Level::Warning, Event::ClientRefused,
                    account.name() + " holds " + std::to_string(accounts_.connections(account)) +
                            " connections, as many as it leaves free; one more was refused" +
                            since(*count),
                    {{"GOVERNORD_UID", uid_of(account)}});
}

void Clients::on_event(int fd) {
        auto& client = clients_.at(fd);
        const auto& account = client.seat.account();
        if (waiting_.contains(account) || accounts_.wait(account, now()).count() > 0)
                wait(fd, client);
        else
                serve(fd, client);
}

void Clients::serve(int fd, Client& client) {
        auto& connection = client.connection;
        const auto events = connection.epoll_events();
        const auto work = connection.work();
        const auto state = connection.on_ready();
        accounts_.charge(client.seat.account(), connection.work() - work, now());
        if (state != Connection::State::Open)
                drop(fd, state == Connection::State::Bad);
        else if (connection.epoll_events() != events)
                client.source.set_io_events(connection.epoll_events());
}

void Clients::wait(int fd, Client& client) {
        if (waiting_.empty())
                go_on_timer_ = loop_.on_time(now() + kPace, [this] { go_on(); });
        client.source.set_enabled(false);
        client.is_waiting = true;
        waiting_[client.seat.account()].push_back(fd);
}

void Clients::go_on() {
        for (auto& [account, queue] : waiting_)
                while (!queue.empty() && accounts_.wait(account, now()).count() == 0) {
                        const int fd = queue.front();
                        queue.pop_front();
                        auto& client = clients_.at(fd);
                        client.is_waiting = false;
                        client.source.set_enabled(true);
                        serve(fd, client);
                }
        std::erase_if(waiting_, [](const auto& entry) { return entry.second.empty(); });
        if (!waiting_.empty())
                go_on_timer_.set_time(now() + kPace);
}

void Clients::drop(int fd, bool misbehaved) {
        // The source goes first: epoll must not keep a descriptor that is closed.
        auto node = clients_.extract(fd);
        auto& client = node.mapped();
        client.source = SocketSource();
        if (!misbehaved)
                return;
        misbehaved_++;
        const auto& account = client.seat.account();
        if (const auto count = misbehaved_log_.allow(now()))
                log(Level::Warning, Event::ClientMisbehaved,
                    "a client of " + account.name() +
                            " was disconnected: it sent what is no message, or stopped in the "
                            "middle of one" +
                            since(*count),
                    {{"GOVERNORD_UID", uid_of(account)}});
}

void Clients::sweep() {
        std::vector<int> stuck;
        for (auto& [fd, client] : clients_) {
                const auto progress = client.connection.progress();
                if (client.is_waiting || !client.connection.is_in_the_middle())
                        client.stuck_at.reset();
                else if (client.stuck_at == progress)
                        stuck.push_back(fd);
                else
                        client.stuck_at = progress;
        }
        for (const int fd : stuck)
                drop(fd, true);
        accounts_.forget_idle(now());
        sweep_timer_.set_time(now() + kSweep);
}

}  // namespace governor::server
