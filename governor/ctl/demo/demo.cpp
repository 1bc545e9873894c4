// SPDX-License-Identifier: MIT
// governorctl demo: the same programs without a governor, with one, and in turn.
#include "demo/audience.hpp"
#include "demo/cast.hpp"
#include "demo/governor.hpp"
#include "demo/stage.hpp"
#include "demo/words.hpp"
#include "render/bar.hpp"
#include "run/descriptors.hpp"
#include "top/draw.hpp"
#include "top/feed.hpp"
#include "verbs/ask.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace ctl::demo {

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// An act that takes so many times as long as the CPUs need for its work is stopped.
constexpr int kPatience = 3;
/// Of the length: between two starts.
constexpr int kApart = 20;
/// Of one thread.
constexpr milliseconds kRegion{2};
constexpr milliseconds kLook{50};
constexpr auto kIndent = "    ";

/// As `governorctl top` shows it.
std::string frame(const std::string& socket) {
        top::Feed feed(socket);
        const auto& picture = feed.next();
        top::Screen screen;
        screen.utf8 = render::terminal_is_utf8();
        screen.width = std::max<std::size_t>(width(), 40) - 5;
        std::string text;
        for (const auto& line : top::draw(picture, {}, screen).lines)
                text += kIndent + line + "\n";
        return text;
}

class Demo {
public:
        Demo(const run::Signals& signals, milliseconds length, Usage usage)
                : signals_(signals), length_(length), usage_(std::move(usage)) {
                work_.threads = static_cast<std::uint32_t>(usage_.cpus.size());
                work_.regions = static_cast<std::uint64_t>(length_ * work_.threads / kNames.size() /
                                                           kRegion);
                work_.steps = steps_in(kRegion);
        }

        /// At its end nothing of it is left.
        void run(const std::filesystem::path& governord) {
                introduce();
                print("1. Without a governor\n");
                acts_.without = act(plot(""), {});
                print("2. With a governor: each program has its share of the CPUs\n");
                Governor governor(signals_, governord, run::list_of(mask_of(usage_.cpus)));
                wait_for(governor);
                auto plot = this->plot(governor.socket());
                acts_.with = act(plot, {{0.3, Show::Top}, {0.6, Show::Why}, {0.9, Show::Top}});
                print("3. The same as batch programs (fairly --batch): they take turns\n");
                plot.in_turn = true;
                acts_.in_turn = act(plot, {{0.4, Show::Top}});
                print("\n" + times_table(acts_) + "\n");
                if (bystanders_ > kMostBusy * work_.threads)
                        print("Other programs used up to " + decimal(bystanders_) +
                              " of these CPUs meanwhile: see it again when the host is quiet.\n");
                print(verdict(acts_) + "\n");
        }

private:
        enum class Show : unsigned char { Top, Why };
        struct Cue {
                double when;  ///< of the length
                Show what;
        };

        static constexpr std::array<const char*, 4> kNames{"alpha", "beta", "gamma", "delta"};

        void introduce() const {
                const auto cpus = std::to_string(work_.threads);
                const auto regions = milliseconds{1000} * work_.threads / kRegion;
                print("Four programs share " + cpus + " CPUs (" +
                      run::list_of(mask_of(usage_.cpus)) + ") that have work for " +
                      decimal(duration<double>(length_).count()) + " s. Each has " + cpus +
                      " threads, as if\nit were alone, that wait for each other " +
                      std::to_string(regions) +
                      " times a second, spinning, as those of OpenMP do.\n\n");
        }

        [[nodiscard]] Plot plot(const std::string& socket) const {
                return {work_, {kNames.begin(), kNames.end()}, length_ / kApart, socket, false};
        }

        void wait_for(Governor& governor) const {
                constexpr std::chrono::seconds kLongest{10};
                const auto give_up = steady_clock::now() + kLongest;
                while (!governor.serves()) {
                        const auto words = governor.last_words();
                        if (words || steady_clock::now() > give_up)
                                throw std::runtime_error("the governor of the demo failed: " +
                                                         words.value_or("it does not answer"));
                        wait(signals_, kLook);
                }
        }

        void show(Show what, const Cast& cast, const std::string& socket) const {
                if (what == Show::Top)
                        print("\n  governorctl top, after " + decimal(cast.seconds()) + " s:\n\n" +
                              frame(socket) + "\n");
                const auto pid = std::to_string(cast.somebody());
                if (what == Show::Top || pid == "0")
                        return;
                print("  governorctl explain " + pid + ":\n\n");
                (void)verbs::explain({socket, false}, static_cast<std::uint32_t>(cast.somebody()));
                print("\n");
        }

        Act act(const Plot& plot, std::vector<Cue> cues) {
                const Bystanders bystanders(usage_.cpus);
                const auto act = watch(Cast(signals_, plot), plot.socket, std::move(cues));
                bystanders_ = std::max(bystanders_, bystanders.busy());
                return act;
        }

        Act watch(Cast&& cast, const std::string& socket, std::vector<Cue> cues) {
                const auto length_s = duration<double>(length_).count();
                std::ranges::reverse(cues);
                const auto percent = [&] { return std::to_string(std::lround(100 * cast.done())); };
                while (!cast.is_over() && cast.seconds() < kPatience * length_s) {
                        acts_.were_interrupted |= wait(signals_, kLook);
                        cast.look();
                        tick("   " + decimal(cast.seconds()) + " s, " + percent() +
                             " % of the work done");
                        if (cues.empty() || cast.seconds() < cues.back().when * length_s)
                                continue;
                        tick("");
                        show(cues.back().what, cast, socket);
                        cues.pop_back();
                }
                tick("");
                print(cast.is_over() ? "   all done\n"
                                     : "   stopped after " + decimal(cast.seconds()) + " s with " +
                                               percent() + " % of the work done\n");
                return cast.act();
        }

        const run::Signals& signals_;
        milliseconds length_;
        Usage usage_;
        Work work_;
        Acts acts_;
        double bystanders_ = 0;  ///< CPUs, in the act with most of them
};

/// That would end it and has not been looked at, 0: none. Ctrl-C goes to children, too, and kills
/// them; it is here before the first of them is found dead.
int signal_among(const run::Signals& signals) {
        try {
                wait(signals, milliseconds{0});
                return 0;
        } catch (const Interrupted& interrupted) {
                return interrupted.signal;
        }
}

/// `ret_signal` has ended it, 0: none has.
ExitCode perform_all(const verbs::DemoOptions& options, int& ret_signal) {
        const run::Signals signals;
        try {
                const auto program = governord();
                auto usage = take_cpus(signals, options.anyway);
                Demo(signals, options.length, std::move(usage)).run(program);
                print(next_commands(place_of(program)));
                return kOk;
        } catch (const Interrupted& interrupted) {
                ret_signal = interrupted.signal;
                return kFailed;
        } catch (const Refused& refused) {
                const auto& failure = refused.failure;
                return failure.message.empty() ? failure.code : verbs::complain(failure);
        } catch (const std::runtime_error& error) {
                ret_signal = signal_among(signals);
                return ret_signal != 0 ? kFailed : verbs::complain({kFailed, error.what()});
        }
}

}  // namespace

}  // namespace ctl::demo

namespace ctl::verbs {

ExitCode demo(const Common& common, const DemoOptions& options) {
        if (!common.socket.empty())
                return complain({kUsage, "demo takes no --socket: it has a governor of its own"});
        run::fill_standard_streams();
        demo::forget_wishes();
        int signal = 0;
        const auto code = demo::perform_all(options, signal);
        if (signal != 0)
                run::Signals::die(signal);
        return code;
}

}  // namespace ctl::verbs
