// SPDX-License-Identifier: MIT
//
// The picture that `governorctl top` shows at one moment.
#pragma once

#include "top/controls.hpp"

#include <cstddef>
#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <map>
#include <string>

namespace ctl::top {

struct Picture {
        governor::v1::Status status;
        governor::v1::Clients clients;
        governor::v1::Cpus cpus;
        std::map<std::uint32_t, std::string> users;  ///< names of uids; else the number is shown
        std::string trouble;                         ///< one sentence; empty: this is how it is now
        std::uint64_t age_s = 0;                     ///< where there is trouble: since it was so
        bool was_reached = false;                    ///< false: there is nothing to show
};

/// The screen to show it on.
struct Screen {
        std::size_t width = 0;   ///< columns; 0: no limit
        std::size_t height = 0;  ///< lines; 0: no limit, and no keys
        bool utf8 = false;
        bool color = false;
};

}  // namespace ctl::top
