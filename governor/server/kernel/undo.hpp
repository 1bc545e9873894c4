// SPDX-License-Identifier: MIT
//
// Steps to take back if a transaction ends early.
#pragma once

#include <utility>

namespace governor::server {

/// Calls `undo` when it goes, unless keep() was called. Several in a row are undone last first, as
/// their scopes end.
template <class Call>
class Undo {
public:
        explicit Undo(Call undo) : undo_(std::move(undo)) {}
        Undo(const Undo&) = delete;
        Undo& operator=(const Undo&) = delete;
        ~Undo() {
                if (!kept_)
                        undo_();
        }
        void keep() { kept_ = true; }

private:
        Call undo_;
        bool kept_ = false;
};

}  // namespace governor::server
