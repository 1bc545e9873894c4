// SPDX-License-Identifier: MIT
// Sockets and messages.
#include "transport.hpp"

#include "clock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <governor/v1/listener.h>
#include <netinet/tcp.h>
#include <pb_decode.h>
#include <pb_encode.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace threadcount {

namespace {

constexpr std::uint32_t kProtocol = 1;

bool decode(const std::uint8_t* data, std::size_t size, governor_v1_Reply* ret_reply) {
        *ret_reply = governor_v1_Reply_init_zero;
        auto stream = pb_istream_from_buffer(data, size);
        return pb_decode(&stream, governor_v1_Reply_fields, ret_reply);
}

/// A newer peer may name a value that the enum cannot hold: looks at the bits.
template <class Enum>
int number_of(const Enum& value) {
        int number = 0;
        static_assert(sizeof(number) == sizeof(value));
        memcpy(&number, &value, sizeof(number));
        return number;
}

int answer_of(const governor_v1_Reply& reply, Answer* ret_answer) {
        if (reply.which_kind != governor_v1_Reply_advice_tag)
                return -EPROTO;
        const auto& advice = reply.kind.advice;
        ret_answer->threads = advice.threads;
        ret_answer->free = advice.free;
        ret_answer->total = advice.total;
        ret_answer->warming_up = number_of(advice.reason) == governor_v1_Advice_Reason_WARMING_UP;
        ret_answer->settle_ms = advice.settle_ms;
        ret_answer->warm_in_ms = advice.warm_in_ms;
        ret_answer->leases = advice.leases;
        static_assert(sizeof(ret_answer->explanation) == sizeof(advice.explanation));
        memcpy(ret_answer->explanation, advice.explanation, sizeof(advice.explanation));
        return 0;
}

/// Why there is no welcome. A governor that has never heard of leases answers questions.
int refusal_of(const governor_v1_Reply& reply) {
        if (reply.which_kind != governor_v1_Reply_error_tag)
                return -EPROTO;
        switch (number_of(reply.kind.error.code)) {
        case governor_v1_Error_Code_NOT_GOVERNING:
        case governor_v1_Error_Code_UNKNOWN_REQUEST:
        case governor_v1_Error_Code_NOT_PERMITTED:
        case governor_v1_Error_Code_NOT_KNOWN:
                return -EOPNOTSUPP;
        case governor_v1_Error_Code_TOO_MANY:
                return -EUSERS;
        default:
                return -EPROTO;
        }
}

template <class Field>
void put(const CpuBytes& cpus, Field* ret_field) {
        static_assert(sizeof(ret_field->bytes) == sizeof(cpus.bytes));
        ret_field->size = static_cast<pb_size_t>(cpus.size);
        memcpy(ret_field->bytes, cpus.bytes, cpus.size);
}

void put(const Wishes& wishes, governor_v1_Wishes* ret_field) {
        ret_field->max = wishes.max;
        ret_field->scheduling_class =
                wishes.is_batch ? governor_v1_Class_BATCH : governor_v1_Class_INTERACTIVE;
}

/// Numbers 0 to 2 are the program's standard streams, even if it has closed them: what it prints
/// must not go to the governor. Takes `fd` over. Returns a descriptor or a negative errno.
int above_streams(int fd) {
        if (fd > STDERR_FILENO)
                return fd;
        const int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int result = higher < 0 ? -errno : higher;
        close(fd);
        return result;
}

/// Returns a descriptor or a negative errno.
int open_socket(int family) {
        const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        return fd < 0 ? -errno : above_streams(fd);
}

/// TCP can connect a socket to itself if its own port happens to be the one that it looks for and
/// nobody listens there.
bool is_connected_to_itself(int fd) {
        Address own = {};
        Address peer = {};
        socklen_t own_length = sizeof(own);
        socklen_t peer_length = sizeof(peer);
        return getsockname(fd, &own.any, &own_length) == 0 &&
               getpeername(fd, &peer.any, &peer_length) == 0 && own_length == peer_length &&
               memcmp(&own, &peer, own_length) == 0;
}

/// Why there is no governor at one address, which must not be forgotten for "nobody is there".
bool tells_much(int error) { return error == -EACCES || error == -EPERM; }

}  // namespace

CpuBytes::CpuBytes(const CpuMask& mask) {
        for (std::size_t byte = 0; byte < sizeof(bytes); byte++) {
                bytes[byte] = static_cast<std::uint8_t>(mask.words[byte / 8] >> (byte % 8 * 8));
                if (bytes[byte] != 0)
                        size = byte + 1;
        }
}

bool Transport::is_ours() const {
        struct stat status {};
        return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_dev == device_ &&
               status.st_ino == inode_;
}

bool Transport::connected() {
        if (fd_ >= 0 && !is_ours()) {
                fd_ = -1;
                received_ = 0;
                drop_descriptors();
        }
        return fd_ >= 0;
}

void Transport::drop_descriptors() {
        for (int& fd : descriptors_)
                if (const int old = std::exchange(fd, -1); old >= 0)
                        close(old);
        lacked_room_ = false;
}

void Transport::hang_up() {
        if (is_ours())
                shutdown(fd_, SHUT_RDWR);
        disconnect();
}

bool Transport::is_hung_up() const {
        pollfd poll_fd{fd_, POLLRDHUP, 0};
        return !is_ours() || (poll(&poll_fd, 1, 0) > 0 && poll_fd.revents != 0);
}

void Transport::drop_some() {
        char some[64];
        (void)recv(fd_, some, sizeof(some), MSG_DONTWAIT);
}

void Transport::disconnect() {
        if (is_ours())
                close(fd_);
        fd_ = -1;
        received_ = 0;
        drop_descriptors();
}

int Transport::connect(const Addresses& addresses, std::uint64_t deadline_ns) {
        disconnect();
        peer_ = nullptr;
        stranger_ = kNobody;
        int error = addresses.error() != 0 ? addresses.error() : -ENOENT;
        for (const auto& address : addresses) {
                uid_t stranger = kNobody;
                int result = open(address);
                if (result == 0)
                        result = connect_to(address, deadline_ns);
                if (result == 0)
                        result = look_at_listener(address, &stranger);
                if (result == 0 || !tells_much(error)) {
                        peer_ = &address;
                        stranger_ = stranger;
                        error = result;
                }
                if (result == 0)
                        return 0;
                disconnect();
        }
        return error;
}

int Transport::open(const Address& address) {
        const int fd = open_socket(address.any.sa_family);
        if (fd < 0)
                return fd;
        struct stat status {};
        if (fstat(fd, &status) < 0) {
                const int error = -errno;
                close(fd);
                return error;
        }
        fd_ = fd;
        device_ = status.st_dev;
        inode_ = status.st_ino;
        return 0;
}

int Transport::connect_to(const Address& address, std::uint64_t deadline_ns) {
        const int on = 1;
        if (address.any.sa_family != AF_UNIX)
                setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        if (::connect(fd_, &address.any, address.length) == 0)
                return 0;
        return errno == EINPROGRESS ? finish_connecting(deadline_ns)
               : errno == EAGAIN    ? -ETIMEDOUT
                                    : -errno;
}

int Transport::finish_connecting(std::uint64_t deadline_ns) const {
        const int waited = wait_for(POLLOUT, deadline_ns);
        if (waited < 0)
                return waited == -EAGAIN ? -ETIMEDOUT : waited;
        int error = 0;
        socklen_t length = sizeof(error);
        if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
                return -errno;
        return error == 0 && is_connected_to_itself(fd_) ? -ECONNREFUSED : -error;
}

/// TCP tells of no users.
int Transport::look_at_listener(const Address& address, uid_t* ret_stranger) const {
        uid_t owner = kNobody;
        if (address.any.sa_family != AF_UNIX ||
            governor_is_believed(fd_, address.local.sun_path, &owner) != 0)
                return 0;
        *ret_stranger = owner;
        return -EPERM;
}

int Transport::send(const Question& question) {
        governor_v1_Request request = governor_v1_Request_init_zero;
        request.protocol = kProtocol;
        request.which_kind = governor_v1_Request_query_tag;
        request.kind.query.current = question.current;
        request.kind.query.max = question.max;
        return encode_and_send(request);
}

int Transport::send(const Wishes& wishes, const CpuBytes& holds) {
        governor_v1_Request request = governor_v1_Request_init_zero;
        request.protocol = kProtocol;
        request.which_kind = governor_v1_Request_hello_tag;
        auto& hello = request.kind.hello;
        if (wishes.label != nullptr)
                snprintf(hello.label, sizeof(hello.label), "%s", wishes.label);
        hello.has_wishes = true;
        put(wishes, &hello.wishes);
        hello.start_only = wishes.start_only;
        hello.can_wait = wishes.can_wait;
        hello.keeps = wishes.keeps;
        hello.sleeps = wishes.sleeps;
        if (wishes.job != nullptr)
                snprintf(hello.job, sizeof(hello.job), "%s", wishes.job);
        put(holds, &hello.holds);
        if (wishes.affinity != nullptr)
                put(CpuBytes(*wishes.affinity), &hello.affinity);
        return encode_and_send(request);
}

int Transport::update(const Wishes& wishes) {
        governor_v1_Request request = governor_v1_Request_init_zero;
        request.protocol = kProtocol;
        request.which_kind = governor_v1_Request_update_tag;
        request.kind.update.has_wishes = true;
        put(wishes, &request.kind.update.wishes);
        request.kind.update.keeps = wishes.keeps;
        request.kind.update.sleeps = wishes.sleeps;
        return encode_and_send(request);
}

int Transport::encode_and_send(const governor_v1_Request& request) {
        std::uint8_t message[GOVERNOR_PREFIX_MAX + governor_v1_Request_size];
        auto stream = pb_ostream_from_buffer(message, sizeof(message));
        if (!pb_encode_ex(&stream, governor_v1_Request_fields, &request, PB_ENCODE_DELIMITED)) {
                hang_up();
                return -EPROTO;
        }
        // A message this short fits into the socket's buffer or the peer does not read at all.
        const auto n = ::send(fd_, message, stream.bytes_written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n == static_cast<ssize_t>(stream.bytes_written))
                return 0;
        const int error = n < 0 && errno != EAGAIN ? -errno : -ETIMEDOUT;
        hang_up();
        return error;
}

int Transport::wait_for(short events, std::uint64_t deadline_ns) const {
        constexpr std::uint64_t kSecond_ns = 1'000'000'000;
        pollfd poll_fd{fd_, events, 0};
        for (;;) {
                const auto now = now_ns();
                const auto left_ns = deadline_ns > now ? deadline_ns - now : 0;
                const timespec left{static_cast<time_t>(left_ns / kSecond_ns),
                                    static_cast<long>(left_ns % kSecond_ns)};
                const int n = ppoll(&poll_fd, 1, &left, nullptr);
                if (n > 0)
                        return 0;
                if (n == 0)
                        return -EAGAIN;
                if (errno != EINTR)
                        return -errno;
        }
}

/// Sets the end of the reply at the start of the buffer.
int Transport::find_frame(std::size_t* ret_begin, std::size_t* ret_end) const {
        switch (governor_frame_parse(buffer_, received_, GOVERNOR_REPLY_MAX, ret_begin, ret_end)) {
        case GOVERNOR_FRAME_PARTIAL:
                return received_ < sizeof(buffer_) ? -EAGAIN : -EPROTO;
        case GOVERNOR_FRAME_INVALID:
                return -EPROTO;
        case GOVERNOR_FRAME_COMPLETE:
                break;
        }
        return *ret_end == received_ ? 0 : -EPROTO;
}

/// Takes descriptors that come with it.
ssize_t Transport::read_some() {
        iovec bytes{buffer_ + received_, sizeof(buffer_) - received_};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(descriptors_))];
        msghdr message{};
        message.msg_iov = &bytes;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        const auto n = recvmsg(fd_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        const auto* header = n > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
        if (header != nullptr && header->cmsg_level == SOL_SOCKET &&
            header->cmsg_type == SCM_RIGHTS) {
                drop_descriptors();
                const auto size = header->cmsg_len - CMSG_LEN(0);
                memcpy(descriptors_, CMSG_DATA(header), std::min(size, sizeof(descriptors_)));
                for (int& fd : descriptors_) {
                        fd = fd < 0 ? fd : above_streams(fd);
                        lacked_room_ = lacked_room_ || fd < -1;
                }
        }
        lacked_room_ = lacked_room_ || (n > 0 && (message.msg_flags & MSG_CTRUNC) != 0);
        return n;
}

int Transport::receive_frame(std::uint64_t deadline_ns, std::size_t* ret_begin,
                             std::size_t* ret_end) {
        for (;;) {
                int result = wait_for(POLLIN, deadline_ns);
                if (result == -EAGAIN)
                        return result;
                if (result == 0) {
                        const auto n = read_some();
                        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                                continue;
                        result = n < 0 ? -errno : n == 0 ? -ECONNRESET : 0;
                        received_ += n > 0 ? static_cast<std::size_t>(n) : 0;
                }
                if (result == 0)
                        result = find_frame(ret_begin, ret_end);
                if (result == -EAGAIN)
                        continue;
                if (result < 0)
                        hang_up();
                return result;
        }
}

int Transport::receive_reply(std::uint64_t deadline_ns, governor_v1_Reply* ret_reply) {
        std::size_t begin = 0;
        std::size_t end = 0;
        const int result = receive_frame(deadline_ns, &begin, &end);
        if (result < 0)
                return result;
        received_ = 0;
        if (decode(buffer_ + begin, end - begin, ret_reply))
                return 0;
        hang_up();
        return -EPROTO;
}

int Transport::receive(std::uint64_t deadline_ns, Answer* ret_answer) {
        governor_v1_Reply reply;
        int result = receive_reply(deadline_ns, &reply);
        if (result < 0)
                return result;
        result = answer_of(reply, ret_answer);
        if (result < 0)
                hang_up();
        return result;
}

int Transport::receive(std::uint64_t deadline_ns, Welcome* ret_welcome) {
        governor_v1_Reply reply;
        int result = receive_reply(deadline_ns, &reply);
        if (result < 0)
                return result;
        if (reply.which_kind != governor_v1_Reply_welcome_tag)
                result = refusal_of(reply);
        else if (descriptors_[0] < 0 || descriptors_[1] < 0)
                result = lacked_room_ ? -EMFILE : -EPROTO;
        if (result < 0) {
                hang_up();
                return result;
        }
        *ret_welcome = {reply.kind.welcome.slot, descriptors_[0], descriptors_[1],
                        reply.kind.welcome.fresh};
        descriptors_[0] = descriptors_[1] = -1;
        return 0;
}

}  // namespace threadcount
