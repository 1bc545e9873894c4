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

/// Places for the records of this user, best first: below $XDG_RUNTIME_DIR, below /run/user/UID,
/// below the home folder that the database of users names, and /tmp/governorctl-UID, a name that
/// another user may have taken. Empty: there is no such folder, or others may write there. Only the
/// third one asks the database, which may wait for a network, and so may the home folder.
inline constexpr std::size_t kDefaultPlaces = 4;
inline constexpr std::size_t kHomePlace = 2;
[[nodiscard]] std::string default_place(std::size_t which);

/// `folder`/`name`, if the folder is this user's own and its mode has none of the bits `not_open`.
[[nodiscard]] std::string place_below(const std::string& folder, const std::string& name,
                                      unsigned not_open);

/// The kernel's boot_id; empty: not to be read.
[[nodiscard]] std::string boot_id();

/// A record of this process, which has changed nothing yet.
[[nodiscard]] Record record_of_this();

/// Not thread-safe. Processes of other pid namespaces have records of their own there: a number
/// means something else to them. So have those of other hosts that share a home folder.
class Records {
public:
        /// Makes the directory, and those above it, if there is none. An error is a sentence for
        /// people: it is another user's, others may write to it, or it cannot be made.
        [[nodiscard]] static tl::expected<Records, std::string> open(const std::string& place);
        /// Makes nothing. Empty: there is no such directory, or open() would refuse it.
        [[nodiscard]] static std::optional<Records> find(const std::string& place);
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
        /// `fd` is the lock, and is held: its file goes, and the next one to take it makes another.
        void unlock(int fd) const;
        /// Is `fd` the lock's file?
        [[nodiscard]] bool is_lock(int fd) const;

private:
        Records(std::string place, std::string space, int fd)
                : place_(std::move(place)), space_(std::move(space)), fd_(fd) {}
        [[nodiscard]] static tl::expected<Records, std::string> look(const std::string& place);
        [[nodiscard]] std::string name_of(const ProcessId& run) const;
        [[nodiscard]] std::string lock_name() const { return "lock-" + space_; }

        std::string place_;
        std::string space_;  // which pid namespace of which boot of which host
        int fd_;
};

}  // namespace ctl::outside
