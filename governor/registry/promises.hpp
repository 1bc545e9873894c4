// SPDX-License-Identifier: MIT
//
// Threads that programs without a lease were just advised to start. Pure; time is an argument.
#pragma once

#include "policy/account.hpp"
#include "policy/numbers.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace governor::registry {

using policy::Account;
using policy::TimePoint;

/// The share of a process that holds no lease, if it joined now.
struct FairShare {
        Account account;            ///< that it would count against
        std::uint32_t threads = 1;  ///< >= 1
        std::size_t leases = 0;     ///< of its account: trees, and programs in none
        std::size_t promised = 0;   ///< processes of its account that were just advised
};

/// A program that was told how many threads to start counts as one of its account that has these,
/// until the idle time of the CPUs tells of it. Not thread-safe. Each call costs O(promises of the
/// account), and O(accounts) where there are kMost.
class Promises {
public:
        /// Idle time is measured over 1 s at least. By then threads show in full that were started
        /// within a second of the advice.
        static constexpr auto kLifetime = 2 * numbers::kWindow;
        /// The oldest one makes room: of its account, then of the account that has most.
        static constexpr std::size_t kMostOfAccount = 256;
        static constexpr std::size_t kMost = 4096;

        /// The process that the advice was for. One process has one promise.
        struct Asker {
                std::uint32_t pid = 0;
                /// Tells processes apart whose number is not known (0): when they connected.
                std::chrono::nanoseconds arrived{0};

                friend bool operator==(const Asker&, const Asker&) = default;
        };

        /// In place of what the asker was promised before.
        void add(const Account& account, const Asker& asker, std::uint32_t threads, TimePoint now);
        /// Threads of all promises of the account that are in force, but for the asker's own.
        [[nodiscard]] std::vector<std::uint32_t> beside(const Account& account, const Asker& asker,
                                                        TimePoint now) const;
        /// Kept in memory, whether in force or not.
        [[nodiscard]] std::size_t size() const { return size_; }

private:
        struct Promise {
                Asker asker;
                std::uint32_t threads;
                TimePoint made;
        };
        using OfAccount = std::vector<Promise>;  // oldest first

        void make_room(TimePoint now);

        std::map<Account, OfAccount> promises_;
        std::size_t size_ = 0;
};

}  // namespace governor::registry
