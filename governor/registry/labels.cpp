// SPDX-License-Identifier: MIT
// The labels that were learned of last.
#include "registry/labels.hpp"

#include "policy/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace governor::registry {

namespace {

/// Elasticities of what two programs of one label show that are further apart are of two kinds.
constexpr double kAnother = numbers::kFew / 2;

}  // namespace

void Labels::Known::measured(const policy::fair::Scaling& found, std::size_t first,
                             std::size_t last, policy::TimePoint now) {
        bool is_changed = false;
        for (auto i = first; i <= last; i++) {
                const auto before = scaling.elasticity(i);
                const auto present = found.elasticity(i);
                is_changed = is_changed ||
                             (before && present && std::abs(*before - *present) > kAnother);
        }
        const auto before = is_changed ? policy::fair::Scaling{} : scaling;
        scaling = found;
        scaling.complete(before);
        for (auto i = first; i <= last; i++)
                at[i] = now;
}

policy::fair::Scaling Labels::Known::since(policy::TimePoint then) const {
        policy::fair::Scaling found;
        bool is_confirmed = false;
        for (std::size_t i = policy::fair::Scaling::kOctaves; i-- > 0;) {
                const auto elasticity = scaling.elasticity(i);
                is_confirmed = is_confirmed || (elasticity && at[i] >= then);
                if (is_confirmed && elasticity)
                        found.learn(i, *elasticity);
        }
        return found;
}

std::optional<std::uint64_t> Labels::Known::length() const {
        const auto [least, most] = std::ranges::minmax(regions);
        const bool are_alike = least > 0 && most - least <= least / 4;
        return are_alike ? std::optional(most) : std::nullopt;
}

const Labels::Known* Labels::find(const policy::Account& account, const std::string& label) const {
        const auto found = entries_.find({account, label});
        return found != entries_.end() ? &found->second.known : nullptr;
}

Labels::Known& Labels::learn(const policy::Account& account, const std::string& label) {
        auto found = entries_.find({account, label});
        if (found == entries_.end()) {
                make_room(account);
                found = entries_.try_emplace({account, label}).first;
        }
        found->second.used = ++clock_;
        return found->second.known;
}

void Labels::make_room(const policy::Account& account) {
        const auto oldest = [](Entries::iterator first, Entries::iterator last) {
                return std::min_element(first, last, [](const auto& a, const auto& b) {
                        return a.second.used < b.second.used;
                });
        };
        const auto first = entries_.lower_bound({account, {}});
        auto last = first;
        std::size_t count = 0;
        for (; last != entries_.end() && !(account < last->first.first); last++)
                count++;
        if (count >= kOfAccount)
                entries_.erase(oldest(first, last));
        else if (entries_.size() >= kMost)
                entries_.erase(oldest(entries_.begin(), entries_.end()));
}

}  // namespace governor::registry
