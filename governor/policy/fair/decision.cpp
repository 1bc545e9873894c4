// SPDX-License-Identifier: MIT
// The arithmetic as a sentence.
#include "policy/fair/decision.hpp"

#include <cstddef>

namespace governor::policy::fair {

governor_grant_reason encode(const Reason& reason) {
        return {static_cast<std::uint32_t>(reason.limit),
                reason.cpus,
                reason.foreign,
                reason.reserved,
                reason.rigid,
                reason.programs,
                reason.accounts,
                reason.share,
                reason.bound,
                reason.own_foreign,
                {}};
}

std::string explain(const Grant& grant) {
        const auto reason = encode(grant.reason);
        std::string text(static_cast<std::size_t>(
                                 governor_reason_explain(&reason, grant.threads, nullptr, 0)),
                         '\0');
        governor_reason_explain(&reason, grant.threads, text.data(), text.size() + 1);
        return text;
}

}  // namespace governor::policy::fair
