// SPDX-License-Identifier: MIT
// A library to preload that counts allocations; without it benchmarks are not slowed down by
// counting.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <malloc.h>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

std::atomic<std::size_t> calls{0};
std::atomic<std::size_t> bytes{0};

void* counted(void* memory) {
        calls.fetch_add(1, std::memory_order_relaxed);
        bytes.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
        return memory;
}

void forget(void* memory) {
        bytes.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
}

}  // namespace

extern "C" {

std::size_t peers_allocation_calls() { return calls.load(); }
std::size_t peers_allocated_bytes() { return bytes.load(); }

void* malloc(size_t size) { return counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void* memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
        *memory = memalign(alignment, size);
        return *memory == nullptr ? ENOMEM : 0;
}

void* realloc(void* memory, size_t size) {
        forget(memory);
        return counted(__libc_realloc(memory, size));
}

void free(void* memory) {
        forget(memory);
        __libc_free(memory);
}
}
