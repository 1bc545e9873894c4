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
        if (event.kind == EventKind::Refused && !events_.empty() &&
            events_.back().kind == EventKind::Refused && events_.back().uid == event.uid) {
                const auto times = events_.back().to;
                events_.back() = event;
                events_.back().to = times + 1;
                return;
        }
        events_.push_back(event);
        if (event.kind == EventKind::Refused)
                events_.back().to = 1;
        while (events_.size() > limit_) {
                events_.pop_front();
                begin_number_++;
        }
}

const Event& History::at(std::uint64_t number) const {
        return events_.at(static_cast<std::size_t>(number - begin_number_));
}

}  // namespace governor::registry
