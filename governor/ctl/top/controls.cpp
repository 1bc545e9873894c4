// SPDX-License-Identifier: MIT
// Keys to choices.
#include "top/controls.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ctl::top {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kInterrupt = '\x03';
constexpr char kBackspace = '\x08';
constexpr char kDelete = '\x7f';
constexpr std::size_t kLongestFilter = 40;

/// Behind ESC [ or ESC O.
constexpr std::array kSequences{
        std::pair{std::string_view("A"), Special::Up},
        std::pair{std::string_view("B"), Special::Down},
        std::pair{std::string_view("H"), Special::Home},
        std::pair{std::string_view("F"), Special::End},
        std::pair{std::string_view("1~"), Special::Home},
        std::pair{std::string_view("4~"), Special::End},
        std::pair{std::string_view("5~"), Special::PageUp},
        std::pair{std::string_view("6~"), Special::PageDown},
};

constexpr std::array kSorts{
        std::pair{'g', Sort::Granted}, std::pair{'u', Sort::Uses}, std::pair{'p', Sort::Pid},
        std::pair{'l', Sort::Label},   std::pair{'a', Sort::Age},
};

bool is_printable(char c) { return c >= ' ' && c < kDelete; }

/// Parameters and intermediates, then one byte from '@' on: ECMA-48.
std::size_t length_of_sequence(std::string_view bytes) {
        const auto end = std::ranges::find_if(bytes, [](char c) { return c >= '@' && c <= '~'; });
        return static_cast<std::size_t>(end - bytes.begin()) + (end != bytes.end() ? 1 : 0);
}

/// Takes an escape sequence, or a lone ESC, off the front.
void take_escape(std::string_view& bytes, std::vector<Key>& keys) {
        bytes.remove_prefix(1);
        if (bytes.empty() || (bytes.front() != '[' && bytes.front() != 'O')) {
                keys.push_back({Special::Escape});
                return;
        }
        bytes.remove_prefix(1);
        const auto sequence = bytes.substr(0, length_of_sequence(bytes));
        bytes.remove_prefix(sequence.size());
        if (sequence.empty())
                keys.push_back({Special::Escape});
        const auto* const found = std::ranges::find(kSequences, sequence,
                                                    [](const auto& known) { return known.first; });
        if (found != kSequences.end())
                keys.push_back({found->second});
}

void edit(Controls& controls, const Key& key) {
        auto& filter = controls.filter;
        if (key.special == Special::Escape) {
                filter.clear();
                controls.editing = false;
        } else if (key.character == '\r' || key.character == '\n') {
                controls.editing = false;
        } else if ((key.character == kDelete || key.character == kBackspace) && !filter.empty()) {
                filter.pop_back();
        } else if (is_printable(key.character) && filter.size() < kLongestFilter) {
                filter += key.character;
        }
        controls.scroll = 0;
}

void move(Controls& controls, Special to, std::size_t page) {
        auto& scroll = controls.scroll;
        const auto most = std::numeric_limits<std::size_t>::max() / 2;
        switch (to) {
        case Special::Up:
                scroll -= scroll > 0 ? 1 : 0;
                break;
        case Special::Down:
                scroll++;
                break;
        case Special::PageUp:
                scroll -= std::min(scroll, page);
                break;
        case Special::PageDown:
                scroll += page;
                break;
        case Special::Home:
                scroll = 0;
                break;
        case Special::End:
                scroll = most;
                break;
        case Special::Escape:
                controls.filter.clear();
                break;
        case Special::None:
                break;
        }
        scroll = std::min(scroll, most);
}

void choose(Controls& controls, char character) {
        const auto* const found =
                std::ranges::find(kSorts, character, [](const auto& known) { return known.first; });
        if (found != kSorts.end())
                controls.sort = found->second;
        else if (character == 'r')
                controls.reversed = !controls.reversed;
        else if (character == '/')
                controls.editing = true;
        else if (character == 'j')
                move(controls, Special::Down, 1);
        else if (character == 'k')
                move(controls, Special::Up, 1);
        else if (character == 'q')
                controls.quit = true;
}

}  // namespace

const char* name_of(Sort sort) {
        switch (sort) {
        case Sort::Granted:
                return "granted";
        case Sort::Uses:
                return "uses";
        case Sort::Pid:
                return "pid";
        case Sort::Label:
                return "label";
        case Sort::Age:
                break;
        }
        return "age";
}

std::vector<Key> parse_keys(std::string_view bytes) {
        std::vector<Key> keys;
        while (!bytes.empty()) {
                if (bytes.front() == kEscape) {
                        take_escape(bytes, keys);
                        continue;
                }
                if (static_cast<unsigned char>(bytes.front()) < 0x80)
                        keys.push_back({Special::None, bytes.front()});
                bytes.remove_prefix(1);
        }
        return keys;
}

void press(Controls& controls, const Key& key, std::size_t page) {
        if (key.character == kInterrupt)
                controls.quit = true;
        else if (controls.editing)
                edit(controls, key);
        else if (key.special != Special::None)
                move(controls, key.special, page);
        else
                choose(controls, key.character);
}

}  // namespace ctl::top
