// SPDX-License-Identifier: MIT
// One place after the other.
#include "outside/own_record.hpp"

#include "outside/guardian.hpp"

#include <cstring>
#include <utility>

namespace ctl::outside {

std::string OwnRecord::write(const Record& record) {
        if (records_ && records_->write(record) == 0) {
                written_ = record;
                return {};
        }
        return write_from(0, record);
}

std::string OwnRecord::write_from(std::size_t which, const Record& record) {
        std::string why_not = "there is no place for a record";
        for (; which < places(); which++) {
                const auto place = this->place(which);
                if (place.empty())
                        continue;
                auto records = Records::open(place);
                if (!records) {
                        why_not = records.error();
                        continue;
                }
                if (const int error = records->write(record); error < 0) {
                        why_not = "cannot write to " + place + ": " + std::strerror(-error);
                        continue;
                }
                if (records_ && records_->place() != place)
                        records_->remove(record.run);
                records_.emplace(std::move(*records));
                which_ = which;
                written_ = record;
                return {};
        }
        return why_not;
}

/// A file system that knows no locks has no guardian.
bool OwnRecord::guard() {
        while (written_) {
                if (ensure_guardian(*records_, guardian_))
                        return true;
                if (!write_from(which_ + 1, *written_).empty())
                        return false;
        }
        return false;
}

void OwnRecord::guard_what_was_left() const {
        bool is_placed = false;
        for (std::size_t which = 0; which < places(); which++) {
                if (which == kHomePlace && is_placed)
                        continue;
                const auto place = this->place(which);
                is_placed |= !place.empty();
                guard_left_records(place, guardian_);
        }
}

void OwnRecord::remove() {
        if (written_)
                records_->remove(written_->run);
        written_.reset();
}

}  // namespace ctl::outside
