// SPDX-License-Identifier: MIT
// The picture stays on its screen, and only our own sequences reach the terminal, whatever a
// governor answers and whatever is typed.
#include "render/columns.hpp"
#include "require.hpp"
#include "top/draw.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace ctl::top;

namespace {

/// Width, height, length of what is typed; it follows, and then a reply.
constexpr std::size_t kHead = 3;

void check(const std::vector<std::string>& lines, const Screen& screen) {
        require(screen.height == 0 || lines.size() <= screen.height,
                "no more lines than there are");
        for (const auto& line : lines) {
                require(screen.width == 0 || ctl::render::width_of(line) <= screen.width,
                        "no longer lines");
                for (const char c : line)
                        require(static_cast<unsigned char>(c) >= ' ' && c != 0x7f,
                                "nothing steers the terminal");
        }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        if (size < kHead || size > 65'536)
                return 0;
        const Screen screen{data[0], data[1], data[2] % 2 == 1, false};
        const std::string_view rest(reinterpret_cast<const char*>(data) + kHead, size - kHead);
        const auto typed = rest.substr(0, data[2] / 2);
        const auto message = rest.substr(typed.size());
        Controls controls;
        for (const auto& key : parse_keys(typed))
                press(controls, key, 10);
        Picture picture;
        picture.was_reached = true;
        governor::v1::Reply reply;
        if (reply.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
                picture.status = reply.status();
                picture.clients = reply.clients();
                picture.cpus = reply.cpus();
                picture.trouble = reply.error().message();
        }
        check(draw(picture, controls, screen).lines, screen);
        return 0;
}
