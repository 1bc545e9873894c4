// SPDX-License-Identifier: MIT
// Clients come, ask and go.
#include "server/server.hpp"

#include <cerrno>
#include <cstring>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <system_error>
#include <utility>

namespace governor::server {

namespace {

/// How many clients one wake-up accepts, so that those who are connected get their turn.
constexpr int kAcceptsPerWakeup = 64;

/// How long nobody is accepted when the descriptors have run out: the backlog keeps them.
constexpr std::chrono::milliseconds kAcceptPause{100};

TimePoint now() { return std::chrono::steady_clock::now(); }

std::chrono::milliseconds since(TimePoint start) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(now() - start);
}

}  // namespace

Server::Server(EventLoop& loop, UnixListener listener, const std::string& root,
               config::Settings settings)
        : loop_(loop), settings_(std::move(settings)), started_(now()),
          sampling_(loop, root, settings_.period), listener_(std::move(listener)),
          listening_(loop.on_io(listener_.fd(), EPOLLIN,
                                [this](std::uint32_t) { accept_clients(); })) {
        warn_if_nothing_is_governed();
}

void Server::apply(config::Settings settings) {
        settings_ = std::move(settings);
        sampling_.set_period(settings_.period);
        warn_if_nothing_is_governed();
}

void Server::warn_if_nothing_is_governed() const {
        const auto& sample = sampling_.sampler().sample();
        if (settings_.cpus && policy::restrict_to(settings_.cpus, sample).cpus.empty())
                spdlog::warn("cpus = {}: none of them is online, so every program is advised 1 "
                             "thread",
                             policy::format_cpu_list(*settings_.cpus));
}

void Server::accept_clients() {
        for (int n = 0; n < kAcceptsPerWakeup; n++) {
                auto fd = listener_.accept();
                if (!fd) {
                        if (fd.error() != EAGAIN && fd.error() != EINTR &&
                            fd.error() != ECONNABORTED)
                                pause_accepting(fd.error());
                        return;
                }
                try {
                        add_client(std::move(*fd));
                } catch (const std::system_error& error) {
                        pause_accepting(error.code().value());
                        return;
                }
        }
}

void Server::add_client(UniqueFd fd) {
        const int number = fd.get();
        auto source =
                loop_.on_io(number, EPOLLIN, [this, number](std::uint32_t) { serve(number); });
        Connection connection(std::move(fd),
                              [this](std::string_view message) { return handle(message); });
        clients_.emplace(number, Client{std::move(connection), std::move(source)});
}

void Server::pause_accepting(int error) {
        if (const auto count = accept_log_.allow(now()))
                spdlog::warn("cannot accept a client: {} ({} since last reported)",
                             std::strerror(error), *count);
        listening_.set_io_events(0);
        accept_again_ =
                loop_.on_time(now() + kAcceptPause, [this] { listening_.set_io_events(EPOLLIN); });
}

void Server::serve(int fd) {
        auto& client = clients_.at(fd);
        const auto before = client.connection.epoll_events();
        const auto state = client.connection.on_ready();
        if (state != Connection::State::Open)
                drop(fd, state);
        else if (const auto after = client.connection.epoll_events(); after != before)
                client.source.set_io_events(after);
}

void Server::drop(int fd, Connection::State state) {
        // The source goes first: epoll must not keep a descriptor that is closed.
        auto node = clients_.extract(fd);
        node.mapped().source = EventSource();
        if (state != Connection::State::Bad)
                return;
        bad_messages_++;
        if (const auto count = bad_message_log_.allow(now()))
                spdlog::warn("a client sent what is no message and was disconnected "
                             "({} since last reported)",
                             *count);
}

std::optional<std::string> Server::handle(std::string_view message) {
        v1::Request request;
        if (!request.ParseFromArray(message.data(), static_cast<int>(message.size())))
                return std::nullopt;
        queries_ += request.has_query() ? 1 : 0;
        return answer(request, view()).SerializeAsString();
}

View Server::view() const {
        const auto& sampler = sampling_.sampler();
        return {settings_,
                sampler.sample(),
                sampling_.topology(),
                Counters{static_cast<std::uint32_t>(clients_.size()), queries_, bad_messages_,
                         sampler.accepted(), sampler.discarded()},
                since(started_),
                sampling_.warm_in()};
}

}  // namespace governor::server
