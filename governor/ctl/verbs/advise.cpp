// SPDX-License-Identifier: MIT
// governorctl advise: a number to put behind -j.
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"
#include "verbs/verbs.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

struct Result {
        std::uint32_t threads = 1;
        std::uint32_t free = 0;
        std::uint32_t total = 0;
        std::string reason;
};

std::string text(const Result& result, bool json) {
        const nlohmann::ordered_json object{{"threads", result.threads},
                                            {"free", result.free},
                                            {"total", result.total},
                                            {"reason", result.reason}};
        return (json ? object.dump() : std::to_string(result.threads)) + "\n";
}

/// Nobody may read an empty answer as "no limit": without a governor there is a number too.
ExitCode fall_back(const Failure& failure, const AdviseOptions& options, bool json) {
        const auto threads = smaller_limit(own_limit(), options.max);
        const auto printed = print(text(
                {threads, 0, 0,
                 "no governor: CPU affinity and cgroup quota allow " + std::to_string(threads)},
                json));
        return printed == kOk ? complain(failure) : printed;
}

}  // namespace

ExitCode advise(const Common& common, const AdviseOptions& options) {
        const auto advice = ask_advice(common.socket, options.current, limit(options.max));
        if (!advice)
                return fall_back(advice.error(), options, common.json);
        if (advice->reason() == governor::v1::Advice::WARMING_UP)
                std::fputs("governorctl: the governor has only just started and is still "
                           "measuring; ask again after its first period\n",
                           stderr);
        return print(
                text({advice->threads(), advice->free(), advice->total(), advice->explanation()},
                     common.json));
}

}  // namespace ctl::verbs
