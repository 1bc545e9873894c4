// SPDX-License-Identifier: MIT
// One cell is a span of time; in it stands what its last change leaves.
#include "simulation/command/timeline.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace simulation {

namespace {

constexpr std::size_t kMostRows = 60;
constexpr std::size_t kLongestName = 20;
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kGrey = "\x1b[90m";

/// A number that holds from a cell on.
struct Mark {
        std::size_t cell = 0;
        std::uint32_t number = 0;
        std::string_view colour;
};

class Scale {
public:
        Scale(Time end, std::size_t cells) : end_(std::max(end, Time(1))), cells_(cells) {}
        [[nodiscard]] std::size_t cells() const { return cells_; }
        [[nodiscard]] std::size_t cell(Time at) const {
                return std::min(cells_ - 1,
                                static_cast<std::size_t>(static_cast<double>(at.count()) /
                                                         static_cast<double>(end_.count()) *
                                                         static_cast<double>(cells_)));
        }
        [[nodiscard]] std::string axis() const;

private:
        Time end_;
        std::size_t cells_;
};

/// "0 s        10 s       20 s"
std::string Scale::axis() const {
        constexpr std::array kSteps{0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 600.0};
        const double end_s = std::chrono::duration<double>(end_).count();
        const auto* const step = std::ranges::find_if(
                kSteps, [&](double s) { return end_s / s * 10 <= static_cast<double>(cells_); });
        const double step_s = step != kSteps.end() ? *step : end_s;
        std::string text;
        for (int i = 0; i * step_s <= end_s; i++) {
                const auto cell =
                        static_cast<std::size_t>(i * step_s / end_s * static_cast<double>(cells_));
                if (cell >= cells_)
                        break;
                std::array<char, 32> label{};
                std::snprintf(label.data(), label.size(), "|%g s", i * step_s);
                text.resize(std::max(text.size(), cell), ' ');
                text += label.data();
        }
        return text;
}

std::string_view colour_of(Limit limit) {
        switch (limit) {
        case Limit::Newcomer:
        case Limit::Handover:
        case Limit::Rigid:
        case Limit::Floor:
                return kYellow;
        case Limit::Idle:
        case Limit::Demand:
                return kGrey;
        default:
                return {};
        }
}

/// The cells from `begin` to `end`; `marks` are in order.
std::string draw_row(const std::vector<Mark>& marks, std::size_t begin, std::size_t end,
                     bool colour) {
        std::string text(begin, ' ');
        std::string_view now;
        const auto paint = [&](std::string_view wanted) {
                if (!colour || wanted == now)
                        return;
                text += wanted.empty() ? kPlain : wanted;
                now = wanted;
        };
        for (std::size_t m = 0; m < marks.size(); m++) {
                const auto next = m + 1 < marks.size() ? marks[m + 1].cell : end;
                const auto room = next - marks[m].cell;
                const auto number = std::to_string(marks[m].number);
                paint(marks[m].colour);
                const bool is_last = m + 1 == marks.size();
                if (number.size() + (is_last ? 0 : 1) > room)  // two numbers would look like one
                        text += std::string(room, '*');
                else
                        text += number + std::string(room - number.size(), '-');
        }
        paint({});
        return text;
}

/// The last grant of a cell wins. A change of the reason alone is not marked anew, unless it shows.
void add_mark(std::vector<Mark>& marks, const Mark& mark) {
        if (!marks.empty() && marks.back().cell == mark.cell)
                marks.back() = mark;
        else if (marks.empty() || marks.back().number != mark.number ||
                 marks.back().colour != mark.colour)
                marks.push_back(mark);
}

std::string row_of(const Life& life, const Scale& scale, bool colour) {
        std::vector<Mark> marks;
        for (const auto& step : life.grants)
                add_mark(marks, {scale.cell(step.at), step.threads,
                                 colour ? colour_of(step.reason.limit) : std::string_view{}});
        if (marks.empty())  // not governed
                for (const auto& step : life.teams)
                        add_mark(marks, {scale.cell(step.at), step.team, {}});
        const auto end = life.ended ? scale.cell(*life.ended) + 1 : scale.cells();
        return draw_row(marks, marks.empty() ? 0 : marks.front().cell, end, colour);
}

std::string foreign_row(const Trace& trace, const Scale& scale) {
        std::vector<Mark> marks;
        for (const auto& step : trace.decisions)
                add_mark(marks, {scale.cell(step.at), step.foreign, {}});
        return draw_row(marks, marks.empty() ? 0 : marks.front().cell, scale.cells(), false);
}

std::string label(const std::string& name, std::size_t width) {
        auto text = name.substr(0, width);
        text.resize(width + 1, ' ');
        return text;
}

}  // namespace

std::string draw_timeline(const Trace& trace, std::size_t columns, bool colour) {
        std::size_t width = 7;
        for (const auto& life : trace.lives)
                width = std::max(width, std::min(life.name.size(), kLongestName));
        const Scale scale(trace.end, std::max<std::size_t>(columns, width + 20) - width - 1);
        std::string text = label("", width) + scale.axis() + "\n";
        for (std::size_t i = 0; i < std::min(trace.lives.size(), kMostRows); i++)
                text += label(trace.lives[i].name, width) + row_of(trace.lives[i], scale, colour) +
                        "\n";
        if (trace.lives.size() > kMostRows)
                text += "(and " + std::to_string(trace.lives.size() - kMostRows) + " more)\n";
        if (std::ranges::any_of(trace.decisions,
                                [](const DecisionStep& step) { return step.foreign > 0; }))
                text += label("foreign", width) + foreign_row(trace, scale) + "\n";
        return text;
}

}  // namespace simulation
