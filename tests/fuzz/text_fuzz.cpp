// SPDX-License-Identifier: MIT
// The text that is shown is UTF-8 on one line, is no longer, and fits where it is cut, whatever the
// bytes are.
#include "render/columns.hpp"
#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <governor/v1/text.h>
#include <string>

using namespace ctl::render;

namespace {

void check_all_characters(const std::string& text) {
        for (std::size_t i = 0; i < text.size();) {
                std::uint32_t point = 0;
                const auto length =
                        governor_text_character(text.data() + i, text.size() - i, &point);
                require(length > 0 && governor_text_steers(point) == 0, "each may be shown");
                i += length;
        }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        const std::size_t width = size > 0 ? data[0] : 0;
        const std::string text(reinterpret_cast<const char*>(data), size);
        const auto shown = printable(text);
        check_all_characters(shown);
        require(shown.size() <= text.size(), "no longer");
        require(printable(shown) == shown, "shown as it is");
        require(width == 0 || width_of(cut(shown, width)) <= width, "no wider");
        check_all_characters(cut(shown, width));
        const auto most = governor_text_cut(shown.data(), shown.size(), width);
        require(most <= width && most <= shown.size(), "no longer than there is room");
        check_all_characters(shown.substr(0, most));
        return 0;
}
