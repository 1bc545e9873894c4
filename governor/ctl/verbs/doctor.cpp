// SPDX-License-Identifier: MIT
// governorctl doctor: why are programs that are started from here not governed?
#include "render/columns.hpp"
#include "render/table.hpp"
#include "run/doors.hpp"
#include "run/executable.hpp"
#include "run/plain.hpp"
#include "run/steward.hpp"
#include "run/words.hpp"
#include "verbs/ask.hpp"
#include "verbs/findings.hpp"
#include "verbs/limits.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ctl::verbs {

namespace {

using Kind = Finding::Kind;

/// They quote variables, arguments and names of files: JSON takes no other bytes than UTF-8.
void append(std::vector<Finding>& findings, const std::vector<Finding>& more) {
        for (const auto& [kind, subject, text] : more)
                findings.push_back({kind, render::printable(subject), render::printable(text)});
}

/// What an option makes gcc's OpenMP do.
Finding of_object(const char* option, const char* does,
                  const tl::expected<std::string, std::string>& object) {
        return object ? Finding{Kind::Good, option,
                                std::string("can make gcc's OpenMP ") + does + ", by " + *object}
                      : Finding{Kind::Note, option, "changes nothing here: " + object.error()};
}

/// Means of `run` on this host.
std::vector<Finding> of_host() {
        std::vector<Finding> findings;
        const auto keeping = run::installed_object(run::Teams::Keep);
        if (run::Steward::can_fence()) {
                findings.push_back({Kind::Good, "run",
                                    "can hold a program, and all that it starts, to its share"});
                if (keeping)
                        findings.push_back({Kind::Good, "run",
                                            "can make threads of gcc's OpenMP sleep where they "
                                            "lack CPUs, by " +
                                                    *keeping});
        } else
                findings.push_back({Kind::Note, "run",
                                    "sets variables only, and cannot hold a program to its share: "
                                    "this kernel does not tell what the program starts"});
        findings.push_back(of_object("--keep", "wait", keeping));
        findings.push_back(
                of_object("--adapt", "follow", run::installed_object(run::Teams::Adapt)));
        return findings;
}

std::string as_text(const std::vector<Finding>& findings, std::ptrdiff_t problems) {
        std::vector<std::vector<std::string>> rows;
        const std::string* last = nullptr;  // what follows of the same subject adds to it
        for (const auto& finding : findings) {
                const bool is_more = last != nullptr && *last == finding.subject;
                rows.push_back({is_more ? "" : name_of(finding.kind),
                                is_more ? "" : finding.subject, finding.text});
                last = &finding.subject;
        }
        const auto verdict = problems == 0   ? std::string("Nothing is wrong.")
                             : problems == 1 ? "1 problem."
                                             : std::to_string(problems) + " problems.";
        return render::table({{""}, {""}, {""}}, rows) + verdict + "\n";
}

std::string as_json(const std::vector<Finding>& findings) {
        auto list = nlohmann::json::array();
        for (const auto& finding : findings)
                list.push_back({{"kind", name_of(finding.kind)},
                                {"subject", finding.subject},
                                {"text", finding.text}});
        return list.dump() + "\n";
}

}  // namespace

ExitCode doctor(const Common& common, const std::string& program) {
        if (!program.empty())
                if (const int error = run::reason_not_to_execute(program); error != 0)
                        return complain(run::not_executed(program, error));
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = ask(common.socket, std::move(request), governor::v1::Reply::kStatus);
        if (!reply && reply.error().code == kUsage)
                return complain(reply.error());
        std::vector<Finding> findings;
        if (reply) {
                const auto& status = reply->status();
                const bool over_tcp = addresses(common.socket).front().starts_with("tcp:");
                append(findings, of_governor(status, over_tcp));
                append(findings, of_limit(own_limit(), status.cpus()));
        } else {
                append(findings, {{Kind::Problem, "governor", reply.error().message}});
        }
        append(findings, of_host());
        append(findings, of_environment(run::of_process));
        if (!program.empty()) {
                RunOptions options;
                options.keeps = true;
                options.command = {program};
                append(findings, of_program(run::base_name(program), run::image_of(program),
                                            run::look_for_doors(options, true)));
        }
        const auto problems = std::ranges::count(findings, Kind::Problem, &Finding::kind);
        const auto printed = print(common.json ? as_json(findings) : as_text(findings, problems));
        if (printed != kOk)
                return printed;
        if (!reply)
                return reply.error().code;
        return problems == 0 ? kOk : kFailed;
}

}  // namespace ctl::verbs
