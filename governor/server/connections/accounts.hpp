// SPDX-License-Identifier: MIT
//
// Limits of what each user may take of the daemon: descriptors and work. Pure; time is an argument.
#pragma once

#include "policy/account.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace governor::server {

using policy::Account;
using policy::TimePoint;

struct Limits {
        std::size_t descriptors = 0;    ///< of all accounts together
        std::size_t for_newcomers = 0;  ///< of these, for accounts that hold none
        std::uint32_t work_per_s = 1;   ///< of each account, in units of the caller
        std::uint32_t burst = 1;        ///< work that may be done at once after a rest
};

class Accounts;

/// A descriptor that counts for its account until this goes.
class Seat {
public:
        Seat(Seat&& other) noexcept
                : accounts_(std::exchange(other.accounts_, nullptr)), account_(other.account_),
                  is_more_(other.is_more_) {}
        Seat& operator=(Seat&& other) noexcept {
                std::swap(accounts_, other.accounts_);
                std::swap(account_, other.account_);
                std::swap(is_more_, other.is_more_);
                return *this;
        }
        ~Seat();

        [[nodiscard]] const Account& account() const { return account_; }

private:
        friend class Accounts;
        Seat(Accounts& accounts, const Account& account, bool is_more)
                : accounts_(&accounts), account_(account), is_more_(is_more) {}

        Accounts* accounts_;
        Account account_;
        bool is_more_;  // of admit_more()
};

/// Not thread-safe; outlives its seats. Every operation costs O(log accounts), forget_idle()
/// O(accounts).
class Accounts {
public:
        explicit Accounts(const Limits& limits) : limits_(limits) {}
        Accounts(const Accounts&) = delete;
        Accounts& operator=(const Accounts&) = delete;

        /// For a connection. Empty if `account` holds as many descriptors as it leaves free: so the
        /// first account may take half of all, the next a quarter. The last few are for accounts
        /// that hold none.
        /// `closing`: descriptors of its former connections that are still open.
        [[nodiscard]] std::optional<Seat> admit(const Account& account, std::size_t closing = 0);
        /// For what a client needs besides its connection. Empty a little earlier, and for root
        /// too: so that further clients still can come and be told why not. The first one of an
        /// account comes from the half of what is kept for accounts that hold none.
        [[nodiscard]] std::optional<Seat> admit_more(const Account& account);
        /// Notes that so many are in use for no account in particular.
        void set_aside(std::size_t descriptors) { aside_ = descriptors; }

        /// Takes `work` units from the account's budget, which may become overdrawn by it, but by
        /// no more than a burst.
        void charge(const Account& account, std::uint64_t work, TimePoint now);

        /// The time that the account is to wait until its next work; 0: it may go on. The budget is
        /// a leaky bucket, kept as one time per account (GCRA, ITU-T I.371).
        [[nodiscard]] std::chrono::nanoseconds wait(const Account& account, TimePoint now) const;

        /// Drops accounts that hold nothing and owe nothing.
        void forget_idle(TimePoint now);

        [[nodiscard]] std::size_t held(const Account& account) const;
        [[nodiscard]] std::size_t known() const { return accounts_.size(); }

private:
        friend class Seat;
        struct State {
                std::size_t held = 0;
                std::size_t more = 0;  // of these, of admit_more()
                TimePoint paid_until;  // the work done so far is paid for by then
        };

        [[nodiscard]] std::size_t free() const;
        [[nodiscard]] Seat seat(const Account& account, bool is_more);
        void leave(const Account& account, bool is_more);
        [[nodiscard]] std::chrono::nanoseconds price(std::uint64_t work) const;

        Limits limits_;
        std::map<Account, State> accounts_;
        std::size_t taken_ = 0;
        std::size_t aside_ = 0;
};

}  // namespace governor::server
