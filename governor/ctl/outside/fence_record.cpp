// SPDX-License-Identifier: MIT
// The record first, then the guardian.
#include "outside/fence_record.hpp"

#include <utility>

namespace ctl::outside {

namespace {

/// Masks that were set long ago are left out first; the first mask is what the tree began with.
void shorten(Record& record) {
        auto& masks = record.fenced->masks;
        while (masks.size() > 2 && to_text(record).size() > kLargestRecord)
                masks.erase(masks.begin() + 1);
}

}  // namespace

std::string FenceRecord::put(const Fenced& fenced) {
        auto record = own_.is_written() ? record_ : record_of_this();
        record.fenced = fenced;
        shorten(record);
        if (own_.is_written() && record == record_)
                return {};
        if (!parse_record(to_text(record)))
                return "its record would be too long";
        if (auto why_not = own_.write(record); !why_not.empty())
                return why_not;
        record_ = std::move(record);
        return {};
}

void FenceRecord::guard() {
        if (own_.is_written())
                (void)own_.guard();
}

void FenceRecord::guard_what_was_left() {
        if (!std::exchange(has_looked_, true))
                own_.guard_what_was_left();
}

void FenceRecord::end() { own_.remove(); }

}  // namespace ctl::outside
