// SPDX-License-Identifier: MIT
// Pins by standing in front of pthread_create, since most pools have no say in where threads run.
#include "pinning.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace peers {
namespace {

constexpr int NO_BIRTHS = -1;
std::atomic<int> born{NO_BIRTHS};

cpu_set_t mask_of(const std::vector<int>& cpus) {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        for (const int cpu : cpus)
                CPU_SET(cpu, &mask);
        return mask;
}

void pin(pthread_t thread, const std::vector<int>& cpus) {
        const cpu_set_t mask = mask_of(cpus);
        if (pthread_setaffinity_np(thread, sizeof mask, &mask) != 0) {
                std::fprintf(stderr, "a thread cannot be pinned to CPU %d\n", cpus.front());
                std::exit(1);
        }
}

std::vector<int> read_allowed_cpus() {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
                std::perror("sched_getaffinity");
                std::exit(1);
        }
        std::vector<int> cpus;
        for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
                if (CPU_ISSET(cpu, &mask))
                        cpus.push_back(cpu);
        return cpus;
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

Create real_create() {
        static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
        return create;
}

int create_on(int cpu, pthread_t* thread, void* (*start)(void*), void* argument) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        const cpu_set_t mask = mask_of({cpu});
        pthread_attr_setaffinity_np(&attributes, sizeof mask, &mask);
        const int error = real_create()(thread, &attributes, start, argument);
        pthread_attr_destroy(&attributes);
        return error;
}

}  // namespace

const std::vector<int>& allowed_cpus() {
        static const std::vector<int> cpus = read_allowed_cpus();
        return cpus;
}

int cpu_of_worker(unsigned index) {
        const std::vector<int>& cpus = allowed_cpus();
        return cpus[(index + 1) % cpus.size()];
}

std::vector<int> cpus_of_workers(unsigned workers) {
        std::vector<int> cpus;
        for (unsigned index = 0; index < workers; ++index)
                cpus.push_back(cpu_of_worker(index));
        return cpus;
}

void pin_this_thread(int cpu) { pin(pthread_self(), {cpu}); }

void unpin_this_thread() { pin(pthread_self(), allowed_cpus()); }

AllCpus::AllCpus() {
        sched_getaffinity(0, sizeof former_, &former_);
        unpin_this_thread();
}

AllCpus::~AllCpus() { sched_setaffinity(0, sizeof former_, &former_); }

PinnedBirths::PinnedBirths() { born.store(0); }

PinnedBirths::~PinnedBirths() { born.store(NO_BIRTHS); }

int pin_birth(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
              void* argument) {
        if (born.load() == NO_BIRTHS)
                return real_create()(thread, attributes, start, argument);
        const int cpu = cpu_of_worker(static_cast<unsigned>(born.fetch_add(1)));
        if (attributes == nullptr)
                return create_on(cpu, thread, start, argument);
        // Attributes of unknown making cannot be copied.
        const int error = real_create()(thread, attributes, start, argument);
        if (error == 0)
                pin(*thread, {cpu});
        return error;
}

}  // namespace peers

extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
               void* argument) {
        return peers::pin_birth(thread, attributes, start, argument);
}
