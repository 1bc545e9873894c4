// SPDX-License-Identifier: MIT
//
// Reads memory at the pace that the machine allows, or computes in registers, or both in turn.
#include <barrier>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kBlock = 512;  // words between two rounds of register work

struct Options {
        std::uint64_t threads = 1;
        std::uint64_t kib = 131072;  ///< that each thread reads again and again
        std::uint64_t passes = 100;  ///< over that, by all threads together
        std::uint64_t steps = 0;     ///< of register work after each 4 KiB
};

constexpr const char* kHelp =
        "usage: stream THREADS KIB PASSES STEPS\n"
        "Each thread reads KIB of its own, all of them PASSES times in all, and\n"
        "computes for STEPS after each 4 KiB. Prints {\"elapsed_ms\": N}, without\n"
        "the time in which memory is filled.\n";

constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostKib = 1 << 24;

std::uint64_t sum_of(const std::uint64_t* words) {
        std::uint64_t sum = 0;

        for (std::size_t i = 0; i < kBlock; ++i)
                sum += words[i];
        return sum;
}

/// Each step needs the one before.
std::uint64_t stay_busy(std::uint64_t value, std::uint64_t steps) {
        for (std::uint64_t i = 0; i < steps; ++i)
                value = value * 0x9E3779B97F4A7C15 + i;
        return value;
}

/// Begins when all threads have filled their memory.
template <class Barrier>
void read_again_and_again(const Options& options, Barrier& filled) {
        const std::vector<std::uint64_t> words(options.kib * 128, 1);
        std::uint64_t value = 0;

        filled.arrive_and_wait();
        for (std::uint64_t pass = 0; pass < options.passes / options.threads; ++pass) {
                for (std::size_t at = 0; at < words.size(); at += kBlock)
                        value = stay_busy(value + sum_of(&words[at]), options.steps);
                asm volatile("" : "+r"(value));
        }
}

bool parse(int argc, char** argv, Options& ret_options) {
        std::uint64_t* const numbers[] = {&ret_options.threads, &ret_options.kib,
                                          &ret_options.passes, &ret_options.steps};

        if (argc != 5)
                return false;
        for (int i = 1; i < argc; ++i) {
                const char* const end = argv[i] + std::strlen(argv[i]);
                const auto [stop, error] = std::from_chars(argv[i], end, *numbers[i - 1]);
                if (stop != end || error != std::errc())
                        return false;
        }
        return true;
}

/// Says what is not.
bool in_range(const Options& options) {
        if (options.threads == 0 || options.threads > kMostThreads)
                std::fprintf(stderr, "stream: THREADS is not in 1 .. %" PRIu64 ".\n", kMostThreads);
        else if (options.kib == 0 || options.kib > kMostKib || options.kib % 4 != 0)
                std::fprintf(stderr, "stream: KIB is not a multiple of 4 in 4 .. %" PRIu64 ".\n",
                             kMostKib);
        else
                return true;
        return false;
}

}  // namespace

int main(int argc, char** argv) {
        Options options;

        if (!parse(argc, argv, options)) {
                std::fputs(kHelp, stderr);
                return 2;
        }
        if (!in_range(options))
                return 2;
        std::chrono::steady_clock::time_point began;
        std::barrier filled(static_cast<std::ptrdiff_t>(options.threads),
                            [&began]() noexcept { began = std::chrono::steady_clock::now(); });
        std::vector<std::thread> threads;
        for (std::uint64_t i = 0; i < options.threads; ++i)
                threads.emplace_back([&] { read_again_and_again(options, filled); });
        for (auto& thread : threads)
                thread.join();
        const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - began;
        std::printf("{\"elapsed_ms\": %.3f}\n", elapsed.count());
        return 0;
}
