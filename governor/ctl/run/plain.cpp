// SPDX-License-Identifier: MIT
// The stateless ways.
#include "run/plain.hpp"

#include "render/columns.hpp"
#include "run/child.hpp"
#include "run/fence.hpp"
#include "run/words.hpp"
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ctl::run {

namespace {

using Kind = Wish::Kind;

ExitCode execute_with(const verbs::RunOptions& options, std::uint32_t threads) {
        if (threads > 0)
                for (const auto& change : all_lowered(threads, of_process))
                        apply(change);
        return verbs::complain(not_executed(options.command.front(), execute(options.command)));
}

std::uint32_t most(const verbs::RunOptions& options) {
        return verbs::smaller_limit(options.max, verbs::user_limit());
}

}  // namespace

Failure not_executed(const std::string& program, int error) {
        return {error == ENOENT ? kNotFound : kNotExecutable,
                "cannot run " + program + ": " + std::strerror(error)};
}

ExitCode become_unadvised(const verbs::RunOptions& options, const Failure& why) {
        const auto threads = most(options);
        const auto how = threads > 0 ? "with at most " + std::to_string(threads) : "unchanged";
        std::fprintf(stderr, "governorctl: %s; %s runs %s%s\n",
                     render::printable(why.message).c_str(),
                     render::printable(options.command.front()).c_str(), how.c_str(),
                     options.is_batch ? ", and waits for no turn" : "");
        // A batch program is linked with libthreadcount: the number would be its maximum for good.
        return execute_with(options, options.is_batch ? 0 : threads);
}

ExitCode become(const verbs::Common& common, const verbs::RunOptions& options, const Wish& wish) {
        if (wish.kind == Kind::Off)
                return execute_with(options, 0);
        if (wish.kind == Kind::Fixed)
                return execute_with(options, verbs::smaller_limit(wish.threads, most(options)));
        const auto advice = verbs::ask_advice(common.socket, 0, verbs::limit(options.max));
        if (!advice && advice.error().code == kUsage)
                return verbs::complain(advice.error());
        if (!advice)
                return become_unadvised(options, advice.error());
        return execute_with(options, options.is_batch || options.keeps ? 0 : advice->threads());
}

ExitCode rehearse(const verbs::Common& common, const verbs::RunOptions& options, const Wish& wish) {
        Beginning beginning;
        beginning.name = base_name(options.command.front());
        if (wish.kind == Kind::Off)
                return verbs::print(beginning.name + ": THREADCOUNT=off, it is left as it is\n");
        const auto open = affinity_of(0).value_or(CpuMask{});
        std::string text;
        if (wish.kind == Kind::Fixed) {
                beginning.threads = verbs::smaller_limit(wish.threads, most(options));
                text = beginning.name + ": THREADCOUNT=fixed, " +
                       std::to_string(beginning.threads) + " threads, no lease\n";
        } else {
                const auto advice = verbs::ask_advice(common.socket, 0, verbs::limit(options.max));
                if (!advice && advice.error().code == kUsage)
                        return verbs::complain(advice.error());
                if (!advice)
                        return verbs::print(beginning.name + ": " + advice.error().message +
                                            "; it would run unchanged\n");
                beginning.threads = advice->threads();
                text = beginning.name + ": " + advice->explanation() + "\n" +
                       (options.execs || wish.kind == Kind::StartOnly || !advice->leases()
                                ? "no lease, this number for as long as it runs\n"
                                : "a lease, whose share takes the place of this number\n");
        }
        const bool leaves = options.keeps || options.is_batch;
        if (!leaves)
                beginning.changes = all_lowered(beginning.threads, of_process);
        if (!leaves && wish.kind == Kind::Follow && !options.execs &&
            beginning.threads < open.count())
                beginning.fence = list_of(choose({}, open, beginning.threads));
        return verbs::print(text + details(beginning));
}

}  // namespace ctl::run
