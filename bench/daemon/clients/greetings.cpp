// SPDX-License-Identifier: MIT
// Turn by turn, so that both meet the same machine.
#include "greetings.hpp"

#include "lease.hpp"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>

namespace bench {

namespace {

constexpr std::int64_t kPatienceWithTheGovernor = 1'000'000'000;

std::int64_t echo_once(int fd, const GreetingOptions& options) {
        const std::string request(options.request_bytes, 'x');
        std::array<char, 4096> reply;
        const auto sent_ns = now_ns();
        if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0)
                throw std::runtime_error("the echo server cannot be reached");
        for (std::size_t got = 0; got < options.reply_bytes;) {
                const auto n = ::recv(fd, reply.data(), reply.size(), 0);
                if (n <= 0)
                        throw std::runtime_error("the echo server ended the connection");
                got += static_cast<std::size_t>(n);
        }
        return now_ns() - sent_ns;
}

void greet_once(const std::string& governor, Greetings& greetings) {
        Lease lease(governor);
        // The governor has accepted the connection before the clock starts, as the echo server has.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto sent_ns = lease.hello({});
        greetings.welcome_ns.push_back(now_ns() - sent_ns);
        const Pages pages(lease.grants_fd(), lease.reports_fd());
        // The next decision waits if the last one was less than a millisecond ago.
        while (governor_word_threads(pages.word(lease.slot())) < 1)
                if (now_ns() - sent_ns > kPatienceWithTheGovernor)
                        throw std::runtime_error("a welcome came, but nothing is granted");
        greetings.mapped_ns.push_back(now_ns() - sent_ns);
        (void)lease.bye();
}

}  // namespace

GreetingSizes greeting_sizes(const std::string& governor) {
        Lease lease(governor);
        (void)lease.hello({});
        const GreetingSizes sizes{lease.request_bytes(), lease.reply_bytes()};
        (void)lease.bye();
        return sizes;
}

Greetings greet(const GreetingOptions& options) {
        Greetings greetings;
        auto echo = connect_to(options.echo);
        if (!echo || ::fcntl(echo.get(), F_SETFL, 0) < 0)
                throw std::runtime_error(options.echo + ": nobody listens there");
        const std::chrono::microseconds pause(options.pause_us);
        for (std::uint32_t i = 0; i < options.count; i++) {
                std::this_thread::sleep_for(pause);
                greetings.echo_ns.push_back(echo_once(echo.get(), options));
                std::this_thread::sleep_for(pause);
                greet_once(options.governor, greetings);
        }
        return greetings;
}

}  // namespace bench
