// SPDX-License-Identifier: MIT
// A stream of bytes through a connection: as many replies as whole messages, in order, whatever
// the pieces it arrives in. The first byte says how long the pieces are.
#include "require.hpp"
#include "server/connections/connection.hpp"

#include <algorithm>
#include <array>
#include <governor/v1/frame.h>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

using governor::server::Connection;
using governor::server::UniqueFd;

namespace {

struct Messages {
        std::vector<std::string> whole;
        bool invalid = false;  // what follows them is no message
        std::string partial;   // what follows them and is not over
};

/// The framing, spelt out once more in another way.
Messages split(std::string_view stream) {
        Messages messages;
        while (!stream.empty()) {
                std::size_t length = 0;
                std::size_t n = 0;
                bool ended = false;
                while (n < stream.size() && n < 3 && !ended) {
                        const auto byte = static_cast<unsigned char>(stream[n]);
                        length += static_cast<std::size_t>(byte % 128) << (7 * n);
                        ended = byte < 128;
                        n++;
                }
                messages.invalid = ended ? length > GOVERNOR_REQUEST_MAX : n == 3;
                if (messages.invalid)
                        return messages;
                if (!ended || stream.size() - n < length) {
                        messages.partial = stream;
                        return messages;
                }
                messages.whole.emplace_back(stream.substr(n, length));
                stream.remove_prefix(n + length);
        }
        return messages;
}

void check_offsets(std::string_view stream) {
        std::size_t begin = 0;
        std::size_t end = 0;
        const auto frame =
                governor_frame_parse(reinterpret_cast<const std::uint8_t*>(stream.data()),
                                     stream.size(), GOVERNOR_REQUEST_MAX, &begin, &end);
        if (frame != GOVERNOR_FRAME_COMPLETE)
                return;
        require(begin >= 1 && begin <= GOVERNOR_PREFIX_MAX, "a prefix has one to three bytes");
        require(begin <= end && end <= stream.size(), "a message lies inside the buffer");
        require(end - begin <= GOVERNOR_REQUEST_MAX, "a message is not longer than the limit");
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix{};
        require(governor_frame_prefix(end - begin, prefix.data()) <= begin,
                "the written prefix is the shortest");
}

std::string receive(int fd) {
        std::string bytes;
        std::array<char, 65536> chunk;
        for (ssize_t n; (n = recv(fd, chunk.data(), chunk.size(), MSG_DONTWAIT)) > 0;)
                bytes.append(chunk.data(), static_cast<std::size_t>(n));
        return bytes;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        if (size == 0)
                return 0;
        const std::size_t piece = std::size_t{1} + data[0] * std::size_t{data[0]};
        const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
        check_offsets(stream);
        const auto expected = split(stream);

        int ends[2];
        require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0,
                "there are sockets");
        const UniqueFd client(ends[1]);
        std::vector<std::string> handled;
        Connection connection(UniqueFd(ends[0]), [&](std::string_view message) {
                handled.emplace_back(message);
                return std::optional<std::string>(message);
        });
        auto state = Connection::State::Open;
        std::string replies;
        // At most 4096 bytes are read at a time, so no piece may be longer.
        const auto step = std::min<std::size_t>(piece, 4096);
        for (std::size_t i = 0; i < stream.size() && state == Connection::State::Open; i += step) {
                const auto bytes = stream.substr(i, step);
                require(send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                                static_cast<ssize_t>(bytes.size()),
                        "the connection reads all it is sent");
                do {
                        state = connection.on_ready();
                        replies += receive(client.get());
                } while (state == Connection::State::Open && connection.has_more());
                require(state != Connection::State::Open ||
                                (connection.epoll_events() & EPOLLIN) != 0,
                        "who reads its replies is read from");
        }
        require(handled == expected.whole, "each whole message is handled once and in order");
        require((state == Connection::State::Bad) == expected.invalid,
                "what is no message ends the connection, and nothing else does");
        const auto echoed = split(replies);
        require(echoed.whole == handled && !echoed.invalid && echoed.partial.empty(),
                "each message has its reply, whole and in order");
        if (state == Connection::State::Open) {
                shutdown(client.get(), SHUT_WR);
                require(connection.on_ready() == (expected.partial.empty()
                                                          ? Connection::State::Closed
                                                          : Connection::State::Bad),
                        "only half a message is a bad end");
        }
        return 0;
}
