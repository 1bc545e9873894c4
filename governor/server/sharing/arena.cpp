// SPDX-License-Identifier: MIT
// Layout, and the writer's side of the protocol.
#include "server/sharing/arena.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <system_error>
#include <type_traits>
#include <unistd.h>

namespace governor::server {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint64_t>) == sizeof(std::uint64_t) &&
              sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) {
        return (size + unit - 1) / unit * unit;
}

governor_grant_header layout(std::uint32_t slots, std::uint32_t cpus) {
        if (slots == 0 || cpus == 0 || cpus > policy::kCpuNumberLimit)
                throw std::system_error(EINVAL, std::system_category(), "size of an arena");
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        governor_grant_header header{};
        header.magic = GOVERNOR_ARENA_MAGIC;
        header.version = GOVERNOR_ARENA_VERSION;
        header.slot_count = slots;
        header.slots_offset = sizeof(header);
        header.set_words = (cpus + 63) / 64;
        header.set_offset = sizeof(governor_grant_reason);
        header.buffers_offset = GOVERNOR_ARENA_LINE;  // polls of the word go undisturbed
        header.buffer_size = static_cast<std::uint32_t>(round_up(
                header.set_offset + header.set_words * sizeof(std::uint64_t), GOVERNOR_ARENA_LINE));
        header.slot_size = header.buffers_offset + 2 * header.buffer_size;
        header.report_slot_size = sizeof(governor_report_slot);
        header.heartbeat = 1;
        header.size = round_up(header.slots_offset + std::uint64_t{slots} * header.slot_size, page);
        header.report_size = round_up(std::uint64_t{slots} * header.report_slot_size, page);
        if (std::max(header.size, header.report_size) > GOVERNOR_ARENA_SIZE_MAX)
                throw std::system_error(EINVAL, std::system_category(), "size of an arena");
        return header;
}

/// A report slot without what pools say. The kernel copies aligned words whole; if it ever did not,
/// this is any value too.
using Said = std::array<std::uint64_t, GOVERNOR_REPORT_SLOT_SIZE_MIN / sizeof(std::uint64_t)>;
static_assert(offsetof(governor_report_slot, progress_total) == 3 * sizeof(std::uint64_t));

evidence::Report parse(const Said& said) {
        constexpr auto kTimes = offsetof(governor_report_slot, region_time) / sizeof(said[0]);
        constexpr auto kEntries = std::extent_v<decltype(governor_report_slot::region_time)>;
        const auto word = said[0];
        // Sums of teams of all sizes: a program may use fewer threads than it was given.
        std::uint64_t ended = 0;
        std::uint64_t ended_ns = 0;
        for (std::size_t i = 0; i < kEntries; i++) {
                ended += said.at(kTimes + 2 * i);
                ended_ns += said.at(kTimes + 2 * i + 1);
        }
        return {governor_word_epoch(word),
                governor_word_threads(word),
                (governor_word_flags(word) & GOVERNOR_REPORT_IN_REGION) != 0,
                said[1],
                std::min(said[2], said[3]),
                said[3],
                ended,
                ended_ns,
                (governor_word_flags(word) & GOVERNOR_REPORT_WAITS) != 0};
}

}  // namespace

Arena::Arena(std::uint32_t slots, std::uint32_t cpus)
        : header_(layout(slots, cpus)), grants_fd_(make_shared_memory("grants", header_.size)),
          reports_fd_(make_shared_memory("reports", header_.report_size)),
          grants_(grants_fd_, header_.size) {
        std::memcpy(grants_.data(), &header_, sizeof(header_));
        // Our own mapping was made before, and stays writable.
        seal(grants_fd_, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
        seal(reports_fd_, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

std::size_t Arena::offset_of(std::uint32_t slot) const {
        return header_.slots_offset + std::size_t{slot} * header_.slot_size;
}

std::size_t Arena::buffer_of(std::uint32_t slot, std::uint32_t epoch) const {
        return offset_of(slot) + header_.buffers_offset +
               std::size_t{epoch & 1} * header_.buffer_size;
}

std::atomic<std::uint64_t>& Arena::word(std::uint32_t slot) const {
        return at<std::uint64_t>(offset_of(slot));
}

void Arena::write(std::size_t buffer, const governor_grant_reason& reason,
                  const policy::CpuMask& cpus) {
        // A reader that sees one of the following stores sees the present word too, and that the
        // grant before it, which was in this buffer, is over.
        std::atomic_thread_fence(std::memory_order_release);
        std::array<std::uint32_t, sizeof(reason) / sizeof(std::uint32_t)> numbers{};
        std::memcpy(numbers.data(), &reason, sizeof(reason));
        for (std::size_t i = 0; i < numbers.size(); i++)
                at<std::uint32_t>(buffer + i * sizeof(std::uint32_t))
                        .store(numbers[i], std::memory_order_relaxed);
        const auto words = cpus.words();
        for (std::size_t i = 0; i < header_.set_words; i++)
                at<std::uint64_t>(buffer + header_.set_offset + i * sizeof(std::uint64_t))
                        .store(i < words.size() ? words[i] : 0, std::memory_order_relaxed);
}

std::uint32_t Arena::publish(std::uint32_t slot, const policy::fair::Grant& grant) {
        auto& word = this->word(slot);
        const auto epoch =
                governor_next_epoch(governor_word_epoch(word.load(std::memory_order_relaxed)));
        const auto threads = std::clamp(grant.threads, 1U, GOVERNOR_WORD_THREADS_MAX);
        std::uint32_t flags = grant.crowded ? GOVERNOR_GRANT_CROWDED : 0;
        if (grant.shared)
                flags |= GOVERNOR_GRANT_SHARED;
        if (grant.parked)
                flags |= GOVERNOR_GRANT_PARKED;
        write(buffer_of(slot, epoch), encode(grant.reason), grant.cpus);
        word.store(governor_word(epoch, threads, flags), std::memory_order_release);
        return epoch;
}

std::uint32_t Arena::release(std::uint32_t slot) {
        auto& word = this->word(slot);
        const auto last = word.load(std::memory_order_relaxed);
        const auto epoch = governor_next_epoch(governor_word_epoch(last));
        std::atomic_thread_fence(std::memory_order_release);  // as in write()
        const auto from = buffer_of(slot, governor_word_epoch(last));
        const auto to = buffer_of(slot, epoch);
        for (std::size_t i = 0; i < header_.buffer_size; i += sizeof(std::uint64_t))
                at<std::uint64_t>(to + i).store(
                        at<std::uint64_t>(from + i).load(std::memory_order_relaxed),
                        std::memory_order_relaxed);
        constexpr auto kKept = GOVERNOR_GRANT_SHARED | GOVERNOR_GRANT_PARKED;
        const auto flags = (governor_word_flags(last) & kKept) | GOVERNOR_GRANT_RELEASED;
        word.store(governor_word(epoch, governor_word_threads(last), flags),
                   std::memory_order_release);
        return epoch;
}

std::uint32_t Arena::renew(std::uint32_t slot) {
        auto& word = this->word(slot);
        const auto epoch =
                governor_next_epoch(governor_word_epoch(word.load(std::memory_order_relaxed)));
        write(buffer_of(slot, epoch), {}, {});
        word.store(governor_word(epoch, 0, 0), std::memory_order_release);
        return epoch;
}

evidence::Report Arena::report(std::uint32_t slot) const {
        // A mapping would do without the call, but its pages may be punched out by any client. To
        // read them then takes new ones, and where there are none the daemon would die of SIGBUS.
        Said said{};
        const auto offset = std::uint64_t{slot} * header_.report_slot_size;
        if (::pread(reports_fd_.get(), said.data(), sizeof(said), static_cast<off_t>(offset)) !=
            sizeof(said))
                return {};
        return parse(said);
}

std::vector<evidence::Report> Arena::reports(std::uint32_t slots) const {
        // In pieces that stay in the processor's cache; most of what is copied is not looked at.
        constexpr std::uint32_t kAtOnce = 200;
        std::array<std::byte, kAtOnce * sizeof(governor_report_slot)> piece;
        std::vector<evidence::Report> reports(slots);
        for (std::uint32_t first = 0; first < slots; first += kAtOnce) {
                const auto count = std::min(kAtOnce, slots - first);
                const auto size = std::size_t{count} * sizeof(governor_report_slot);
                const auto offset = std::uint64_t{first} * sizeof(governor_report_slot);
                if (::pread(reports_fd_.get(), piece.data(), size, static_cast<off_t>(offset)) !=
                    static_cast<ssize_t>(size))
                        continue;
                for (std::uint32_t i = 0; i < count; i++) {
                        Said said;
                        std::memcpy(said.data(), &piece.at(i * sizeof(governor_report_slot)),
                                    sizeof(said));
                        reports[first + i] = parse(said);
                }
        }
        return reports;
}

std::vector<RegionTime> Arena::region_times(std::uint32_t slot) const {
        decltype(governor_report_slot::region_time) said{};
        const auto offset = std::uint64_t{slot} * header_.report_slot_size +
                            offsetof(governor_report_slot, region_time);
        std::vector<RegionTime> times;
        if (::pread(reports_fd_.get(), said, sizeof(said), static_cast<off_t>(offset)) !=
            sizeof(said))
                return times;
        for (std::uint32_t i = 0; i < std::size(said); i++) {
                const auto [count, total_ns] = said[i];
                const auto next = i + 1 < std::size(said) ? 2U << i : 0;
                if (count > 0)
                        times.push_back(
                                {1U << i, next > 0 ? next - 1 : 0, count, total_ns / count});
        }
        return times;
}

std::optional<PoolTotals> Arena::pool(std::uint32_t slot) const {
        governor_pool_report said{};
        const auto offset = std::uint64_t{slot} * header_.report_slot_size +
                            offsetof(governor_report_slot, pool);
        if (::pread(reports_fd_.get(), &said, sizeof(said), static_cast<off_t>(offset)) !=
                    sizeof(said) ||
            (said.lanes | said.executed | said.parked | said.woken) == 0)
                return std::nullopt;
        const auto lanes = std::min<std::uint64_t>(said.lanes, PoolTotals::kMostLanes);
        return PoolTotals{static_cast<std::uint32_t>(lanes),
                          static_cast<std::uint32_t>(std::min(said.active, lanes)),
                          said.executed,
                          std::min(said.stolen, said.executed),
                          said.parked,
                          said.woken};
}

void Arena::beat() {
        auto& heartbeat = at<std::uint64_t>(offsetof(governor_grant_header, heartbeat));
        heartbeat.store(heartbeat.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace governor::server
