// SPDX-License-Identifier: MIT
// "1m 5m 15m running/threads last-pid\n".
#include "probe/loadavg.hpp"

#include "probe/text.hpp"

namespace governor::probe {

std::optional<std::uint32_t> parse_running(std::string_view text) {
        if (text.empty() || text.back() != '\n')
                return std::nullopt;
        for (int mean = 0; mean < 3; mean++)
                take_until(text, ' ');
        const auto running = parse_number<std::uint32_t>(take_until(text, '/'));
        const auto threads = parse_number<std::uint32_t>(take_until(text, ' '));
        const auto last = parse_number<std::uint32_t>(take_until(text, '\n'));
        return threads && last ? running : std::nullopt;
}

}  // namespace governor::probe
