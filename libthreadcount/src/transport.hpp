// SPDX-License-Identifier: MIT
//
// One question at a time to the governor over its socket. Blocks only where it says so.
#pragma once

#include "address.hpp"
#include "cpu_mask.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

struct _governor_v1_Request;
struct _governor_v1_Reply;

namespace threadcount {

struct Question {
        std::uint32_t current = 0;
        std::uint32_t max = 0;
};

/// The wishes that a program tells with its hello.
struct Wishes {
        std::uint32_t max = 1;    ///< what it would use ungoverned
        bool start_only = false;  ///< it keeps its first grant
        bool is_batch = false;
        const char* label = nullptr;  ///< printable ASCII; nullptr or "": the program's name
        /// The CPUs where its threads may run beyond what their masks show: they are bound to its
        /// grants, or its runtime will bind those to come. Lives as long as the wishes. nullptr:
        /// the masks show all.
        const CpuMask* affinity = nullptr;
        bool can_wait = false;      ///< for its turn, while it is parked
        bool keeps = false;         ///< its teams are its own, whatever it is granted
        const char* job = nullptr;  ///< likewise; nullptr or "": that of its process group
        /// Threads of its teams that wait for others sleep where it is crowded.
        bool sleeps = false;
};

/// CPUs below this number can be named in a hello.
inline constexpr std::uint32_t kMostHeld = kMostCpus;

/// The pause between two looks for a late answer or welcome, and the time after which that, and a
/// first grant, is given up.
inline constexpr std::uint64_t kLookAgain_ms = 4;
inline constexpr std::uint64_t kGiveUp_ms = 1000;
/// A governor that is not there is not looked for more often than this.
inline constexpr std::uint32_t kReconnect_ms = 1000;

/// The CPUs of a hello: bit n % 8 of byte n / 8 is CPU n.
struct CpuBytes {
        std::uint8_t bytes[kMostHeld / 8] = {};
        std::size_t size = 0;  ///< without those behind the last CPU

        CpuBytes() = default;
        explicit CpuBytes(const CpuMask& mask);
};

/// The memory of a lease. The receiver closes the descriptors.
struct Welcome {
        std::uint32_t slot = 0;
        int grants = -1;
        int reports = -1;
        bool is_fresh = false;  ///< the slot is to be cleared
};

struct Answer {
        std::uint32_t threads = 1;
        std::uint32_t free = 0;
        std::uint32_t total = 0;
        bool warming_up = false;
        std::uint32_t warm_in_ms = 0;
        std::uint32_t settle_ms = 0;  ///< until threads that are added now show in the measurement
        char explanation[161] = "";
        bool leases = false;  ///< the governor grants some to clients that come this way
};

/// Not thread-safe. Results are 0 or a negative errno; after a failure it is disconnected, and so
/// are forked children that still have the socket. Deadlines are on the clock of now_ns(); one in
/// the past (0) means not to wait.
class Transport {
public:
        Transport() = default;
        ~Transport() { disconnect(); }
        Transport(const Transport&) = delete;
        Transport& operator=(const Transport&) = delete;

        /// Connects to the first address with a listener that is believed. Waits for TCP only. A
        /// connection that is not there in time, and a Unix listener whose backlog is full, count
        /// as -ETIMEDOUT. A Unix listener of another user (governor/v1/listener.h) counts as
        /// -EPERM: nothing is sent to it, and nothing is received.
        [[nodiscard]] int connect(const Addresses& addresses, std::uint64_t deadline_ns);
        /// False also if the program has closed our descriptor under us (closefrom() does); what
        /// has its number now is not ours, and is left alone. One system call.
        [[nodiscard]] bool connected();
        void disconnect();
        /// Disconnects also forked children that still have the socket. Not for them to call.
        void hang_up();

        /// Does not block. The answer to the last question must have been received.
        [[nodiscard]] int send(const Question& question);
        /// `holds`: the last grant.
        [[nodiscard]] int send(const Wishes& wishes, const CpuBytes& holds);
        /// Tells what a lease that is held wants from now on. The answer may be dropped.
        [[nodiscard]] int update(const Wishes& wishes);

        /// -EAGAIN: not there yet, still connected; -EPROTO: what came is no answer, or the
        /// governor refuses the question.
        [[nodiscard]] int receive(std::uint64_t deadline_ns, Answer* ret_answer);
        /// Returns what receive() above does, and three more errors:
        ///   -EOPNOTSUPP  this governor grants nothing, ask questions
        ///   -EUSERS      it has no lease left
        ///   -EMFILE      this process has no descriptors left for the memory
        [[nodiscard]] int receive(std::uint64_t deadline_ns, Welcome* ret_welcome);

        /// The other end has gone, or connected() would be false. Two system calls.
        [[nodiscard]] bool is_hung_up() const;
        /// Reads and forgets some of what has come that nobody waits for. One system call.
        void drop_some();
        /// To wait on, while connected; -1: it is not.
        [[nodiscard]] int fd() const { return fd_; }

        /// The address of the last connection or error: one of the Addresses, or nullptr.
        [[nodiscard]] const Address* peer() const { return peer_; }
        /// The user that listens at peer() and is not believed; kNobody: the error is another one.
        static constexpr uid_t kNobody = static_cast<uid_t>(-1);
        [[nodiscard]] uid_t stranger() const { return stranger_; }

private:
        [[nodiscard]] int open(const Address& address);
        [[nodiscard]] int connect_to(const Address& address, std::uint64_t deadline_ns);
        [[nodiscard]] int finish_connecting(std::uint64_t deadline_ns) const;
        [[nodiscard]] int look_at_listener(const Address& address, uid_t* ret_stranger) const;
        [[nodiscard]] int wait_for(short events, std::uint64_t deadline_ns) const;
        [[nodiscard]] int encode_and_send(const _governor_v1_Request& request);
        [[nodiscard]] int receive_reply(std::uint64_t deadline_ns, _governor_v1_Reply* ret_reply);
        /// Finds a whole reply in the buffer.
        [[nodiscard]] int receive_frame(std::uint64_t deadline_ns, std::size_t* ret_begin,
                                        std::size_t* ret_end);
        [[nodiscard]] int find_frame(std::size_t* ret_begin, std::size_t* ret_end) const;
        [[nodiscard]] ssize_t read_some();
        [[nodiscard]] bool is_ours() const;
        void drop_descriptors();

        const Address* peer_ = nullptr;
        uid_t stranger_ = kNobody;
        int fd_ = -1;
        dev_t device_ = 0;  // of the socket, to know it again
        ino_t inode_ = 0;
        std::size_t received_ = 0;
        int descriptors_[2] = {-1, -1};  // that came with what is in the buffer
        bool lacked_room_ = false;       // for some that came
        std::uint8_t buffer_[512];       // more than the longest answer
};

}  // namespace threadcount
