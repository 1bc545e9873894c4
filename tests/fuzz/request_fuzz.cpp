// SPDX-License-Identifier: MIT
// The governor gives one reply, which is small enough, and sound advice, whatever a client asks.
#include "require.hpp"
#include "server/answers/answers.hpp"

#include <governor/v1/frame.h>

using namespace governor;
using std::chrono::milliseconds;

namespace {

struct Machine {
        config::Settings settings;
        policy::Sample sample{{}, false};
        probe::Topology topology;
        registry::Programs programs{{}, {}};

        Machine() {
                settings.programs.resize(1000);
                for (auto& rule : settings.programs) {
                        rule.name = "program";
                        rule.label = std::string(180, '*');
                }
                for (std::uint32_t cpu = 0; cpu < 3000; cpu++) {
                        sample.cpus.push_back({cpu * 3, cpu % 10 * 111});
                        topology[cpu * 3] = {cpu, cpu / 64, cpu / 32, std::nullopt};
                }
        }
};

void check(const v1::Advice& advice, const v1::Query& query) {
        require(advice.threads() >= 1, "advice is at least one thread");
        require(advice.threads() <= advice.total(), "advice is at most all CPUs");
        require(query.max() == 0 || advice.threads() <= query.max(),
                "advice is at most what was asked");
        require(advice.free() <= advice.total(), "no more are free than there are");
        require(advice.explanation().size() <= 160,
                "an explanation fits into the library's answer");
}

void check(const v1::Error& error) {
        require(error.code() != v1::Error::UNKNOWN, "a refusal has a code");
        require(!error.message().empty() && error.message().size() <= 160,
                "a refusal's message fits into the library's answer");
        require(error.accepted().size() <= 96, "an accepted range fits into the library's answer");
}

void check(const v1::Cpus& page, std::uint32_t first) {
        require(page.cpu_size() <= 1024, "a page is not longer than promised");
        for (const auto& cpu : page.cpu()) {
                require(cpu.cpu() >= first, "a page starts where it was asked to");
                require(!cpu.available() || cpu.governed(), "only governed CPUs are available");
                first = cpu.cpu() + 1;
        }
        require(!page.has_next() || page.next() >= first, "the next page goes on behind this one");
}

void check(const v1::Config& page, std::uint32_t first) {
        require(!page.has_next_program() || page.next_program() > first,
                "the next page of rules goes on behind this one");
        require(first > 0 || page.setting_size() > 0, "the first page has the settings");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        static const Machine machine;
        v1::Request request;
        if (size > GOVERNOR_REQUEST_MAX || !request.ParseFromArray(data, static_cast<int>(size)))
                return 0;
        const auto reply = server::answer(request, {machine.settings,
                                                    machine.settings.pool,
                                                    machine.sample,
                                                    machine.topology,
                                                    machine.programs,
                                                    {},
                                                    milliseconds{1},
                                                    milliseconds{0}});
        require(reply.kind_case() != v1::Reply::KIND_NOT_SET, "each request has a reply");
        require(reply.ByteSizeLong() <= GOVERNOR_REPLY_MAX, "a reply fits into a message");
        v1::Reply again;
        require(again.ParseFromString(reply.SerializeAsString()), "a reply can be read");
        if (reply.has_advice())
                check(reply.advice(), request.query());
        if (reply.has_error())
                check(reply.error());
        if (reply.has_cpus())
                check(reply.cpus(), request.cpus().first());
        if (reply.has_config())
                check(reply.config(), request.config().first_program());
        require(request.protocol() == 1 || reply.has_error(), "another protocol is refused");
        return 0;
}
