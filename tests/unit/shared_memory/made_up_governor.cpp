// SPDX-License-Identifier: MIT
// Its messages are bytes that are written here, not made by the code that is tested.
#include "made_up_governor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <governor/v1/frame.h>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace shared_memory_test {

using governor::server::UniqueFd;

namespace {

/// Below 16384, in protobuf's encoding.
unsigned number_at(const unsigned char* bytes) {
        return bytes[0] < 0x80 ? bytes[0] : (bytes[0] & 0x7fU) | unsigned{bytes[1]} << 7;
}

}  // namespace

MadeUpGovernor::MadeUpGovernor(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
        listener_ = UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ::unlink(path.c_str());
        EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address),
                         sizeof(address)),
                  0);
        EXPECT_EQ(::listen(listener_.get(), 8), 0);
}

MadeUpGovernor::~MadeUpGovernor() { die(); }

void MadeUpGovernor::start() {
        thread_ = std::thread([this] { run(); });
}

void MadeUpGovernor::die() {
        is_over_ = true;
        if (thread_.joinable())
                thread_.join();
        listener_ = UniqueFd();
        connections_.clear();
}

std::uint32_t MadeUpGovernor::publish(std::uint32_t threads, bool is_parked, bool is_crowded) {
        governor::policy::fair::Grant grant;
        grant.threads = threads;
        grant.cpus.add(1);
        grant.parked = is_parked;
        grant.crowded = is_crowded;
        return arena_.publish(0, grant);
}

void MadeUpGovernor::call() {
        const std::lock_guard lock(mutex_);
        for (const auto& connection : connections_)
                EXPECT_EQ(::send(connection.get(), "\2\x62\0", 3, MSG_NOSIGNAL), 3);
}

void MadeUpGovernor::call_some() {
        const std::lock_guard lock(mutex_);
        for (const auto& connection : connections_)
                (void)::send(connection.get(), "\2\x62\0", 3, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::size_t MadeUpGovernor::welcomed() {
        const std::lock_guard lock(mutex_);
        return connections_.size();
}

bool MadeUpGovernor::was_told(unsigned field) {
        const std::lock_guard lock(mutex_);
        std::size_t begin = 0;
        std::size_t end = 0;
        if (governor_frame_parse(reinterpret_cast<const std::uint8_t*>(hello_.data()),
                                 hello_.size(), GOVERNOR_REQUEST_MAX, &begin,
                                 &end) != GOVERNOR_FRAME_COMPLETE)
                return false;
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(hello_.at(i)); };
        // Request: protocol = 1, hello = { ... } with a length of one or two bytes.
        std::size_t i = begin + 2;
        EXPECT_EQ(byte(i), 6U << 3 | 2);
        for (i += byte(i + 1) < 0x80 ? 2 : 3; i < end;) {
                const auto tag = byte(i++);
                if (tag >> 3 == field)
                        return true;
                const auto length = (tag & 7) == 2 ? std::size_t{byte(i)} : 0;
                i += 1 + length;
        }
        return false;
}

unsigned MadeUpGovernor::max_of_hello() {
        const std::lock_guard lock(mutex_);
        const std::size_t at = hello_.find('\x12');  // wishes = { max = ... }
        return at != std::string::npos && hello_.size() > at + 4 && hello_[at + 2] == 2 << 3
                       ? number_at(reinterpret_cast<const unsigned char*>(&hello_[at + 3]))
                       : 0;
}

unsigned MadeUpGovernor::updated_max() {
        const std::lock_guard lock(mutex_);
        unsigned char bytes[64];
        const auto n = connections_.empty() ? 0
                                            : ::recv(connections_.back().get(), bytes,
                                                     sizeof(bytes), MSG_DONTWAIT);
        // Behind its length, Request: protocol = 1, update = { wishes = { max = ... } }.
        constexpr unsigned char kTags[] = {1 << 3, 1, 7 << 3 | 2, 0, 1 << 3 | 2, 0, 2 << 3};
        if (n < 9)
                return updated_max_;
        for (std::size_t i = 0; i < std::size(kTags); i++)
                EXPECT_TRUE(kTags[i] == 0 || bytes[i + 1] == kTags[i]) << i;
        updated_max_ = number_at(&bytes[8]);
        const auto behind_wishes = std::size_t{7} + bytes[6];
        updated_keeps_ = std::cmp_less(behind_wishes, n) && bytes[behind_wishes] == 4 << 3;
        const auto behind_keeps = behind_wishes + 2;
        updated_sleeps_ = std::cmp_less(behind_keeps, n) && bytes[behind_keeps] == 5 << 3;
        const auto sent = ::send(connections_.back().get(), "\2\x3a\0", 3, MSG_NOSIGNAL);
        EXPECT_TRUE(sent == 3 || errno == EPIPE || errno == ECONNRESET) << "Done, or it has ended";
        return updated_max_;
}

void MadeUpGovernor::run() {
        while (!is_over_) {
                if (!is_hanging_) {
                        arena_.beat();
                        beats_++;
                }
                pollfd fd{listener_.get(), POLLIN, 0};
                if (::poll(&fd, 1, 50) > 0 && !is_hanging_)
                        welcome(UniqueFd(::accept(listener_.get(), nullptr, nullptr)));
        }
}

void MadeUpGovernor::welcome(UniqueFd connection) {
        char hello[4096];
        const auto n = ::recv(connection.get(), hello, sizeof(hello), 0);
        char bytes[] = "\2\x32";  // with its 0: a Welcome to slot 0
        iovec reply{bytes, sizeof(bytes)};
        msghdr message{};
        message.msg_iov = &reply;
        message.msg_iovlen = 1;
        const int passed[2] = {arena_.grants_fd(), arena_.reports_fd()};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(passed))] = {};
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        auto* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(passed));
        std::memcpy(CMSG_DATA(header), passed, sizeof(passed));
        const std::lock_guard lock(mutex_);
        updated_max_ = 0;
        hello_.assign(hello, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        EXPECT_EQ(::sendmsg(connection.get(), &message, MSG_NOSIGNAL), 3);
        connections_.push_back(std::move(connection));
}

}  // namespace shared_memory_test
