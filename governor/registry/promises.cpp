// SPDX-License-Identifier: MIT
// The newest ones, by account.
#include "registry/promises.hpp"

#include <algorithm>

namespace governor::registry {

void Promises::add(const Account& account, const Asker& asker, std::uint32_t threads,
                   TimePoint now) {
        auto& own = promises_[account];
        size_ -= std::erase_if(own, [&](const Promise& promise) {
                return promise.asker == asker || now - promise.made >= kLifetime;
        });
        if (own.size() >= kMostOfAccount) {
                own.erase(own.begin());
                size_--;
        }
        own.push_back({asker, threads, now});
        size_++;
        if (size_ > kMost)
                make_room(now);
}

void Promises::make_room(TimePoint now) {
        for (auto& [account, own] : promises_)
                size_ -= std::erase_if(own, [now](const Promise& promise) {
                        return now - promise.made >= kLifetime;
                });
        std::erase_if(promises_, [](const auto& of) { return of.second.empty(); });
        if (size_ <= kMost)
                return;
        auto& most = std::ranges::max_element(promises_, {}, [](const auto& of) {
                             return of.second.size();
                     })->second;
        most.erase(most.begin());
        size_--;
}

std::vector<std::uint32_t> Promises::beside(const Account& account, const Asker& asker,
                                            TimePoint now) const {
        std::vector<std::uint32_t> threads;
        const auto found = promises_.find(account);
        if (found == promises_.end())
                return threads;
        for (const auto& promise : found->second)
                if (promise.asker != asker && now - promise.made < kLifetime)
                        threads.push_back(promise.threads);
        return threads;
}

}  // namespace governor::registry
