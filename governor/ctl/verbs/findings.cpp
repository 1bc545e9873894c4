// SPDX-License-Identifier: MIT
// One function for each group of findings.
#include "verbs/findings.hpp"

#include "render/columns.hpp"
#include "render/status_text.hpp"
#include "run/wish.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace ctl::verbs {

namespace {

using Kind = Finding::Kind;

std::string value_of(const run::Lookup& lookup, const char* name) {
        return render::printable(run::text_of(lookup, name));
}

bool is_equal(std::string_view a, std::string_view b) {
        return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) {
                return std::tolower(x) == std::tolower(y);
        });
}

/// THREADCOUNT, as `run` reads it.
std::vector<Finding> of_wish(const run::Lookup& lookup) {
        const auto wish = run::parse_wish(lookup);
        const auto subject = "THREADCOUNT=" + value_of(lookup, "THREADCOUNT");
        if (!wish)
                return {{Kind::Problem, subject, wish.error().message}};
        if (wish->kind == run::Wish::Kind::Follow)
                return {};
        if (wish->kind == run::Wish::Kind::Off)
                return {{Kind::Problem, subject,
                         "programs that are started here follow no governor: unset THREADCOUNT"}};
        return {{Kind::Note, subject,
                 "programs that are started here keep the number of threads of their start"}};
}

}  // namespace

const char* name_of(Kind kind) {
        return kind == Kind::Good ? "ok" : kind == Kind::Note ? "note" : "problem";
}

std::vector<Finding> of_governor(const governor::v1::Status& status, bool over_tcp) {
        std::vector<Finding> findings{
                {Kind::Good, "governor",
                 "version " + status.version() + " answers, policy " + status.policy()}};
        if (status.paused())
                findings.push_back({Kind::Problem, "mode",
                                    "governing is paused, and programs are left alone: root ends "
                                    "that by `governorctl resume --all`"});
        else if (status.mode() == "observe" && !status.fallback())
                findings.push_back({Kind::Problem, "mode",
                                    "the governor only observes: it governs once `mode = govern` "
                                    "is in force, see `governorctl config`"});
        if (!status.configuration_error().empty())
                findings.push_back(
                        {Kind::Problem, "configuration",
                         render::refused(status.configuration_error(), status.fallback()) + "; " +
                                 render::kMendConfiguration});
        if (status.foreign() > 0)
                findings.push_back({Kind::Note, "load",
                                    std::to_string(status.foreign()) + " of " +
                                            std::to_string(status.cpus()) +
                                            " cpus are left to programs that are not governed"});
        if (status.warming_up())
                findings.push_back(
                        {Kind::Note, "samples", "the governor has not measured yet: ask again"});
        if (!render::keeps_accounts(status))
                findings.push_back({Kind::Note, "policy",
                                    "threshold gives a number at the start: what `run` starts "
                                    "does not follow later"});
        if (over_tcp)
                findings.push_back({Kind::Note, "socket",
                                    "over TCP there is a number at the start: what `run` starts "
                                    "does not follow later"});
        return findings;
}

std::vector<Finding> of_limit(std::uint32_t own, std::uint32_t all) {
        if (own >= all)
                return {{Kind::Good, "limits", "this shell may use all CPUs that are given out"}};
        return {{Kind::Note, "limits",
                 "this shell may use " + std::to_string(own) + " of " + std::to_string(all) +
                         " CPUs (affinity, quota of a control group, or THREADCOUNT_MAX), and so "
                         "may all that it starts"}};
}

std::vector<Finding> of_environment(const run::Lookup& lookup) {
        auto findings = of_wish(lookup);
        if (is_equal(value_of(lookup, "OMP_WAIT_POLICY"), "active"))
                findings.push_back({Kind::Problem, "OMP_WAIT_POLICY=active",
                                    "threads of OpenMP spin for ever, on CPUs that others need: "
                                    "unset it"});
        for (const auto* name :
             {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
                if (const auto value = value_of(lookup, name);
                    !value.empty() && !is_equal(value, "false") && !is_equal(value, "none") &&
                    !is_equal(value, "disabled"))
                        findings.push_back({Kind::Note, std::string(name) + "=" + value,
                                            "programs bind their threads themselves, and two of "
                                            "them may choose the same CPUs"});
        for (const auto& change : run::all_lowered(0, lookup))  // whatever number is set
                if (change.before)
                        findings.push_back({Kind::Note,
                                            change.name + "=" + render::printable(*change.before),
                                            "a limit: no program that reads it has more threads, "
                                            "and `run` may lower it"});
        return findings;
}

std::vector<Finding> of_program(const std::string& name, const run::Image& image,
                                const run::Doors& doors) {
        if (image.follows_by_itself())
                return {{Kind::Good, name,
                         "is linked with libthreadcount, and follows its share by itself"}};
        std::vector<Finding> findings;
        findings.push_back(
                doors.is_open
                        ? Finding{Kind::Good, name, "run --keep or --adapt: " + doors.waits}
                        : Finding{Kind::Note, name,
                                  "run --keep and --adapt change nothing: " + doors.why_shut});
        for (const auto& door : doors.each)
                findings.push_back({Kind::Note, name, door});
        return findings;
}

}  // namespace ctl::verbs
