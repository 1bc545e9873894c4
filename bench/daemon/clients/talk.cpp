// SPDX-License-Identifier: MIT
// poll() in slices: a server that is frozen must not freeze its attacker.
#include "talk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <poll.h>
#include <sys/socket.h>

namespace bench {

namespace {

constexpr int kSlice = 50;  // ms

volatile std::sig_atomic_t told_to_end = 0;

/// True when the descriptor is ready; false: SIGTERM.
bool await(int fd, short events) {
        pollfd wanted{fd, events, 0};
        while (!was_told_to_end())
                if (::poll(&wanted, 1, kSlice) == 1)
                        return true;
        return false;
}

}  // namespace

void heed_sigterm() {
        std::signal(SIGTERM, [](int) { told_to_end = 1; });
}

bool was_told_to_end() { return told_to_end != 0; }

void rest_ms(int milliseconds) {
        for (; milliseconds > 0 && !was_told_to_end(); milliseconds -= kSlice)
                (void)::poll(nullptr, 0, std::min(milliseconds, kSlice));
}

Talk::Talk(const Target& target) : target_(target) {
        while (!fd_ && !was_told_to_end()) {
                fd_ = connect_to(target.socket);
                if (!fd_)
                        rest_ms(1);
        }
}

bool Talk::say(std::string_view bytes, std::size_t messages) {
        said_bytes_ += bytes.size();
        open_messages_ += messages;
        while (!bytes.empty() && fd_) {
                const auto n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
                if (n > 0) {
                        bytes.remove_prefix(static_cast<std::size_t>(n));
                        continue;
                }
                if (errno != EAGAIN && errno != EINTR)
                        fd_ = UniqueFd();
                // A server that does not read may be waiting for us to read.
                else if (!await(fd_.get(), POLLIN | POLLOUT) || !receive())
                        return false;
        }
        return is_open();
}

bool Talk::hear_all() {
        is_first_ = true;
        const auto is_answered = [&] {
                return target_.request_bytes == 0
                               ? open_messages_ == 0
                               : heard_bytes_ >=
                                         said_bytes_ / target_.request_bytes * target_.reply_bytes;
        };
        while (!is_answered())
                if (!fd_ || !await(fd_.get(), POLLIN) || !receive())
                        return false;
        return true;
}

/// Reads the bytes that have arrived, if any.
bool Talk::receive() {
        std::array<char, 65536> chunk;
        const auto n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return true;
        if (n <= 0) {
                fd_ = UniqueFd();
                return false;
        }
        heard_bytes_ += static_cast<std::size_t>(n);
        if (target_.request_bytes > 0) {
                is_welcome_ = true;
                return true;
        }
        received_.append(chunk.data(), static_cast<std::size_t>(n));
        count_answers();
        return true;
}

void Talk::count_answers() {
        std::size_t done = 0;
        for (;;) {
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto frame = governor_frame_parse(
                        reinterpret_cast<const std::uint8_t*>(received_.data()) + done,
                        received_.size() - done, GOVERNOR_REPLY_MAX, &begin, &end);
                if (frame != GOVERNOR_FRAME_COMPLETE)
                        break;
                if (is_first_) {
                        governor::v1::Reply reply;
                        is_welcome_ = reply.ParseFromArray(received_.data() + done + begin,
                                                           static_cast<int>(end - begin)) &&
                                      reply.has_welcome();
                        is_first_ = false;
                }
                done += end;
                open_messages_ -= open_messages_ > 0 ? 1 : 0;
        }
        received_.erase(0, done);
}

}  // namespace bench
