// SPDX-License-Identifier: MIT
// Quotas.
#include "server/connections/accounts.hpp"

#include <algorithm>

namespace governor::server {

std::chrono::nanoseconds Accounts::price(std::uint64_t work) const {
        return std::chrono::nanoseconds{std::chrono::seconds{1}} * work / limits_.work_per_s;
}

Seat::~Seat() {
        if (accounts_ != nullptr)
                accounts_->leave(account_, is_more_);
}

std::size_t Accounts::free() const {
        return limits_.descriptors - std::min(limits_.descriptors, taken_ + aside_);
}

Seat Accounts::seat(const Account& account, bool is_more) {
        auto& state = accounts_[account];
        state.held++;
        state.more += is_more ? 1 : 0;
        taken_++;
        return {*this, account, is_more};
}

std::optional<Seat> Accounts::admit(const Account& account, std::size_t closing) {
        const auto already = held(account) + closing;
        const bool allowed =
                already == 0 ? free() > 0 : already + 2 + limits_.for_newcomers <= free();
        if (!account.is_root() && !allowed)
                return std::nullopt;
        return seat(account, false);
}

std::optional<Seat> Accounts::admit_more(const Account& account) {
        const auto own = account.is_root() ? 0 : held(account);
        const auto found = accounts_.find(account);
        const bool is_first = found == accounts_.end() || found->second.more == 0;
        const bool allowed = is_first ? free() > limits_.for_newcomers / 2
                                      : own + 2 + 2 * limits_.for_newcomers <= free();
        if (!allowed)
                return std::nullopt;
        return seat(account, true);
}

void Accounts::leave(const Account& account, bool is_more) {
        auto& state = accounts_.at(account);
        state.held--;
        state.more -= is_more ? 1 : 0;
        taken_--;
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
                return entry.second.held == 0 && entry.second.paid_until <= rested;
        });
}

std::size_t Accounts::held(const Account& account) const {
        const auto found = accounts_.find(account);
        return found != accounts_.end() ? found->second.held : 0;
}

}  // namespace governor::server
