// SPDX-License-Identifier: MIT
// Summary, map, table, keys: from top to bottom.
#include "top/draw.hpp"

#include "render/columns.hpp"
#include "render/status_text.hpp"
#include "top/cpu_map.hpp"
#include "top/program_table.hpp"

#include <algorithm>

namespace ctl::top {

namespace {

using governor::v1::Status;

/// SGR, ECMA-48.
constexpr auto kBold = "\x1b[1m";
constexpr auto kReverse = "\x1b[7m";
constexpr auto kRed = "\x1b[1;31m";
constexpr auto kPlain = "\x1b[0m";

/// Lines of cores where nobody says how high the screen is.
constexpr std::size_t kMostCpuLines = 16;
/// Around them: two of summary, one of titles and one of keys.
constexpr std::size_t kOtherLines = 4;

class Lines {
public:
        explicit Lines(const Screen& screen) : screen_(screen) {}

        void add(const std::string& text, const char* look = nullptr) {
                if (is_full())
                        return;
                const auto line = render::cut(text, screen_.width);
                lines_.push_back(look != nullptr && screen_.color ? look + line + kPlain : line);
        }
        [[nodiscard]] bool is_full() const { return left() == 0; }
        /// Lines that are left.
        [[nodiscard]] std::size_t left() const {
                return screen_.height == 0 ? lines_.max_size() : screen_.height - lines_.size();
        }
        [[nodiscard]] std::size_t size() const { return lines_.size(); }
        [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

private:
        Screen screen_;
        std::vector<std::string> lines_;
};

std::string counted(std::uint32_t number, const std::string& noun) {
        return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string machine(const Status& status) {
        auto text = counted(status.cpus(), "cpu") + ", " +
                    (status.warming_up() ? "not measured yet"
                                         : std::to_string(status.free()) + " free");
        if (render::keeps_accounts(status))
                text += "; " + counted(status.clients(), "program") + " on " +
                        std::to_string(status.budget()) + ", " + std::to_string(status.foreign()) +
                        " left to others";
        return text;
}

void add_summary(const Picture& picture, Lines& lines) {
        const auto& status = picture.status;
        if (picture.was_reached)
                lines.add("governor " + render::printable(status.version()) + ", up " +
                                  render::duration(status.uptime_ms()) + ", " +
                                  render::printable(render::policy(status)),
                          kBold);
        if (picture.trouble.empty())
                lines.add(machine(status));
        else
                lines.add(render::printable(picture.trouble) +
                                  (picture.was_reached
                                           ? "; as it was " + std::to_string(picture.age_s) +
                                                     " s ago:"
                                           : ""),
                          kRed);
}

std::string keys(const Controls& controls) {
        if (controls.editing)
                return "show programs with: " + controls.filter + "_";
        return std::string("q quit  sort: g u p l a (") + name_of(controls.sort) +
               (controls.reversed ? ", reversed" : "") + ")  r reverse  / filter" +
               (controls.filter.empty() ? "" : " (" + controls.filter + ")");
}

std::size_t most_cpu_lines(const Screen& screen) {
        return screen.height == 0 ? kMostCpuLines
                                  : (screen.height - std::min(screen.height, kOtherLines)) / 2;
}

}  // namespace

Drawing draw(const Picture& picture, const Controls& controls, const Screen& screen) {
        Drawing drawing;
        Lines lines(screen);
        add_summary(picture, lines);
        for (const auto& line : cpu_map(picture, screen, most_cpu_lines(screen)))
                lines.add(line);
        const auto programs = chosen(picture, controls);
        const auto table = program_table(picture, programs);
        const bool has_keys = screen.height > 0;
        if (lines.left() > 1)
                lines.add(table.front(), kReverse);
        const auto room = lines.left() - std::min<std::size_t>(lines.left(), has_keys ? 1 : 0);
        drawing.page = std::max<std::size_t>(std::min(room, programs.size()), 1);
        drawing.scroll =
                std::min(controls.scroll, programs.size() - std::min(programs.size(), room));
        for (std::size_t i = 0; i < std::min(room, programs.size() - drawing.scroll); i++)
                lines.add(table[1 + drawing.scroll + i]);
        if (has_keys) {
                while (lines.left() > 1)
                        lines.add("");
                lines.add(keys(controls), kReverse);
        }
        drawing.lines = lines.take();
        return drawing;
}

}  // namespace ctl::top
