// SPDX-License-Identifier: MIT
// Hello, map, bye.
#include "lease.hpp"

#include "descriptors.hpp"
#include "questions.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::chrono::milliseconds kBeforeNextTry{1};

void* map(int fd, std::size_t size, int protection) {
        void* start = ::mmap(nullptr, size, protection, MAP_SHARED, fd, 0);
        if (start == MAP_FAILED)
                fail("mmap of an arena");
        return start;
}

UniqueFd connect_blocking(const std::string& path) {
        for (;;) {
                auto fd = connect_to(path);
                if (!fd) {
                        std::this_thread::sleep_for(kBeforeNextTry);
                        continue;
                }
                if (::fcntl(fd.get(), F_SETFL, 0) < 0)
                        fail("fcntl");
                return fd;
        }
}

governor::v1::Reply parsed(const std::string& body) {
        governor::v1::Reply reply;
        if (!reply.ParseFromString(body))
                throw std::runtime_error("the governor sent what is no reply");
        if (reply.has_error())
                throw std::runtime_error("the governor refused: " + reply.error().message());
        return reply;
}

}  // namespace

Pages::Pages(int grants_fd, int reports_fd) {
        if (::pread(grants_fd, &header_, sizeof(header_), 0) != sizeof(header_))
                fail("header of an arena");
        grants_ = static_cast<const std::byte*>(map(grants_fd, header_.size, PROT_READ));
        reports_ = static_cast<std::byte*>(
                map(reports_fd, header_.report_size, PROT_READ | PROT_WRITE));
}

Pages::~Pages() {
        ::munmap(const_cast<std::byte*>(grants_), header_.size);
        ::munmap(reports_, header_.report_size);
}

void Pages::begin_region(std::uint32_t slot) const {
        const auto at = std::size_t{slot} * header_.report_slot_size;
        const auto number = [&](std::size_t offset) -> std::atomic<std::uint64_t>& {
                return *reinterpret_cast<std::atomic<std::uint64_t>*>(reports_ + at + offset);
        };
        auto& regions = number(offsetof(governor_report_slot, regions));
        const auto grant = word(slot);
        regions.store(regions.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        number(offsetof(governor_report_slot, word))
                .store(governor_word(governor_word_epoch(grant), governor_word_threads(grant),
                                     GOVERNOR_REPORT_IN_REGION),
                       std::memory_order_release);
}

Lease::Lease(const std::string& governor) : socket_(connect_blocking(governor)) {}

std::int64_t Lease::send(const std::string& request) {
        const auto bytes = framed(request);
        request_bytes_ = bytes.size();
        const auto sent_ns = now_ns();
        if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size()))
                fail("send to the governor");
        return sent_ns;
}

std::string Lease::receive() {
        std::string received;
        for (;;) {
                std::array<char, 4096> chunk;
                alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
                iovec bytes{chunk.data(), chunk.size()};
                msghdr message{};
                message.msg_iov = &bytes;
                message.msg_iovlen = 1;
                message.msg_control = control.data();
                message.msg_controllen = control.size();
                const auto n = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
                if (n <= 0)
                        throw std::runtime_error("the governor ended the connection");
                received.append(chunk.data(), static_cast<std::size_t>(n));
                const auto* header = CMSG_FIRSTHDR(&message);
                if (header != nullptr && header->cmsg_type == SCM_RIGHTS &&
                    header->cmsg_len == CMSG_LEN(2 * sizeof(int))) {
                        std::array<int, 2> fds{};
                        std::memcpy(fds.data(), CMSG_DATA(header), sizeof(fds));
                        grants_ = UniqueFd(fds[0]);
                        reports_ = UniqueFd(fds[1]);
                }
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto frame =
                        governor_frame_parse(reinterpret_cast<const std::uint8_t*>(received.data()),
                                             received.size(), GOVERNOR_REPLY_MAX, &begin, &end);
                if (frame == GOVERNOR_FRAME_INVALID)
                        throw std::runtime_error("the governor sent what is no message");
                if (frame == GOVERNOR_FRAME_PARTIAL)
                        continue;
                reply_bytes_ = end;
                return received.substr(begin, end - begin);
        }
}

std::int64_t Lease::hello(const Wishes& wishes) {
        governor::v1::Request request;
        request.set_protocol(1);
        auto& wanted = *request.mutable_hello()->mutable_wishes();
        wanted.set_max(wishes.max);
        wanted.set_weight(wishes.weight);
        const auto sent_ns = send(request.SerializeAsString());
        const auto reply = parsed(receive());
        if (!reply.has_welcome() || !grants_ || !reports_)
                throw std::runtime_error("no welcome came, or one without its memory");
        slot_ = reply.welcome().slot();
        return sent_ns;
}

std::int64_t Lease::bye() {
        governor::v1::Request request;
        request.set_protocol(1);
        request.mutable_bye();
        const auto sent_ns = send(request.SerializeAsString());
        (void)parsed(receive());
        return sent_ns;
}

}  // namespace bench
