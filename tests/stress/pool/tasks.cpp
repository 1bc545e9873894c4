// SPDX-License-Identifier: MIT
// Tasks that are submitted in every way.
#include "scene.hpp"

#include <sched.h>
#include <utility>

namespace stress {

namespace {

using threadcount::Task;
using Wanted = Ledger::Wanted;

auto make(Scene& scene, Token&& token, std::uint64_t seed, int depth) {
        return [&scene, token = std::move(token), seed, depth] {
                token.ran();
                work(scene, seed, depth);
        };
}

/// False: the pool has no place for it.
template <class F>
bool try_submit(Scene& scene, F&& task, std::size_t number) {
        if (scene.pool.try_submit(std::forward<F>(task)))
                return true;
        Scene::check(scene.ledger.is_there(number), "try_submit() took what it refused", number);
        return false;
}

template <class F>
bool submit_until(Scene& scene, std::chrono::microseconds time, F&& task, std::size_t number) {
        const auto deadline = Clock::now() + time;
        const bool was_inside = scene.is_inside();
        if (scene.pool.submit_until(deadline, std::forward<F>(task)))
                return true;
        Scene::check(scene.ledger.is_there(number), "submit_until() took what it refused", number);
        // A task of a pool that is being stopped is not refused.
        const bool may_give_up = was_inside || (scene.is_visit() && scene.is_ending);
        Scene::check(may_give_up || Clock::now() >= deadline, "submit_until() gave up early",
                     number);
        return false;
}

bool submit_to(Scene& scene, Chance& chance, Token&& token, int depth) {
        const auto cpus = scene.pool.cpus();
        const int cpu = cpus[chance.roll(cpus.size())];
        return scene.pool.submit_to(
                cpu, [&scene, token = std::move(token), seed = chance.seed(), depth, cpu] {
                        // stop() may run it where it is.
                        const bool is_there = sched_getcpu() == cpu;
                        Scene::check(is_there || scene.changes_mask || scene.is_ending,
                                     "a task ran on another CPU than it should", token.number());
                        token.ran();
                        work(scene, seed, depth);
                });
}

}  // namespace

void submit_a_task(Scene& scene, Chance& chance, int depth) {
        const Doing doing("submitting");
        scene.count(Count::Tasks);
        Token token(scene.ledger);
        const auto number = token.number();
        scene.ledger.want(number, Wanted::Never);
        const auto seed = chance.seed();
        bool is_accepted = true;
        switch (chance.roll(6)) {
        case 0:
                is_accepted = try_submit(scene, make(scene, std::move(token), seed, depth), number);
                break;
        case 1:
                is_accepted = submit_until(scene, chance.us(200),
                                           make(scene, std::move(token), seed, depth), number);
                break;
        case 2:
                is_accepted = submit_to(scene, chance, std::move(token), depth);
                break;
        case 3: {
                Task task(make(scene, std::move(token), seed, depth));
                is_accepted = try_submit(scene, std::move(task), number);
                if (!is_accepted) {
                        scene.pool.submit(std::move(task));  // it is as it was
                        is_accepted = true;
                }
                break;
        }
        case 4:  // too large to be kept in the queue
                scene.pool.submit([ballast = std::array<std::uint64_t, 8>{seed},
                                   task = make(scene, std::move(token), seed, depth)] {
                        Scene::check(ballast.back() == 0, "a task's memory was overwritten");
                        task();
                });
                break;
        default:
                scene.pool.submit(make(scene, std::move(token), seed, depth));
        }
        if (is_accepted)
                scene.ledger.want(number, Wanted::Once);
}

}  // namespace stress
