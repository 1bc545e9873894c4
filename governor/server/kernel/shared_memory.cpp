// SPDX-License-Identifier: MIT
// memfd_create, seals, mmap.
#include "server/kernel/shared_memory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace governor::server {

namespace {

[[noreturn]] void fail(const char* what) {
        throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

UniqueFd make_shared_memory(const char* name, std::uint64_t size) {
        constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
        UniqueFd memory(::memfd_create(name, kFlags | MFD_NOEXEC_SEAL));
        if (!memory && errno == EINVAL)  // before Linux 6.3
                memory = UniqueFd(::memfd_create(name, kFlags));
        if (!memory)
                fail("memfd_create");
        // Without pages of its own a full machine would be noticed as SIGBUS, later.
        if (::fallocate(memory.get(), 0, 0, static_cast<off_t>(size)) < 0)
                fail("fallocate");
        return memory;
}

void seal(const UniqueFd& memory, int seals) {
        if (::fcntl(memory.get(), F_ADD_SEALS, seals) < 0)
                fail("F_ADD_SEALS");
}

Mapping::Mapping(const UniqueFd& memory, std::size_t size) : start_(nullptr), size_(size) {
        void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
        if (start == MAP_FAILED)
                fail("mmap");
        start_ = static_cast<std::byte*>(start);
}

Mapping::~Mapping() {
        if (start_ != nullptr)
                ::munmap(start_, size_);
}

}  // namespace governor::server
