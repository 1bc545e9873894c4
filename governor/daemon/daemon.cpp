// SPDX-License-Identifier: MIT
// From options to a service that runs.
#include "daemon/daemon.hpp"

#include "daemon/configuration.hpp"
#include "daemon/service.hpp"
#include "probe/cpu_sets.hpp"
#include "probe/sampler.hpp"
#include "server/journal/log.hpp"
#include "server/server.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <sys/resource.h>
#include <utility>

namespace governor::daemon {

namespace {

using server::Event;
using server::Level;
using server::log;

enum ExitCode { kOk = 0, kFailed = 1, kWrongConfiguration = 2 };

/// Takes what the kernel allows and says how many descriptors clients may have of it.
std::size_t raise_descriptor_limit() {
        constexpr rlim_t kOwn = 64;      // sockets, timers, files, and what libraries open
        constexpr rlim_t kMost = 20480;  // what memory for all of them is reckoned with
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = std::min(limit.rlim_max, kMost);
        ::setrlimit(RLIMIT_NOFILE, &limit);
        ::getrlimit(RLIMIT_NOFILE, &limit);
        return limit.rlim_cur > 2 * kOwn ? limit.rlim_cur - kOwn : kOwn;
}

/// This machine may have other CPUs than the one that the files are for.
void note_what_this_machine_lacks(const Options& options, const config::Settings& settings) {
        probe::Sampler sampler(options.root);
        if (sampler.take(server::EventLoop::now(), settings.period) !=
            probe::Sampler::Outcome::Accepted)
                return;
        const auto apart = server::kept_apart(settings, probe::read_cpu_sets(options.root));
        if (const auto why = server::why_nothing_is_governed(settings, apart, sampler.sample()))
                std::printf("note: %s\n", why->c_str());
        else
                for (const auto& note :
                     server::notes_of_absent_cpus(settings, apart, sampler.sample()))
                        std::printf("note: %s\n", note.c_str());
}

int check(const Options& options, const config::Settings& settings) {
        for (const auto& note : config::notes(settings))
                std::printf("note: %s\n", note.c_str());
        note_what_this_machine_lacks(options, settings);
        for (const auto& file : settings.files)
                if (file != options.config)
                        std::printf("%s: read, too\n", file.c_str());
        if (settings.origins.empty())
                std::printf("%s: nothing is set, all defaults\n", options.config.c_str());
        else
                std::printf("%s: the configuration is right\n", options.config.c_str());
        return kOk;
}

/// `refused`: why these are not the settings of the files; else empty.
int serve(const Options& options, const config::Settings& settings, const std::string& refused) {
        follow_log_level(settings);
        Service service(options, raise_descriptor_limit());
        if (const auto started = service.start(settings, refused); !started) {
                log(Level::Error, Event::CannotStart, started.error());
                return kFailed;
        }
        const int code = service.serve();
        log(Level::Info, Event::Stopped, "stopped");
        return code < 0 ? kFailed : kOk;
}

int run_with_log(const Options& options) {
        auto settings = load_configuration(options);
        if (settings)
                return options.check_config ? check(options, *settings)
                                            : serve(options, *settings, {});
        report(settings.error());
        auto defaults = fallback(options);
        if (options.check_config || !defaults)
                return kWrongConfiguration;
        return serve(options, *defaults, summary(settings.error()));
}

}  // namespace

int run(const Options& options) {
        std::signal(SIGPIPE, SIG_IGN);  // a log reader that went must not end us
        server::open_log();
        const int code = run_with_log(options);
        if (code != kOk)
                server::linger_for_journal();
        return code;
}

}  // namespace governor::daemon
