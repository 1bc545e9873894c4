// SPDX-License-Identifier: MIT
// Cells in columns, or characters in rows.
#include "top/cpu_map.hpp"

#include "render/bar.hpp"
#include "render/columns.hpp"
#include "top/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ctl::top {

namespace {

using governor::v1::Client;
using governor::v1::Cpu;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kBar = 8;
constexpr std::size_t kName = 10;
constexpr std::size_t kGap = 2;
constexpr std::size_t kGroup = 8;
constexpr std::size_t kMostInARow = 64;
constexpr std::uint32_t kFull = 10'000;

std::uint32_t busy(const Cpu& cpu) { return kFull - std::min(cpu.idle_permyriad(), kFull); }

std::string number(std::uint32_t cpu, std::size_t digits) {
        const auto text = std::to_string(cpu);
        return std::string(digits - std::min(digits, text.size()), ' ') + text;
}

std::string name_of(const Picture& picture, std::uint64_t id) {
        const auto& clients = picture.clients.client();
        const auto found = std::ranges::find(clients, id, &Client::id);
        if (found == clients.end())
                return "?";
        if (found->pid() != 0)
                return render::printable(found->label());
        const auto user = picture.users.find(found->uid());
        return "(" +
               (user != picture.users.end() ? render::printable(user->second)
                                            : std::to_string(found->uid())) +
               ")";
}

std::string holder(const Picture& picture, const Cpu& cpu) {
        if (!cpu.governed())
                return "not ours";
        if (cpu.holder_size() == 0)
                return "-";
        const auto more = cpu.holder_size() > 1 ? "+" + std::to_string(cpu.holder_size() - 1) : "";
        return render::cut(name_of(picture, cpu.holder(0)), kName - more.size()) + more;
}

std::string cell(const Picture& picture, const Cpu& cpu, std::size_t digits, bool utf8) {
        const auto bar = cpu.has_idle_permyriad() ? render::bar(busy(cpu), kBar, utf8)
                                                  : std::string(kBar, '?');
        return number(cpu.cpu(), digits) + " " + bar + " " + fitted(holder(picture, cpu), kName);
}

std::string without_spaces_at_end(std::string line) {
        line.erase(line.find_last_not_of(' ') + 1);
        return line;
}

std::vector<std::string> cells(const Picture& picture, std::size_t width, std::size_t digits,
                               bool utf8) {
        const auto& cpus = picture.cpus.cpu();
        const auto count = static_cast<std::size_t>(cpus.size());
        const auto cell_width = digits + 1 + kBar + 1 + kName;
        const auto columns = std::max<std::size_t>((width + kGap) / (cell_width + kGap), 1);
        const auto rows = (count + columns - 1) / columns;
        std::vector<std::string> lines(rows);
        for (std::size_t i = 0; i < count; i++)
                lines[i % rows] += (i >= rows ? std::string(kGap, ' ') : "") +
                                   cell(picture, cpus[static_cast<int>(i)], digits, utf8);
        std::ranges::transform(lines, lines.begin(), without_spaces_at_end);
        return lines;
}

std::string level(const Cpu& cpu, bool utf8) {
        constexpr std::array<std::string_view, 9> kLevels{"·", "▁", "▂", "▃", "▄",
                                                          "▅", "▆", "▇", "█"};
        if (!cpu.has_idle_permyriad())
                return "?";
        const auto last = utf8 ? kLevels.size() - 1 : 9;
        const auto step = (busy(cpu) * last + kFull / 2) / kFull;
        return utf8 ? std::string(kLevels[step]) : std::to_string(step);
}

char holder_letter(const Cpu& cpu) {
        if (!cpu.governed())
                return '-';
        return cpu.holder_size() == 0 ? '.' : letter_of(cpu.holder(0));
}

/// The most CPUs in a row that fit, a power of two.
std::size_t cpus_in_a_row(std::size_t room) {
        std::size_t count = kMostInARow;
        while (count > 1 && count + (count - 1) / kGroup > room)
                count /= 2;
        return count;
}

std::vector<std::string> characters(const Picture& picture, std::size_t width, std::size_t digits,
                                    bool utf8) {
        const auto& cpus = picture.cpus.cpu();
        const auto in_a_row = cpus_in_a_row(width - std::min(width, digits + 1));
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < static_cast<std::size_t>(cpus.size()); i++) {
                const auto& cpu = cpus[static_cast<int>(i)];
                const auto place = i % in_a_row;
                if (place == 0) {
                        lines.push_back(number(cpu.cpu(), digits) + " ");
                        lines.emplace_back(digits + 1, ' ');
                } else if (place % kGroup == 0) {
                        lines[lines.size() - 2] += ' ';
                        lines.back() += ' ';
                }
                lines[lines.size() - 2] += level(cpu, utf8);
                lines.back() += holder_letter(cpu);
        }
        return lines;
}

}  // namespace

char letter_of(std::uint64_t client) {
        constexpr std::string_view kLetters =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return kLetters[(client + kLetters.size() - 1) % kLetters.size()];
}

std::vector<std::string> cpu_map(const Picture& picture, const Screen& screen, std::size_t most) {
        const auto& cpus = picture.cpus.cpu();
        if (cpus.empty() || most == 0)
                return {};
        const auto width = screen.width > 0 ? screen.width : kWidth;
        const auto digits = std::to_string(cpus[cpus.size() - 1].cpu()).size();
        auto lines = cells(picture, width, digits, screen.utf8);
        if (lines.size() <= most)
                return lines;
        lines = characters(picture, width, digits, screen.utf8);
        if (lines.size() > most) {
                const auto kept = (most - 1) / 2 * 2;  // levels and holders together
                const auto left_out = lines.size() - kept;
                lines.resize(kept);
                lines.push_back("... " + std::to_string(left_out) + " more lines");
        }
        return lines;
}

}  // namespace ctl::top
