// SPDX-License-Identifier: MIT
// The library takes a sound answer or disconnects, whatever a governor sends. The first byte says
// where the bytes are cut into two writes.
#include "require.hpp"
#include "transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace threadcount;

namespace {

std::string make_directory() {
        std::string directory = std::filesystem::temp_directory_path() / "governor-fuzz-XXXXXX";
        require(mkdtemp(directory.data()) != nullptr, "there is a directory");
        return directory;
}

/// A listening socket in a directory of its own.
struct Governor {
        std::string directory = make_directory();
        Addresses addresses{(directory + "/socket").c_str(), nullptr};
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        Governor() {
                const auto& address = *addresses.begin();
                require(bind(fd, &address.any, address.length) == 0 && listen(fd, 1) == 0,
                        "there is a socket to listen on");
        }
        ~Governor() {
                close(fd);
                std::error_code ignored;
                std::filesystem::remove_all(directory, ignored);
        }
        Governor(const Governor&) = delete;
        Governor& operator=(const Governor&) = delete;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        static Governor governor;
        if (size == 0)
                return 0;
        Transport transport;
        require(transport.connect(governor.addresses, 0) == 0, "the listener is there");
        const int peer = accept4(governor.fd, nullptr, nullptr, SOCK_CLOEXEC);
        require(peer >= 0, "the listener accepts");
        require(transport.send({1, 8}) == 0, "a question can be sent");

        const auto rest = std::min<std::size_t>(size - 1, 4096);
        const auto cut = std::min<std::size_t>(data[0], rest);
        Answer answer;
        answer.threads = 77;
        int result = -EAGAIN;
        for (const auto& [begin, end] : {std::pair{std::size_t{0}, cut}, std::pair{cut, rest}}) {
                require(send(peer, data + 1 + begin, end - begin, MSG_NOSIGNAL) ==
                                static_cast<ssize_t>(end - begin),
                        "the library has not gone");
                result = transport.receive(0, &answer);
                require(result <= 0, "a result is 0 or a negative errno");
                require(transport.connected() == (result == 0 || result == -EAGAIN),
                        "it is disconnected after a failure and only then");
                if (result != -EAGAIN)
                        break;
        }
        if (result == 0)
                require(memchr(answer.explanation, '\0', sizeof(answer.explanation)) != nullptr,
                        "an explanation ends");
        else
                require(answer.threads == 77 && answer.explanation[0] == '\0',
                        "an answer is written on success only");
        // Takes effect at once even while somebody else looks at the descriptor through /proc.
        shutdown(peer, SHUT_RDWR);
        if (result == -EAGAIN)
                require(transport.receive(0, &answer) < 0 && !transport.connected(),
                        "a governor that went is noticed");
        close(peer);
        return 0;
}
