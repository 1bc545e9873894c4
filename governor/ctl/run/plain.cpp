// SPDX-License-Identifier: MIT
// The stateless ways.
#include "run/plain.hpp"

#include "render/columns.hpp"
#include "render/status_text.hpp"
#include "run/child.hpp"
#include "run/doors.hpp"
#include "run/executable.hpp"
#include "run/say.hpp"
#include "run/steward.hpp"
#include "run/words.hpp"
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ctl::run {

namespace {

using Kind = Wish::Kind;

/// Sets the variables to `beginning.threads` (0: none), says so, and executes the command.
ExitCode execute_with(const verbs::RunOptions& options, Beginning beginning) {
        beginning.name = base_name(options.command.front());
        if (beginning.threads > 0)
                beginning.changes = all_lowered(beginning.threads, of_process);
        for (const auto& change : beginning.changes)
                apply(change);
        if (!beginning.without_lease.empty() && !options.is_quiet &&
            reason_not_to_execute(options.command.front()) == 0)
                say(summary(beginning));
        return verbs::complain(not_executed(options.command.front(), execute(options.command)));
}

Beginning with(std::uint32_t threads) {
        Beginning beginning;
        beginning.threads = threads;
        return beginning;
}

std::uint32_t most(const verbs::RunOptions& options) {
        return verbs::smaller_limit(options.max, verbs::user_limit());
}

/// The way it would run without us, and why.
std::string unadvised(const verbs::RunOptions& options, const Failure& why) {
        const auto threads = most(options);
        return why.message + "; " + options.command.front() + " runs " +
               (threads > 0 ? "with at most " + std::to_string(threads) : "unchanged") +
               (options.is_batch ? ", and waits for no turn" : "");
}

Beginning fixed(const verbs::RunOptions& options, const Wish& wish) {
        auto beginning = with(verbs::smaller_limit(wish.threads, most(options)));
        beginning.without_lease = "as THREADCOUNT=fixed says, no lease";
        return beginning;
}

/// Why the governor leaves all programs alone; empty: it does not.
std::string left_alone(const std::string& socket) {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = verbs::ask(socket, std::move(request), governor::v1::Reply::kStatus);
        return reply ? render::left_alone(reply->status()) : std::string();
}

/// The threads that a lease would give: the advice, or more.
std::string at_least(const verbs::RunOptions& options, std::uint32_t threads) {
        return (threads < verbs::limit(options.max) ? "at least " : "") + std::to_string(threads);
}

/// The fence of a lease.
std::string fence_of(const verbs::RunOptions& options, std::uint32_t threads) {
        const auto open = affinity_of(0).value_or(CpuMask{});
        if (threads >= open.count() || !Steward::can_fence() ||
            gains_privilege(options.command.front()))
                return "";
        return at_least(options, threads) + (threads == 1 ? " CPU" : " CPUs");
}

}  // namespace

Failure not_executed(const std::string& program, int error) {
        return {error == ENOENT ? kNotFound : kNotExecutable,
                "cannot run " + program + ": " + std::strerror(error)};
}

ExitCode become_unadvised(const verbs::RunOptions& options, const Failure& why) {
        say(unadvised(options, why));
        // A batch program is linked with libthreadcount: the number would be its maximum for good.
        return execute_with(options, with(options.is_batch ? 0 : most(options)));
}

ExitCode become(const verbs::Common& common, const verbs::RunOptions& options, const Wish& wish,
                const std::string& why_no_lease) {
        if (wish.kind == Kind::Off)
                return execute_with(options, with(0));
        if (wish.kind == Kind::Fixed)
                return execute_with(options, fixed(options, wish));
        const auto advice = verbs::ask_advice(common.socket, 0, verbs::limit(options.max));
        if (!advice && advice.error().code == kUsage)
                return verbs::complain(advice.error());
        if (!advice)
                return become_unadvised(options, advice.error());
        if (options.is_batch || options.keeps)
                return execute_with(options, with(0));
        auto beginning = with(advice->threads());
        beginning.cpus = advice->total();
        beginning.without_lease = "advised once, no lease (" + why_no_lease + ")";
        return execute_with(options, beginning);
}

ExitCode rehearse(const verbs::Common& common, const verbs::RunOptions& given, const Wish& wish,
                  const std::vector<Change>& class_and_job, const std::string& why_no_lease,
                  const std::string& label) {
        auto options = given;
        const auto& program = options.command.front();
        if (const int error = reason_not_to_execute(program); error != 0)
                return verbs::complain(not_executed(program, error));
        const auto name = render::printable(base_name(program)) + ": ";
        if (wish.kind == Kind::Off)
                return verbs::print(name + "THREADCOUNT=off, it is left as it is\n");
        const auto set = [&](Beginning beginning) {
                if (beginning.threads > 0)
                        beginning.changes = all_lowered(beginning.threads, of_process);
                beginning.changes.insert(beginning.changes.begin(), class_and_job.begin(),
                                         class_and_job.end());
                return details(beginning);
        };
        if (wish.kind == Kind::Fixed) {
                auto beginning = fixed(options, wish);
                beginning.name = render::printable(base_name(program));
                return verbs::print(summary(beginning) + "\n" + set(beginning));
        }
        const auto advice = verbs::ask_advice(common.socket, 0, verbs::limit(options.max), label);
        if (!advice && advice.error().code == kUsage)
                return verbs::complain(advice.error());
        if (!advice)
                return verbs::print(render::printable(unadvised(options, advice.error())) + "\n" +
                                    set(with(options.is_batch ? 0 : most(options))));
        const bool leases = why_no_lease.empty() && advice->leases();
        const auto why_alone = leases ? left_alone(common.socket) : std::string();
        if (leases && why_alone.empty() && advice->adapts())
                options = under_rule(options);
        const bool leaves = options.keeps || options.is_batch;
        if (!why_alone.empty())
                return verbs::print(name + why_alone + "\n" +
                                    set(with(leaves ? 0 : most(options))));
        auto beginning = with(leaves ? 0 : advice->threads());
        beginning.doors = look_for_doors(options, leases);
        if (leases && !leaves)
                beginning.fence = fence_of(options, beginning.threads);
        auto how = std::string(leases ? "a lease, " : "no lease, ");
        if (leases && options.yields())
                how += std::string("class batch: ") + kYields + "; " +
                       keeping_in_words(beginning.doors, kNoRegionWaits);
        else if (leaves)
                how += "and " + keeping_in_words(beginning.doors, kUnchanged);
        else if (leases)
                how += "whose share takes the place of this number: " +
                       at_least(options, beginning.threads) +
                       (beginning.doors.is_open ? "; " + beginning.doors.waits : "");
        else
                how += "this number for as long as it runs";
        return verbs::print(name + advice->explanation() + "\n" + how + "\n" + set(beginning));
}

}  // namespace ctl::run
