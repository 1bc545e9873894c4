// SPDX-License-Identifier: MIT
// argv -> Options.
#include "daemon/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace governor::daemon {

namespace {

constexpr int kUsage = 2;

/// CLI11 shows what is returned to the user.
std::string check_tcp(const std::string& text) {
        return config::parse_tcp_address(text) ? std::string()
                                               : "`" + text +
                                                         "` is not accepted; accepted: PORT, "
                                                         "HOST:PORT or [IPV6]:PORT with a "
                                                         "numeric HOST or localhost";
}

/// Mistakes are told to people that do not know where the daemon was started.
std::string absolute(const std::string& path) {
        std::error_code error;
        auto whole = std::filesystem::absolute(path, error);
        return error ? path : whole.lexically_normal().string();
}

}  // namespace

std::string default_socket() {
        const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        if (::geteuid() != 0 && runtime != nullptr && runtime[0] == '/')
                return std::string(runtime) + "/governord/governord.sock";
        return "/run/governord/governord.sock";
}

std::variant<Options, int> parse_options(int argc, char** argv) {
        Options options;
        std::string tcp;
        CLI::App app{"Decides how many cores each program on this host may use now.\n"
                     "Stays in the foreground and logs to stderr. SIGHUP reads the configuration\n"
                     "again, SIGTERM and SIGINT stop.",
                     "governord"};
        app.set_version_flag("--version", "governord " GOVERNOR_VERSION);
        app.add_option("--socket", options.socket,
                       "Listen on this path, also beside the sockets of a systemd socket unit")
                ->type_name("PATH")
                ->default_str(default_socket());
        app.add_option("--tcp", tcp,
                       "Listen on TCP too, for numbers only; without HOST on the loopback only.\n"
                       "Wins over `tcp=` in the configuration")
                ->type_name("[HOST:]PORT")
                ->check(check_tcp);
        const auto* config =
                app.add_option("--config", options.config, "Read this file and FILE.d/*.conf")
                        ->type_name("FILE")
                        ->capture_default_str();
        app.add_flag("--check-config", options.check_config,
                     "Say whether the configuration is right (exit 0) or not (exit 2)");
        app.add_option("--root", options.root,
                       "Take DIR/proc and DIR/sys for the machine (tests, recorded machines):\n"
                       "time is then counted in ticks, from boot at the first reading")
                ->type_name("DIR");
        app.footer("Exit: 0 stopped as asked, 1 failed, 2 wrong usage, or --check-config found a "
                   "mistake.");
        try {
                app.parse(argc, argv);
        } catch (const CLI::Success& success) {
                return app.exit(success);
        } catch (const CLI::ParseError& error) {
                std::fprintf(stderr, "governord: %s (see governord --help)\n", error.what());
                return kUsage;
        }
        options.tcp = config::parse_tcp_address(tcp);
        options.config_given = config->count() > 0;
        options.config = absolute(options.config);
        while (!options.root.empty() && options.root.back() == '/')
                options.root.pop_back();
        return options;
}

}  // namespace governor::daemon
