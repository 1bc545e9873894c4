// SPDX-License-Identifier: MIT
//
// The record of this process, in the first place that takes it.
#pragma once

#include "outside/records.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ctl::outside {

/// Not thread-safe. Costs nothing before the first write().
class OwnRecord {
public:
        /// `place`: the only one; empty: any of default_place(). `guardian`: the program that is
        /// governorctl, if it is not the running one.
        OwnRecord(std::string place, std::string guardian)
                : given_(std::move(place)), guardian_(std::move(guardian)) {}

        /// Replaces the record in one step. Returns why it is nowhere; empty: it is written. A
        /// place that has gone, or is full, is left for another one.
        [[nodiscard]] std::string write(const Record& record);

        /// Sees to a guardian for the record: see ensure_guardian().
        [[nodiscard]] bool guard();

        /// Sees to guardians in all places in which processes have left records that were killed
        /// together with theirs. The home folder is one of them only if no better place is there:
        /// it may be on a server that does not answer, and the guardians look at it.
        void guard_what_was_left() const;

        void remove();
        [[nodiscard]] bool is_written() const { return written_.has_value(); }

private:
        [[nodiscard]] std::size_t places() const { return given_.empty() ? kDefaultPlaces : 1; }
        [[nodiscard]] std::string place(std::size_t which) const {
                return given_.empty() ? default_place(which) : given_;
        }
        [[nodiscard]] std::string write_from(std::size_t which, const Record& record);

        std::string given_;
        std::string guardian_;
        std::optional<Records> records_;
        std::size_t which_ = 0;  // place they are in
        std::optional<Record> written_;
};

}  // namespace ctl::outside
