// SPDX-License-Identifier: MIT
// governorctl run: a tree of programs that know nothing of us, with a lease of its own.
#include "render/columns.hpp"
#include "run/child.hpp"
#include "run/descriptors.hpp"
#include "run/executable.hpp"
#include "run/memory.hpp"
#include "run/parent.hpp"
#include "run/plain.hpp"
#include "run/say.hpp"
#include "run/signals.hpp"
#include "run/steward.hpp"
#include "run/wish.hpp"
#include "run/words.hpp"
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <governor/v1/text.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ctl::run {

namespace {

constexpr std::size_t kLongestLabel = 63;

governor::v1::Hello hello_of(const verbs::RunOptions& options) {
        governor::v1::Hello hello;
        hello.set_tree(true);
        hello.set_yields(options.yields());
        hello.set_can_wait(options.yields());
        hello.set_sleeps(options.keeps || options.is_batch);  // nothing fences the tree
        const auto name = text_of(of_process, "THREADCOUNT_LABEL");
        auto label = render::printable(name.empty() ? base_name(options.command.front()) : name);
        label.resize(governor_text_cut(label.data(), label.size(), kLongestLabel));
        hello.set_label(label);
        hello.set_job(job_of(options));
        auto& wishes = *hello.mutable_wishes();
        wishes.set_max(verbs::smaller_limit(options.max, verbs::user_limit()));
        if (text_of(of_process, "THREADCOUNT_CLASS") == "batch")
                wishes.set_scheduling_class(governor::v1::BATCH);
        return hello;
}

/// The state that it begins with by its lease. No number is set where it follows by itself or is to
/// be kept; a governor that leaves it alone leaves it the user's own limits.
Beginning begin(const verbs::RunOptions& options, Lease& lease) {
        const auto grant = lease.grant(Lease::Clock::now()).value_or(Grant{});
        const auto share = lease.share();
        const auto most = verbs::smaller_limit(options.max, verbs::user_limit());
        Beginning beginning;
        beginning.name = base_name(options.command.front());
        beginning.cpus = grant.why.cpus;
        beginning.limit = grant.why.limit;
        beginning.keeps = options.keeps || options.is_batch;
        beginning.is_ungoverned = grant.is_ungoverned;
        beginning.threads = grant.is_ungoverned ? most
                                                : std::clamp(share > 0 ? share : grant.threads, 1U,
                                                             verbs::limit(options.max));
        beginning.yields = options.yields();
        if (!beginning.is_ungoverned)
                beginning.doors = look_for_doors(options, true);
        if (beginning.keeps || beginning.threads == 0)
                return beginning;
        beginning.changes = all_lowered(beginning.threads, of_process);
        return beginning;
}

/// Why no lease is asked for; empty: it is.
std::string without_asking(const verbs::RunOptions& options, const Wish& wish,
                           const std::string& address) {
        if (options.execs)
                return "--exec";
        if (wish.kind != Wish::Kind::Follow)
                return "THREADCOUNT=start-only";
        return address.starts_with("tcp:") ? "there are none over TCP" : "";
}

ExitCode fail(const std::string& program, int error) {
        return verbs::complain(not_executed(program, error));
}

/// A tree that is left alone now begins as without the rule, and is fenced once it is governed.
verbs::RunOptions with_rules(const verbs::RunOptions& options, bool is_ungoverned, Lease& lease) {
        if (is_ungoverned || !lease.client().adapts())
                return options;
        const auto ruled = under_rule(options);
        if (ruled.is_by_rule)
                lease.hold_to_nothing();
        return ruled;
}

ExitCode stay(const verbs::RunOptions& given, Lease& lease, const std::vector<int>& inherited) {
        const bool is_ungoverned = lease.grant(Lease::Clock::now()).value_or(Grant{}).is_ungoverned;
        const auto options = with_rules(given, is_ungoverned, lease);
        if (!options.keeps && !options.is_batch && !is_ungoverned)
                lease.settle();
        const auto open = affinity_of(0).value_or(CpuMask{});
        const bool fences = !options.keeps && !options.is_batch && Steward::can_fence() &&
                            !gains_privilege(options.command.front());
        const auto beginning = begin(options, lease);
        for (const auto& change : beginning.changes)
                apply(change);
        const Steward::Acts what_acts{acts(beginning, fences), acts(beginning, false)};
        lease.tell(what_acts.all);
        const auto way = fences             ? Steward::Way::Fence
                         : options.yields() ? Steward::Way::Yield
                                            : Steward::Way::Nothing;
        Steward steward(lease, open, beginning.threads, way, what_acts);
        Signals signals;
        ::prctl(PR_SET_CHILD_SUBREAPER, 1);
        // A command that is started in a session of its own would lose its terminal.
        const bool in_own_session = options.yields() && !has_terminal();
        const auto child = start(options.command, signals, steward.at_start(), in_own_session,
                                 beginning.doors.changes);
        if (!child) {
                steward.finish();  // leaves no record
                if (child.error().is_of_exec)
                        return fail(options.command.front(), child.error().error);
                // No room for one process more: none is needed without a lease.
                ::prctl(PR_SET_CHILD_SUBREAPER, 0);
                signals.give_back();
                return fail(options.command.front(), execute(options.command));
        }
        let_go(inherited);
        steward.begin();
        if (!options.is_quiet)
                say(summary(beginning));
        int looks = 0;
        const int status = wait_for(*child, in_own_session, signals, [&] {
                const auto attention = steward.attend();
                // The first look asks, the second has the answers.
                if (++looks == 2)
                        drop_code();
                return attention;
        });
        steward.finish();
        return static_cast<ExitCode>(end_as(status));
}

}  // namespace

}  // namespace ctl::run

namespace ctl::verbs {

ExitCode run(const Common& common, const RunOptions& given) {
        using namespace ctl::run;
        fill_standard_streams();
        const std::string holds = given.adapts ? "--adapt" : "--keep";
        if ((given.keeps || given.adapts) && given.execs)
                return complain({kUsage, holds + " and --exec exclude each other: " + holds +
                                                 " holds a lease, and --exec takes none"});
        if (given.keeps && given.adapts)
                return complain({kUsage, "--keep and --adapt exclude each other: --keep leaves a "
                                         "program its number of threads"});
        ignore_broken_pipes();
        const auto inherited = inherited_descriptors();
        auto options = given;
        options.keeps |= options.adapts || image_of(options.command.front()).follows_by_itself();
        const auto wish = parse_wish();
        if (!wish)
                return complain(wish.error());
        options.keeps |= wish->keeps;
        // Before the environment is changed.
        const auto where = addresses(common.socket);
        if (!common.socket.empty())
                ::setenv("THREADCOUNT_SOCKET", common.socket.c_str(), 1);
        if (options.max > 0)
                if (const auto change = lowered("THREADCOUNT_MAX", options.max, of_process))
                        apply(*change);
        const auto class_and_job = set_class_and_job(options);
        if (const auto note = ctl::run::outside(options.command);
            !note.empty() && !options.is_quiet)
                say(note);
        const auto hello = hello_of(options);
        if (options.is_dry)
                return rehearse(common, options, *wish, class_and_job,
                                without_asking(options, *wish, where.front()), hello.label());
        if (const auto why = without_asking(options, *wish, where.front()); !why.empty())
                return become(common, options, *wish, why);
        Lease lease(where, hello);
        const auto taken = lease.take();
        if (taken)
                return stay(options, lease, inherited);
        if (taken.error().failure.code == kUsage)
                return complain(taken.error().failure);
        if (taken.error().gives_advice)
                return become(common, options, *wish, taken.error().failure.message);
        return become_unadvised(options, taken.error().failure);
}

}  // namespace ctl::verbs
