// SPDX-License-Identifier: MIT
// The rules of arena.h. Fields of 32 bits are multiplied and added as 64 bits: no sum overflows.
#include "arena_layout.hpp"

namespace threadcount {

namespace {

bool is_multiple(std::uint64_t number, std::uint64_t unit) { return number % unit == 0; }

bool is_known(const governor_grant_header& header) {
        return header.magic == GOVERNOR_ARENA_MAGIC && header.version == GOVERNOR_ARENA_VERSION;
}

/// The slots end within the memfds.
bool slots_fit(const governor_grant_header& header) {
        const std::uint64_t count = header.slot_count;
        return header.size <= GOVERNOR_ARENA_SIZE_MAX &&
               header.report_size <= GOVERNOR_ARENA_SIZE_MAX &&
               header.slots_offset >= sizeof(header) && header.slots_offset <= header.size &&
               is_multiple(header.slots_offset, GOVERNOR_ARENA_LINE) &&
               is_multiple(header.slot_size, GOVERNOR_ARENA_LINE) &&
               count * header.slot_size <= header.size - header.slots_offset &&
               header.report_slot_size >= GOVERNOR_REPORT_SLOT_SIZE_MIN &&
               is_multiple(header.report_slot_size, GOVERNOR_ARENA_LINE) &&
               count * header.report_slot_size <= header.report_size;
}

/// Word, buffers and sets lie within their slot, and apart.
bool buffers_fit(const governor_grant_header& header) {
        constexpr std::uint64_t kWord = sizeof(std::uint64_t);
        const std::uint64_t buffers = header.buffers_offset;
        const std::uint64_t set = header.set_offset;
        return header.set_words >= 1 && header.set_words <= GOVERNOR_ARENA_SET_WORDS_MAX &&
               buffers >= kWord && is_multiple(buffers, kWord) &&
               is_multiple(header.buffer_size, kWord) &&
               buffers + 2 * std::uint64_t{header.buffer_size} <= header.slot_size &&
               set >= sizeof(governor_grant_reason) && is_multiple(set, kWord) &&
               set + kWord * header.set_words <= header.buffer_size;
}

}  // namespace

bool find_layout(const governor_grant_header& header, std::uint64_t grants_size,
                 std::uint64_t reports_size, std::uint32_t slot, ArenaLayout* ret_layout) {
        if (!is_known(header) || header.size != grants_size || header.report_size != reports_size ||
            slot >= header.slot_count || !slots_fit(header) || !buffers_fit(header))
                return false;
        ArenaLayout layout;
        layout.grants_size = header.size;
        layout.reports_size = header.report_size;
        layout.word = header.slots_offset + std::uint64_t{slot} * header.slot_size;
        for (std::uint64_t i = 0; i < 2; i++) {
                layout.reasons[i] = layout.word + header.buffers_offset + i * header.buffer_size;
                layout.sets[i] = layout.reasons[i] + header.set_offset;
        }
        layout.set_words = header.set_words;
        layout.report = std::uint64_t{slot} * header.report_slot_size;
        constexpr std::uint64_t kPool = offsetof(governor_report_slot, pool);
        if (header.report_slot_size >= kPool + sizeof(governor_pool_report))
                layout.pool = layout.report + kPool;
        *ret_layout = layout;
        return true;
}

}  // namespace threadcount
