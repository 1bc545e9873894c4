// SPDX-License-Identifier: MIT
// Mappings over mappings. The kernel moves one over another in one step: a thread that touches an
// address meanwhile waits, and then finds one of the two. mmap(MAP_FIXED) will not do: where it
// fails, what was there may be gone.
#include "reservation.hpp"

#include <cerrno>
#include <sys/mman.h>

namespace threadcount {

namespace {

void* map_zeros(std::size_t size, int protection) {
        return mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// 0 or a negative errno.
int move_over(void* place, void* mapping, std::size_t size) {
        if (mremap(mapping, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
                return 0;
        const int error = errno;
        munmap(mapping, size);
        return -error;
}

}  // namespace

Reservation::~Reservation() {
        for (int i = 0; i < ranges_; i++)
                munmap(range_[i].start, range_[i].size);
}

int Reservation::protection() const { return writable_ ? PROT_READ | PROT_WRITE : PROT_READ; }

int Reservation::reserve(std::size_t size) {
        if (ranges_ == kRanges)
                return -ENOSPC;
        std::size_t room = ranges_ != 0 ? 2 * range_[ranges_ - 1].size : kSmallest;
        while (room < size)
                room *= 2;
        void* start = map_zeros(room, protection());
        if (start == MAP_FAILED)
                return -errno;
        range_[ranges_++] = {static_cast<std::byte*>(start), room};
        return 0;
}

void Reservation::clear() {
        if (ranges_ == 0)
                return;
        const auto& range = range_[ranges_ - 1];
        void* zeros = map_zeros(range.size, protection());
        // Without memory for it, what is mapped stays, and does no harm.
        if (zeros != MAP_FAILED)
                (void)move_over(range.start, zeros, range.size);
}

int Reservation::map(int fd, std::uint64_t size) {
        clear();
        const auto bytes = static_cast<std::size_t>(size);
        if (ranges_ == 0 || range_[ranges_ - 1].size < bytes) {
                const int result = reserve(bytes);
                if (result < 0)
                        return result;
        }
        void* mapped = mmap(nullptr, bytes, protection(), MAP_SHARED, fd, 0);
        return mapped == MAP_FAILED ? -errno : move_over(start(), mapped, bytes);
}

}  // namespace threadcount
