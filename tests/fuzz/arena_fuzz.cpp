// SPDX-License-Identifier: MIT
// The library refuses a header, or reads and reports a slot within its memory, whatever the header
// says. The input is a slot (4 bytes), the sizes of the two memories, two bytes of nothing, and the
// grants from their header on. The sizes are in units of 4 KiB (1 byte each, 0: as the header
// says).
#include "arena.hpp"
#include "require.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace threadcount;

namespace {

constexpr std::size_t kPrefix = 8;
constexpr std::uint64_t kUnit = 4096;

struct Input {
        std::uint32_t slot = 0;
        std::uint8_t units[2] = {};
        governor_grant_header header = {};
};

void check(const ArenaLayout& layout) {
        const auto set = layout.set_words * sizeof(std::uint64_t);
        require(layout.word >= sizeof(governor_grant_header), "slots lie behind the header");
        require(layout.reasons[0] >= layout.word + sizeof(std::uint64_t) &&
                        layout.sets[0] >= layout.reasons[0] + sizeof(governor_grant_reason) &&
                        layout.reasons[1] >= layout.sets[0] + set &&
                        layout.sets[1] >= layout.reasons[1] + sizeof(governor_grant_reason),
                "nothing lies on something else");
        require(layout.sets[1] + set <= layout.grants_size, "sets end within the memory");
        require(layout.report + GOVERNOR_REPORT_SLOT_SIZE_MIN <= layout.reports_size &&
                        layout.pool + sizeof(governor_pool_report) <= layout.reports_size,
                "reports end within their memory");
        require(layout.pool == 0 || layout.pool >= layout.report + GOVERNOR_REPORT_SLOT_SIZE_MIN,
                "pools lie behind the rest of a report");
        require((layout.word | layout.reasons[0] | layout.sets[0] | layout.reasons[1] |
                 layout.sets[1] | layout.report |
                 layout.pool) % 8 ==
                        0,
                "all is aligned");
}

int memory(std::uint64_t size, const std::uint8_t* data, std::size_t length, int seals) {
        const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        require(fd >= 0 && ftruncate(fd, static_cast<off_t>(size)) == 0, "there is memory");
        length = static_cast<std::size_t>(std::min<std::uint64_t>(length, size));
        require(pwrite(fd, data, length, 0) == static_cast<ssize_t>(length), "it can be written");
        require(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | seals) == 0, "and sealed");
        return fd;
}

void use(Arena& arena) {
        std::uint64_t set[GOVERNOR_ARENA_SET_WORDS_MAX];
        std::uint64_t word = 0;
        governor_grant_reason reason{};
        const int words = arena.read_set(set, GOVERNOR_ARENA_SET_WORDS_MAX, &word, &reason);
        require(words >= 1 && words <= int{GOVERNOR_ARENA_SET_WORDS_MAX}, "a set has words");
        require(arena.load() == word, "a word that nobody writes stays the same");
        (void)arena.heartbeat();
        arena.report(1, 2, true);
        arena.count_region();
        for (const std::uint32_t team : {1U, 0xffffffffU})
                arena.add_region_time(team, 1);
        arena.report_again(2, false);
        arena.report_pool({1, 2, 3, 4, 5, 6});
}

/// Maps it for real.
void attach(const Input& input, const std::uint8_t* grants, std::size_t length,
            std::uint64_t grants_size, std::uint64_t reports_size, bool expected) {
        static Arena arena;  // what is attached replaces what was
        const int grants_fd = memory(grants_size, grants, length, F_SEAL_FUTURE_WRITE);
        const int reports_fd = memory(reports_size, nullptr, 0, 0);
        const int result = arena.attach(grants_fd, reports_fd, input.slot);
        close(grants_fd);
        close(reports_fd);
        require(result == (expected ? 0 : -EPROTO), "attaching goes by the check alone");
        if (expected)
                use(arena);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
        if (size < kPrefix)
                return 0;
        Input input;
        memcpy(&input.slot, data, sizeof(input.slot));
        memcpy(input.units, data + sizeof(input.slot), sizeof(input.units));
        const auto* grants = data + kPrefix;
        const auto length = size - kPrefix;
        memcpy(&input.header, grants, std::min(length, sizeof(input.header)));
        const auto size_of = [](std::uint8_t units, std::uint64_t said) {
                return units == 0 ? said : units * kUnit;
        };
        const auto grants_size = size_of(input.units[0], input.header.size);
        const auto reports_size = size_of(input.units[1], input.header.report_size);
        ArenaLayout layout;
        const bool sound =
                find_layout(input.header, grants_size, reports_size, input.slot, &layout);
        if (sound)
                check(layout);
        constexpr auto kMost = 255 * kUnit;
        if (grants_size >= sizeof(input.header) && grants_size <= kMost && reports_size <= kMost)
                attach(input, grants, length, grants_size, reports_size, sound);
        return 0;
}
