// SPDX-License-Identifier: MIT
//
// The words of a governor, as they may be shown. Pure.
#pragma once

#include <governor/v1/governor.pb.h>

namespace ctl {

/// All texts in it: render::printable().
void make_printable(governor::v1::Reply& reply);

}  // namespace ctl
