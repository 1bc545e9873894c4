// SPDX-License-Identifier: MIT
//
// The yardstick: a server that does nothing but answer so many bytes to so many bytes, one thread
// around epoll like the governor. A question that takes long here takes long because of the
// machine.
#include "descriptors.hpp"
#include "identity.hpp"
#include "mains.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unordered_map>

namespace bench {

namespace {

constexpr std::size_t kMostWaiting = 65536;  // bytes; a client that does not read is not read from
constexpr int kAcceptsAtOnce = 64;  // others have their turn in between, as in the governor
constexpr std::uint32_t kListener = UINT32_MAX;
#ifdef SO_PASSRIGHTS
constexpr int kPassRights = SO_PASSRIGHTS;
#else
constexpr int kPassRights = 83;  // since Linux 6.16
#endif

struct Sizes {
        std::size_t request;
        std::size_t reply;
};

struct Peer {
        UniqueFd fd;
        std::size_t received = 0;  // of the request that is not complete
        std::size_t waiting = 0;   // bytes of answers that are not sent
        std::uint32_t events = EPOLLIN;
};

class Echo {
public:
        Echo(const std::string& path, Sizes sizes) : sizes_(sizes), listener_(listen_at(path)) {
                ::chmod(path.c_str(), 0666);
                // This thread would close what is attached to a request, however long that takes.
                // An older kernel attaches it anyway.
                constexpr int kNo = 0;
                (void)::setsockopt(listener_.get(), SOL_SOCKET, kPassRights, &kNo, sizeof(kNo));
                watch_.add(listener_.get(), EPOLLIN, kListener);
        }

        [[noreturn]] void run() {
                for (;;)
                        for (const auto& event : watch_.wait(-1))
                                if (event.data.u32 == kListener)
                                        accept_some();
                                else
                                        serve(event.data.u32);
        }

private:
        void accept_some() {
                for (int i = 0; i < kAcceptsAtOnce; i++) {
                        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr,
                                              SOCK_CLOEXEC | SOCK_NONBLOCK));
                        if (!fd)
                                return;
                        const auto number = static_cast<std::uint32_t>(fd.get());
                        watch_.add(fd.get(), EPOLLIN, number);
                        peers_[number].fd = std::move(fd);
                }
        }

        void serve(std::uint32_t number) {
                auto& peer = peers_.at(number);
                if (!receive(peer) || !send_waiting(peer)) {
                        peers_.erase(number);
                        return;
                }
                const auto events = (peer.waiting < kMostWaiting ? EPOLLIN : 0U) |
                                    (peer.waiting > 0 ? EPOLLOUT : 0U);
                if (events != peer.events)
                        watch_.change(peer.fd.get(), events, number);
                peer.events = events;
        }

        bool receive(Peer& peer) const {
                if (peer.waiting >= kMostWaiting)
                        return true;
                std::array<char, 4096> chunk;
                const auto n = ::recv(peer.fd.get(), chunk.data(), chunk.size(), 0);
                if (n <= 0)
                        return n < 0 && errno == EAGAIN;
                peer.received += static_cast<std::size_t>(n);
                peer.waiting += peer.received / sizes_.request * sizes_.reply;
                peer.received %= sizes_.request;
                return true;
        }

        static bool send_waiting(Peer& peer) {
                static const std::array<char, 4096> nothing{};
                while (peer.waiting > 0) {
                        const auto n = ::send(peer.fd.get(), nothing.data(),
                                              std::min(peer.waiting, nothing.size()), MSG_NOSIGNAL);
                        if (n < 0)
                                return errno == EAGAIN;
                        peer.waiting -= static_cast<std::size_t>(n);
                }
                return true;
        }

        Sizes sizes_;
        UniqueFd listener_;
        Watch watch_;
        std::unordered_map<std::uint32_t, Peer> peers_;
};

}  // namespace

}  // namespace bench

int bench::echo_main(int argc, char** argv) {
        std::string path;
        bench::Sizes sizes{};
        CLI::App app{"Answers --reply-bytes zeros to each --request-bytes bytes.", "bench/echo"};
        app.add_option("--socket", path, "Listen on this path")->required();
        app.add_option("--request-bytes", sizes.request)->required()->check(CLI::Range(1, 65536));
        app.add_option("--reply-bytes", sizes.reply)->required()->check(CLI::Range(1, 65536));
        CLI11_PARSE(app, argc, argv);
        try {
                bench::become(std::nullopt);
                bench::Echo(path, sizes).run();
        } catch (const std::exception& error) {
                std::fprintf(stderr, "echo: %s\n", error.what());
                return 1;
        }
}
