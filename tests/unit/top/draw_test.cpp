// SPDX-License-Identifier: MIT
// Whole screens against tests/fixtures/top, and what must hold on any screen. With
// GOVERNOR_WRITE_SCREENS=DIR the screens are written there instead: look at them before they become
// fixtures.
#include "top/draw.hpp"

#include "render/columns.hpp"
#include "support/temporary_directory.hpp"
#include "top/cpu_map.hpp"
#include "top/pictures.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

namespace ctl::top {
namespace {

std::string joined(const std::vector<std::string>& lines) {
        std::string text;
        for (const auto& line : lines)
                text += line + "\n";
        return text;
}

void expect_screen(const std::string& name, const Picture& picture, const Screen& screen,
                   const Controls& controls = {}) {
        const auto text = joined(draw(picture, controls, screen).lines);
        if (const char* folder = std::getenv("GOVERNOR_WRITE_SCREENS")) {
                std::ofstream(std::string(folder) + "/" + name) << text;
                return;
        }
        EXPECT_EQ(text, test_support::read_file(GOVERNOR_FIXTURES "/top/" + name)) << name;
}

TEST(Screens, OfEightCpus) {
        expect_screen("8-at-80x24", picture_of(8), {80, 24, false, false});
        expect_screen("8-at-40x12", picture_of(8), {40, 12, false, false});
        expect_screen("8-at-120x24-utf8", picture_of(8), {120, 24, true, false});
}

TEST(Screens, OfManyCpus) {
        expect_screen("64-at-80x24", picture_of(64), {80, 24, false, false});
        expect_screen("64-at-160x50-utf8", picture_of(64), {160, 50, true, false});
        expect_screen("256-at-80x24-utf8", picture_of(256), {80, 24, true, false});
        expect_screen("256-at-40x24", picture_of(256), {40, 24, false, false});
        expect_screen("256-at-200x60", picture_of(256), {200, 60, false, false});
}

TEST(Screens, ForAPipeHaveNeitherLimitsNorKeys) {
        expect_screen("8-for-a-pipe", picture_of(8), {});
        expect_screen("256-for-a-pipe", picture_of(256), {});
}

TEST(Screens, InColor) { expect_screen("8-at-80x24-color", picture_of(8), {80, 24, true, true}); }

TEST(Screens, WithoutAGovernorShowWhatWas) {
        auto picture = picture_of(8);
        picture.trouble = "no governor at /run/governord/governord.sock: Connection refused";
        picture.age_s = 12;
        expect_screen("8-gone-at-120x24", picture, {120, 24, false, false});
}

TEST(Screens, FilteredAndSorted) {
        Controls controls;
        controls.sort = Sort::Label;
        controls.reversed = true;
        controls.filter = "m";
        expect_screen("8-filtered-at-100x24", picture_of(8), {100, 24, false, false}, controls);
        controls.editing = true;
        const auto lines = draw(picture_of(8), controls, {100, 24, false, false}).lines;
        EXPECT_EQ(lines.back(), "show programs with: m_");
}

std::string without_color(const std::string& line) {
        static const std::regex sgr("\x1b\\[[0-9;]*m");
        return std::regex_replace(line, sgr, "");
}

TEST(Screens, AreNeverLeft) {
        for (const std::uint32_t cpus : {1U, 8U, 250U, 1024U})
                for (std::size_t width = 1; width < 200; width += 31)
                        for (std::size_t height = 1; height < 60; height += 11) {
                                const auto lines =
                                        draw(picture_of(cpus), {}, {width, height, true, true})
                                                .lines;
                                EXPECT_LE(lines.size(), height) << cpus << " on " << width;
                                for (const auto& line : lines)
                                        EXPECT_LE(render::width_of(without_color(line)), width)
                                                << line;
                        }
}

TEST(Screens, ScrollAsFarAsThereArePrograms) {
        auto picture = picture_of(8);
        for (std::uint32_t i = 0; i < 100; i++)
                add_program(picture, 5000 + i, "p" + std::to_string(i), 1, "0");
        Controls controls;
        controls.sort = Sort::Age;
        controls.scroll = 1'000'000;
        const auto drawing = draw(picture, controls, {80, 24, false, false});
        EXPECT_EQ(drawing.lines.size(), 24U);
        EXPECT_EQ(drawing.scroll + drawing.page, 103U);
        EXPECT_NE(drawing.lines[22].find("p99"), std::string::npos) << drawing.lines[22];
        controls.scroll = 2;
        EXPECT_EQ(draw(picture, controls, {80, 24, false, false}).scroll, 2U);
}

TEST(Screens, AreNotSteeredByWhatProgramsSay) {
        auto picture = picture_of(8);
        auto& client = *picture.clients.mutable_client(0);
        client.set_label("\x1b[2Jx");
        client.set_reason("\n\x1b]0;title\x07");
        client.set_cpus("\x9b"
                        "2J");
        picture.status.set_version("\x1b[1m");
        picture.trouble = "\x1b[1m";
        for (const auto& line : draw(picture, {}, {}).lines)
                for (const char c : line)
                        EXPECT_GE(c, ' ') << line;
}

TEST(Screens, BeforeTheFirstMeasurementSayThatNothingIsKnown) {
        auto picture = picture_of(8);
        picture.status.set_warming_up(true);
        for (auto& cpu : *picture.cpus.mutable_cpu())
                cpu.clear_idle_permyriad();
        const auto text = joined(draw(picture, {}, {80, 24, true, false}).lines);
        EXPECT_NE(text.find("8 cpus, not measured yet; "), std::string::npos) << text;
        EXPECT_NE(text.find("0 ???????? md"), std::string::npos) << text;
}

TEST(Screens, OfTheArticlesPolicyKeepNoAccounts) {
        auto picture = picture_of(8);
        picture.status.set_policy("threshold");
        picture.clients.Clear();
        EXPECT_EQ(draw(picture, {}, {}).lines[1], "8 cpus, 1 free");
}

TEST(CpuMap, CountsFurtherHolders) {
        auto picture = picture_of(8);
        picture.cpus.mutable_cpu(0)->add_holder(2);
        const auto lines = cpu_map(picture, {30, 0, false, false}, 100);
        EXPECT_EQ(lines[0], "0 ######## md+1");
        EXPECT_EQ(lines[6], "6 ##...... (bob)");
        EXPECT_EQ(lines[7], "7 ........ not ours");
}

TEST(CpuMap, GivesEveryProgramALetter) {
        EXPECT_EQ(letter_of(1), 'a');
        EXPECT_EQ(letter_of(52), 'Z');
        EXPECT_EQ(letter_of(53), 'a');
        EXPECT_EQ(letter_of(0), 'Z');
}

}  // namespace
}  // namespace ctl::top
