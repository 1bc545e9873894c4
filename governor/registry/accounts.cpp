// SPDX-License-Identifier: MIT
// Quotas.
#include "registry/accounts.hpp"

#include <algorithm>

namespace governor::registry {

std::string Account::name() const { return uid ? "user " + std::to_string(*uid) : "the network"; }

std::chrono::nanoseconds Accounts::price(std::uint64_t work) const {
        return std::chrono::nanoseconds{std::chrono::seconds{1}} * work / limits_.work_per_s;
}

Seat::~Seat() {
        if (accounts_ != nullptr)
                accounts_->leave(account_);
}

std::optional<Seat> Accounts::admit(const Account& account) {
        const auto held = connections(account);
        const auto free = limits_.connections - std::min(limits_.connections, connections_);
        const bool allowed = held == 0 ? free > 0 : held + 2 + limits_.for_newcomers <= free;
        if (!account.is_root() && !allowed)
                return std::nullopt;
        accounts_[account].connections++;
        connections_++;
        return Seat(*this, account);
}

void Accounts::leave(const Account& account) {
        accounts_.at(account).connections--;
        connections_--;
}

void Accounts::charge(const Account& account, std::uint64_t work, TimePoint now) {
        const auto burst = price(limits_.burst);
        auto& paid_until = accounts_[account].paid_until;
        paid_until = std::min(std::max(paid_until, now - burst) + price(work), now + burst);
}

std::chrono::nanoseconds Accounts::wait(const Account& account, TimePoint now) const {
        const auto found = accounts_.find(account);
        if (account.is_root() || found == accounts_.end() || found->second.paid_until <= now)
                return {};
        return found->second.paid_until - now;
}

void Accounts::forget_idle(TimePoint now) {
        const auto rested = now - price(limits_.burst);
        std::erase_if(accounts_, [rested](const auto& entry) {
                return entry.second.connections == 0 && entry.second.paid_until <= rested;
        });
}

std::size_t Accounts::connections(const Account& account) const {
        const auto found = accounts_.find(account);
        return found != accounts_.end() ? found->second.connections : 0;
}

}  // namespace governor::registry
