// SPDX-License-Identifier: MIT
//
// One question at a time to the governor over its Unix socket. Blocks only where it says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>
#include <sys/un.h>

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

/// Where a governor may listen, in the order to try.
class Addresses {
public:
        /// `path`: the only place to look; nullptr: the system's socket, then the user's.
        explicit Addresses(const char* path, const char* runtime_directory);

        /// 0, or why `path` cannot be an address: -EOPNOTSUPP, -ENAMETOOLONG.
        [[nodiscard]] int error() const { return error_; }
        [[nodiscard]] const sockaddr_un* begin() const { return list_; }
        [[nodiscard]] const sockaddr_un* end() const { return list_ + count_; }

private:
        void add(const char* directory, const char* name);

        sockaddr_un list_[2] = {};
        int count_ = 0;
        int error_ = 0;
};

/// Not thread-safe. Results are 0 or a negative errno; after a failure it is disconnected.
class Transport {
public:
        Transport() = default;
        ~Transport() { disconnect(); }
        Transport(const Transport&) = delete;
        Transport& operator=(const Transport&) = delete;

        /// Connects to the first address where somebody listens. Does not block: a listener whose
        /// backlog is full counts as -ETIMEDOUT.
        [[nodiscard]] int connect(const Addresses& addresses);
        /// False also if the program has closed our descriptor under us (closefrom() does); what
        /// has its number now is not ours, and is left alone. One system call.
        [[nodiscard]] bool connected();
        void disconnect();

        /// Does not block. The answer to the last question must have been received.
        [[nodiscard]] int send(const Question& question);

        /// Waits at most `timeout_ms`. -EAGAIN: not there yet, still connected; -EPROTO: what came
        /// is no answer, or the governor refuses the question.
        [[nodiscard]] int receive(unsigned timeout_ms, Answer* ret_answer);

private:
        [[nodiscard]] int wait_for_input(std::uint64_t deadline_ns) const;
        [[nodiscard]] int parse(Answer* ret_answer);

        [[nodiscard]] bool is_ours() const;

        int fd_ = -1;
        dev_t device_ = 0;  // of the socket, to know it again
        ino_t inode_ = 0;
        std::size_t received_ = 0;
        std::uint8_t buffer_[512];  // more than the longest answer
};

}  // namespace threadcount
