// SPDX-License-Identifier: MIT
//
// One question at a time to the governor over its socket. Blocks only where it says so.
#pragma once

#include "address.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace threadcount {

struct Question {
        std::uint32_t current = 0;
        std::uint32_t max = 0;
};

struct Answer {
        std::uint32_t threads = 1;
        std::uint32_t free = 0;
        std::uint32_t total = 0;
        bool warming_up = false;
        std::uint32_t warm_in_ms = 0;
        std::uint32_t settle_ms = 0;  ///< until threads that are added now show in the measurement
        char explanation[161] = "";
};

/// Not thread-safe. Results are 0 or a negative errno; after a failure it is disconnected.
/// Deadlines are on the clock of now_ns(); one in the past (0) means not to wait.
class Transport {
public:
        Transport() = default;
        ~Transport() { disconnect(); }
        Transport(const Transport&) = delete;
        Transport& operator=(const Transport&) = delete;

        /// Connects to the first address where somebody listens. Waits for TCP only; what is not
        /// there in time, and a Unix listener whose backlog is full, counts as -ETIMEDOUT.
        [[nodiscard]] int connect(const Addresses& addresses, std::uint64_t deadline_ns);
        /// False also if the program has closed our descriptor under us (closefrom() does); what
        /// has its number now is not ours, and is left alone. One system call.
        [[nodiscard]] bool connected();
        void disconnect();

        /// Does not block. The answer to the last question must have been received.
        [[nodiscard]] int send(const Question& question);

        /// -EAGAIN: not there yet, still connected; -EPROTO: what came is no answer, or the
        /// governor refuses the question.
        [[nodiscard]] int receive(std::uint64_t deadline_ns, Answer* ret_answer);

        /// Whose connection, or error, was the last: one of the Addresses, or nullptr.
        [[nodiscard]] const Address* peer() const { return peer_; }

private:
        [[nodiscard]] int open(const Address& address);
        [[nodiscard]] int connect_to(const Address& address, std::uint64_t deadline_ns);
        [[nodiscard]] int finish_connecting(std::uint64_t deadline_ns) const;
        [[nodiscard]] int wait_for(short events, std::uint64_t deadline_ns) const;
        [[nodiscard]] int parse(Answer* ret_answer);

        [[nodiscard]] bool is_ours() const;

        const Address* peer_ = nullptr;
        int fd_ = -1;
        dev_t device_ = 0;  // of the socket, to know it again
        ino_t inode_ = 0;
        std::size_t received_ = 0;
        std::uint8_t buffer_[512];  // more than the longest answer
};

}  // namespace threadcount
