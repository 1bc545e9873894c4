// SPDX-License-Identifier: MIT
// One lease after the other: a process has only one at a time.
#include "churn.hpp"

#include "lease.hpp"
#include "questions.hpp"

#include <array>
#include <chrono>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>

namespace bench {

namespace {

void wait_until(std::int64_t due_ns) {
        std::this_thread::sleep_until(
                std::chrono::steady_clock::time_point(std::chrono::nanoseconds(due_ns)));
}

bool is_open(const UniqueFd& fd) {
        pollfd ended{fd.get(), POLLIN, 0};
        return ::poll(&ended, 1, 0) == 0;
}

}  // namespace

std::vector<UniqueFd> hold_connections(const std::string& governor, std::uint32_t connections) {
        std::vector<UniqueFd> held;
        const auto asked = question();
        while (held.size() < connections) {
                auto fd = connect_to(governor);
                if (!fd) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                        continue;
                }
                std::array<char, 4096> reply;
                pollfd answered{fd.get(), POLLIN, 0};
                if (::send(fd.get(), asked.data(), asked.size(), MSG_NOSIGNAL) < 0 ||
                    ::poll(&answered, 1, 10'000) != 1 ||
                    ::recv(fd.get(), reply.data(), reply.size(), 0) <= 0)
                        throw std::runtime_error("a connection was not answered; " +
                                                 std::to_string(held.size()) + " were");
                held.push_back(std::move(fd));
        }
        return held;
}

Churned churn(const ChurnOptions& options, const std::vector<UniqueFd>& held) {
        Churned churned;
        churned.due = std::uint64_t{options.rate} * options.seconds;
        churned.hello_ns.reserve(churned.due);
        const auto start = now_ns() + kSecond / 10;
        for (std::uint64_t i = 0; i < churned.due; i++) {
                const auto due_ns = start + static_cast<std::int64_t>(i) * kSecond / options.rate;
                // A program that cannot keep up ends with the time, and says how much is missing.
                if (now_ns() > start + (options.seconds + 1) * kSecond)
                        break;
                wait_until(due_ns);
                churned.behind_ns = now_ns() - due_ns;
                Lease lease(options.governor);
                (void)lease.hello({});
                churned.hello_ns.push_back(now_ns() - due_ns);
                (void)lease.bye();
                churned.done++;
        }
        for (const auto& fd : held)
                churned.held += is_open(fd) ? 1U : 0U;
        return churned;
}

}  // namespace bench
