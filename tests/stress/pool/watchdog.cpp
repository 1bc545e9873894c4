// SPDX-License-Identifier: MIT
// A list of threads, each with what it does.
#include "watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace stress {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::int64_t now_ms() {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
                       Clock::now().time_since_epoch())
                .count();
}

/// One thread's. Others read it meanwhile, and may see half of a change.
class Station {
public:
        Station();
        ~Station();
        Station(const Station&) = delete;
        Station& operator=(const Station&) = delete;

        void begin(const char* what) {
                const auto depth = depth_.load(std::memory_order_relaxed);
                if (depth < kMost) {
                        steps_[depth].what = what;
                        steps_[depth].since_ms = now_ms();
                }
                depth_.store(depth + 1, std::memory_order_release);
        }
        void end() { depth_.fetch_sub(1, std::memory_order_release); }

        /// The innermost.
        [[nodiscard]] std::int64_t since_ms() const {
                const auto depth = std::min(depth_.load(std::memory_order_acquire), kMost);
                return depth == 0 ? now_ms() : steps_[depth - 1].since_ms.load();
        }
        void tell() const {
                const auto depth = std::min(depth_.load(std::memory_order_acquire), kMost);
                if (depth == 0)
                        return;
                std::fprintf(stderr, "  %s:", name_.data());
                for (std::size_t i = 0; i < depth; i++)
                        std::fprintf(stderr, "%s %s (%lld ms)", i == 0 ? "" : " >",
                                     steps_[i].what.load(),
                                     static_cast<long long>(now_ms() - steps_[i].since_ms));
                std::fprintf(stderr, "\n");
        }

private:
        static constexpr std::size_t kMost = 32;
        struct Step {
                std::atomic<const char*> what{""};
                std::atomic<std::int64_t> since_ms{0};
        };

        std::array<char, 16> name_{};
        std::array<Step, kMost> steps_;
        std::atomic<std::size_t> depth_{0};
};

struct Stations {
        std::mutex mutex;
        std::vector<Station*> all;
        std::atomic<std::uint64_t> seed{0};
};

Stations& stations() {
        static Stations stations;
        return stations;
}

Station::Station() {
        pthread_getname_np(pthread_self(), name_.data(), name_.size());
        const std::lock_guard lock(stations().mutex);
        stations().all.push_back(this);
}

Station::~Station() {
        const std::lock_guard lock(stations().mutex);
        std::erase(stations().all, this);
}

Station& here() {
        thread_local Station station;
        return station;
}

[[noreturn]] void terminate() {
        try {
                if (std::current_exception() != nullptr)
                        throw;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "nobody has caught: %s\n", error.what());
        } catch (...) {
        }
        Watchdog::fail("the program was ended", 0);
}

}  // namespace

Doing::Doing(const char* what) { here().begin(what); }

Doing::~Doing() { here().end(); }

void tell_what_is_done() {
        const std::lock_guard lock(stations().mutex);
        for (const auto* station : stations().all)
                station->tell();
}

Watchdog::Watchdog(std::chrono::seconds patience) : thread_([this, patience] { run(patience); }) {
        (void)stations();
        std::set_terminate(terminate);
}

Watchdog::~Watchdog() {
        ends_ = true;
        thread_.join();
}

void Watchdog::set_seed(std::uint64_t seed) { stations().seed = seed; }

void Watchdog::fail(const char* what, std::size_t number) {
        std::fprintf(stderr, "seed %llu: %s (number %zu)\n",
                     static_cast<unsigned long long>(stations().seed.load()), what, number);
        tell_what_is_done();
        std::_Exit(1);
}

void Watchdog::run(std::chrono::seconds patience) {
        const auto most_ms = std::chrono::milliseconds(patience).count();
        while (!ends_) {
                std::this_thread::sleep_for(50ms);
                bool hangs = false;
                {
                        const std::lock_guard lock(stations().mutex);
                        for (const auto* station : stations().all)
                                hangs |= now_ms() - station->since_ms() > most_ms;
                }
                if (hangs)
                        fail("somebody hangs", 0);
        }
}

}  // namespace stress
