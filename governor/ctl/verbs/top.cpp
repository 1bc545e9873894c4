// SPDX-License-Identifier: MIT
// governorctl top: what status, clients and cpus show, again and again.
#include "render/bar.hpp"
#include "render/columns.hpp"
#include "top/draw.hpp"
#include "top/feed.hpp"
#include "top/terminal.hpp"
#include "verbs/ask.hpp"
#include "verbs/client_json.hpp"
#include "verbs/cpu_list.hpp"
#include "verbs/status_json.hpp"
#include "verbs/verbs.hpp"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

namespace ctl::verbs {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// https://no-color.org
bool wants_color() {
        const char* no = std::getenv("NO_COLOR");
        return no == nullptr || *no == '\0';
}

std::string as_json(const top::Picture& picture) {
        nlohmann::ordered_json json{
                {"status", nullptr}, {"clients", nullptr}, {"cpus", nullptr}, {"error", nullptr}};
        if (picture.trouble.empty()) {
                json["status"] = status_json(picture.status);
                json["clients"] = clients_json(picture.clients);
                json["cpus"] = cpus_json(picture.cpus);
        } else {
                json["error"] = render::printable(picture.trouble);
        }
        return json.dump() + "\n";
}

std::string as_lines(const top::Picture& picture) {
        top::Screen screen;
        screen.utf8 = render::terminal_is_utf8();
        std::string text;
        for (const auto& line : top::draw(picture, {}, screen).lines)
                text += line + "\n";
        return text + "\n";
}

/// The failure at the end, or that all is well.
ExitCode result(const top::Feed& feed) { return feed.failure() ? feed.failure()->code : kOk; }

/// Lines for a pipe, a file or a dumb terminal.
ExitCode print_all(const Common& common, const TopOptions& options, top::Feed& feed) {
        auto due = steady_clock::now();
        for (std::uint32_t n = 1;; n++) {
                const auto& picture = feed.next();
                if (feed.failure() && !picture.was_reached)
                        return complain(*feed.failure());
                const auto code = print(common.json ? as_json(picture) : as_lines(picture));
                if (code != kOk || n == options.count)
                        return code != kOk ? code : result(feed);
                due = std::max(due + options.interval, steady_clock::now());
                std::this_thread::sleep_until(due);
        }
}

/// One terminal, from the first picture to the last.
class Live {
public:
        Live(const TopOptions& options, top::Feed& feed, const top::Picture& first)
                : options_(options), feed_(feed), picture_(&first) {
                screen_.utf8 = render::terminal_is_utf8();
                screen_.color = wants_color();
        }

        /// The signal that ended it, 0: none.
        int run() {
                auto due = steady_clock::now() + options_.interval;
                for (std::uint32_t n = 1; !controls_.quit;) {
                        if (!show())
                                return SIGHUP;
                        const auto left =
                                std::chrono::ceil<milliseconds>(due - steady_clock::now());
                        const auto happened = terminal_.wait(std::max(left, milliseconds{0}));
                        if (happened.ended_by != 0)
                                return happened.ended_by;
                        for (const auto& key : top::parse_keys(happened.typed))
                                top::press(controls_, key, page_);
                        if (steady_clock::now() < due)
                                continue;
                        if (n++ == options_.count)
                                return 0;
                        picture_ = &feed_.next();
                        due = std::max(due, steady_clock::now()) + options_.interval;
                }
                return 0;
        }

private:
        bool show() {
                const auto size = top::Terminal::size();
                screen_.width = size.columns;
                screen_.height = size.lines;
                const auto drawing = top::draw(*picture_, controls_, screen_);
                page_ = drawing.page;
                controls_.scroll = drawing.scroll;
                return terminal_.show(drawing.lines);
        }

        const TopOptions& options_;
        top::Feed& feed_;
        const top::Picture* picture_;
        top::Terminal terminal_;
        top::Screen screen_;
        top::Controls controls_;
        std::size_t page_ = 1;
};

}  // namespace

ExitCode top(const Common& common, const TopOptions& options) {
        top::Feed feed(common.socket);
        if (common.json || !top::Terminal::is_there())
                return print_all(common, options, feed);
        const auto& first = feed.next();
        if (feed.failure())
                return complain(*feed.failure());
        const int signal = Live(options, feed, first).run();
        // The terminal is the user's again, so the user sees why it ended. Ctrl-C is how one
        // leaves.
        if (signal != 0 && signal != SIGINT) {
                ::signal(signal, SIG_DFL);
                ::raise(signal);
        }
        return result(feed);
}

}  // namespace ctl::verbs
