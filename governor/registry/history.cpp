// SPDX-License-Identifier: MIT
// The last events.
#include "registry/history.hpp"

#include <algorithm>

namespace governor::registry {

void Event::set_label(std::string_view text) {
        auto length = std::min(text.size(), kLabel);
        const auto continues = [&](std::size_t i) {
                return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
        };
        while (length > 0 && length < text.size() && continues(length))
                length--;
        label.fill('\0');
        std::copy_n(text.begin(), length, label.begin());
}

void History::add(const Event& event) {
        if (event.kind == EventKind::Refused && !events_.empty()) {
                auto& last = events_.rbegin()->second;
                if (last.kind == EventKind::Refused && last.uid == event.uid &&
                    last.account == event.account) {
                        const auto times = last.to;
                        last = event;
                        last.to = times + 1;
                        return;
                }
        }
        auto& added = events_.emplace_hint(events_.end(), end_number_, event)->second;
        if (event.kind == EventKind::Refused)
                added.to = 1;
        auto& numbers = of_account_[event.account];
        unrank(numbers);
        numbers.push_back(end_number_++);
        rank(numbers);
        if (events_.size() > limit_)
                forget_one();
}

/// The account with the most events is the last one; of several with as many, that whose oldest
/// event is the oldest.
void History::rank(const Numbers& numbers) {
        if (!numbers.empty())
                ranks_.emplace(numbers.size(), ~numbers.front());
}

void History::unrank(const Numbers& numbers) {
        if (!numbers.empty())
                ranks_.erase({numbers.size(), ~numbers.front()});
}

void History::forget_one() {
        const auto oldest = events_.find(~ranks_.rbegin()->second);
        const auto of = of_account_.find(oldest->second.account);
        unrank(of->second);
        of->second.pop_front();
        rank(of->second);
        if (of->second.empty())
                of_account_.erase(of);
        events_.erase(oldest);
}

void RecentEvents::add(const Event& event) {
        if (events_.size() == kMost)
                events_.erase(events_.begin());
        events_.push_back(event);
}

}  // namespace governor::registry
