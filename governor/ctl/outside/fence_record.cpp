// SPDX-License-Identifier: MIT
// The record first, then the guardian.
#include "outside/fence_record.hpp"

#include "outside/guardian.hpp"

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

bool FenceRecord::put(const Fenced& fenced) {
        if (!records_) {
                auto records = Records::open(place_);
                if (!records)
                        return false;
                records_.emplace(std::move(*records));
                record_ = record_of_this();
        }
        auto record = record_;
        record.fenced = fenced;
        shorten(record);
        if (!is_written_ || !(record == record_)) {
                if (!parse_record(to_text(record)) || records_->write(record) < 0)
                        return false;
                record_ = std::move(record);
                is_written_ = true;
        }
        return true;
}

void FenceRecord::guard() const {
        if (is_written_)
                (void)ensure_guardian(*records_, guardian_);
}

void FenceRecord::end() {
        if (is_written_)
                records_->remove(record_.run);
        is_written_ = false;
}

}  // namespace ctl::outside
