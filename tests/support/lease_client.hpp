// SPDX-License-Identifier: MIT
//
// A program with a lease, by hand: the memory that comes with a welcome, and processes that do as
// the test says.
#pragma once

#include "support/wire.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <governor/v1/arena.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace test_support {

/// Both memories of one slot, mapped.
class LeaseMemory {
public:
        /// Takes the descriptors over. Throws if there are not two, or if they cannot be mapped.
        LeaseMemory(const std::vector<int>& descriptors, std::uint32_t slot);
        ~LeaseMemory();
        LeaseMemory(const LeaseMemory&) = delete;
        LeaseMemory& operator=(const LeaseMemory&) = delete;

        [[nodiscard]] std::uint32_t slot() const { return slot_; }
        [[nodiscard]] std::uint64_t word() const;
        [[nodiscard]] std::uint32_t threads() const { return governor_word_threads(word()); }
        [[nodiscard]] bool is_released() const {
                return (governor_word_flags(word()) & GOVERNOR_GRANT_RELEASED) != 0;
        }
        /// Its own report.
        [[nodiscard]] governor_report_slot& report() const;

        [[nodiscard]] int grants_fd() const { return grants_fd_; }
        [[nodiscard]] int reports_fd() const { return reports_fd_; }
        [[nodiscard]] const governor_grant_header& header() const { return header_; }
        [[nodiscard]] const std::byte* grants() const { return grants_; }
        [[nodiscard]] std::byte* reports() const { return reports_; }

private:
        std::uint32_t slot_;
        int grants_fd_ = -1;
        int reports_fd_ = -1;
        governor_grant_header header_{};
        std::byte* grants_ = nullptr;
        std::byte* reports_ = nullptr;
};

class LeaseClient {
public:
        explicit LeaseClient(const std::string& socket) : wire_(socket) {}

        /// nullptr: refused, or no answer; see last().
        LeaseMemory* hello(const governor::v1::Hello& hello = {});
        [[nodiscard]] LeaseMemory& memory() const { return *memory_; }

        [[nodiscard]] std::optional<governor::v1::Reply> update(std::uint32_t max);
        [[nodiscard]] std::optional<governor::v1::Reply> bye();
        /// The answer to the last hello.
        [[nodiscard]] const governor::v1::Reply& last() const { return last_; }
        [[nodiscard]] WireClient& wire() { return wire_; }

private:
        WireClient wire_;
        governor::v1::Reply last_;
        std::unique_ptr<LeaseMemory> memory_;
};

/// A fork of the test that runs `body` (as `uid`) and exits; killed and reaped when this goes, and
/// by the kernel if the test dies. The test must have one thread only.
class ForkedProgram {
public:
        explicit ForkedProgram(const std::function<void()>& body, std::optional<uid_t> uid = {});
        ~ForkedProgram();
        ForkedProgram(const ForkedProgram&) = delete;
        ForkedProgram& operator=(const ForkedProgram&) = delete;

        [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
        /// SIGKILL, and reaped.
        void kill();
        /// Waits until it ends: true if `body` returned.
        [[nodiscard]] bool finishes();

private:
        pid_t pid_;
};

/// Says hello, and does this again and again until it is killed.
void hold_a_lease(
        const std::string& socket, void (*meanwhile)() = [] { ::pause(); });

/// All programs with a lease.
[[nodiscard]] std::vector<governor::v1::Client> leases(const std::string& socket);
[[nodiscard]] std::optional<governor::v1::Client> lease_of(const std::string& socket,
                                                           std::uint32_t pid);
/// Why it has what it has; without anything if it holds no lease.
[[nodiscard]] governor::v1::Explanation explanation_of(const std::string& socket,
                                                       std::uint32_t pid);
/// "0-3,8"
[[nodiscard]] std::set<unsigned> cpus_of(const std::string& list);

}  // namespace test_support
