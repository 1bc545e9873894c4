// SPDX-License-Identifier: MIT
//
// The meaning of governorctl's exit status.
#pragma once

namespace ctl {

enum ExitCode : int {
        kOk = 0,
        kFailed = 1,
        kUsage = 2,
        kNotReachable = 3,
        kNotPermitted = 4,
        kNotExecutable = 126,  ///< run: as env(1) does
        kNotFound = 127,       ///< run: likewise
};

}  // namespace ctl
