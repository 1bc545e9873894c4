// SPDX-License-Identifier: MIT
//
// The records of one user: small files in a directory that nobody else can write to, and a lock
// that says whether somebody looks after them.
#pragma once

#include "outside/record.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace ctl::outside {

/// $XDG_RUNTIME_DIR/governorctl; without that variable /tmp/governorctl-UID.
[[nodiscard]] std::string default_place();

/// The kernel's boot_id; empty: not to be read.
[[nodiscard]] std::string boot_id();

/// A record of this process, which has changed nothing yet.
[[nodiscard]] Record record_of_this();

/// Not thread-safe. Processes of other pid namespaces have records of their own there: a number
/// means something else to them.
class Records {
public:
        /// Records that are looked at; those beyond stay where they are.
        static constexpr std::size_t kMost = 256;

        /// Makes the directory if there is none. An error is a sentence for people: it is another
        /// user's, others may write to it, or it cannot be made.
        [[nodiscard]] static tl::expected<Records, std::string> open(const std::string& place);
        Records(Records&& other) noexcept
                : place_(std::move(other.place_)), space_(std::move(other.space_)),
                  fd_(std::exchange(other.fd_, -1)) {}
        Records& operator=(Records&&) = delete;
        ~Records();

        [[nodiscard]] const std::string& place() const { return place_; }

        /// Replaces the record of `record.run` in one step. Returns 0 or a negative errno.
        [[nodiscard]] int write(const Record& record) const;
        void remove(const ProcessId& run) const;
        /// The processes of which there are records.
        [[nodiscard]] std::vector<ProcessId> list() const;
        /// Empty: there is none, or it is none of this boot.
        [[nodiscard]] std::optional<Record> read(const ProcessId& run) const;

        /// Takes the lock: a descriptor that holds it as long as it, or a copy of it, is open.
        /// -EWOULDBLOCK: another process has it.
        [[nodiscard]] int lock() const;
        /// Is `fd` the lock's file?
        [[nodiscard]] bool is_lock(int fd) const;

private:
        Records(std::string place, std::string space, int fd)
                : place_(std::move(place)), space_(std::move(space)), fd_(fd) {}
        [[nodiscard]] std::string name_of(const ProcessId& run) const;
        [[nodiscard]] std::string lock_name() const { return "lock-" + space_; }

        std::string place_;
        std::string space_;  // which pid namespace
        int fd_;
};

}  // namespace ctl::outside
