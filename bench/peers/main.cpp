// SPDX-License-Identifier: MIT
// One pool, one benchmark, one repetition: PROGRAM BENCH WORKERS [SCALE] prints a line for each
// figure, or `unsupported` where the pool has no such thing.
#include PEER_ADAPTER

#include "benches/back_pressure.hpp"
#include "benches/beside.hpp"
#include "benches/fork_join.hpp"
#include "benches/hog.hpp"
#include "benches/idle.hpp"
#include "benches/latency.hpp"
#include "benches/loops.hpp"
#include "benches/memory.hpp"
#include "benches/outside.hpp"
#include "benches/payload.hpp"
#include "benches/reduce.hpp"
#include "benches/resize.hpp"
#include "benches/round_trip.hpp"
#include "benches/shapes.hpp"
#include "benches/start.hpp"
#include "benches/submit.hpp"
#include "benches/terms.hpp"
#include "benches/timers.hpp"
#include "benches/tree.hpp"

#include <cstring>

namespace {

using peers::Options;
using peers::Pool;

struct Bench {
        const char* name;
        void (*run)(const Options&);
};

template <typename Candidate>
concept Posts = requires(Candidate& pool) {
        pool.post([] {});
};
template <typename Candidate>
concept Loops = requires(Candidate& pool, void (*body)(std::size_t, std::size_t)) {
        pool.static_loop(std::size_t{}, body);
}
|| requires(Candidate& pool, void (*body)(std::size_t, std::size_t)) {
        pool.dynamic_loop(std::size_t{}, body);
};
template <typename Candidate>
concept Sums = requires(Candidate& pool, double (*sum)(std::size_t, std::size_t)) {
        pool.sum(std::size_t{}, sum);
};
template <typename Candidate>
concept Forks = requires(Candidate& pool) {
        pool.fork_join([] {}, [] {});
};
template <typename Candidate>
concept ForksCoroutines = requires(Candidate& pool) {
        pool.fibonacci(1U);
};
template <typename Candidate>
concept Resizes = requires(Candidate& pool) {
        pool.resize(1U);
};
template <typename Candidate>
concept Delays = requires(Candidate& pool) {
        pool.post_after(std::chrono::nanoseconds{}, [] {});
};
template <typename Candidate>
concept Bounded = requires(Candidate& pool) {
        Candidate(1U, std::size_t{1});
        pool.try_post([] {});
};

void unsupported(const Options&) { std::puts("unsupported"); }

template <typename Candidate>
std::vector<Bench> benches_of() {
        std::vector<Bench> benches;
        const auto add = [&](const char* name, auto run) { benches.push_back({name, run}); };
        if constexpr (Loops<Candidate>) {
                add("loops", peers::loops<Candidate>);
                add("shapes", peers::shapes<Candidate>);
        }
        if constexpr (Sums<Candidate>)
                add("reduce", peers::reduce<Candidate>);
        if constexpr (Posts<Candidate>) {
                add("submit", peers::submit<Candidate>);
                add("payload", peers::payload<Candidate>);
                add("producers", peers::producers<Candidate>);
                add("beside", peers::beside<Candidate>);
                add("outside", peers::outside<Candidate>);
                add("tree", peers::tree<Candidate>);
                add("latency", peers::latency<Candidate>);
                add("round_trip", peers::round_trip<Candidate>);
                add("ping", peers::ping<Candidate>);
                add("idle", peers::idle<Candidate>);
                add("memory", peers::memory<Candidate>);
                add("start", peers::start<Candidate>);
                add("start_free", peers::start_free<Candidate>);
                add("hog", peers::hog<Candidate>);
                add("terms", peers::terms<Candidate>);
        }
        if constexpr (Forks<Candidate> || ForksCoroutines<Candidate>)
                add("fork_join", peers::fork_join<Candidate>);
        if constexpr (Forks<Candidate>)
                add("stack", peers::stack<Candidate>);
        if constexpr (Resizes<Candidate>)
                add("resize", peers::resize<Candidate>);
        if constexpr (Delays<Candidate>)
                add("timers", peers::timers<Candidate>);
        if constexpr (Bounded<Candidate>) {
                add("full_tree", peers::full_tree<Candidate>);
                add("back_pressure", peers::back_pressure<Candidate>);
        }
        return benches;
}

}  // namespace

int main(int count, char** arguments) {
        if (count < 3) {
                std::fprintf(stderr, "usage: %s BENCH WORKERS [SCALE]\n", arguments[0]);
                return 2;
        }
        Options options;
        options.workers = static_cast<unsigned>(std::atoi(arguments[2]));
        if (count > 3)
                options.scale = std::atof(arguments[3]);
        if (options.workers > peers::most_workers<Pool>()) {
                unsupported(options);
                return 0;
        }
        peers::pin_this_thread(peers::allowed_cpus().front());
        for (const Bench& bench : benches_of<Pool>()) {
                if (std::strcmp(bench.name, arguments[1]) == 0) {
                        bench.run(options);
                        return 0;
                }
        }
        unsupported(options);
}
