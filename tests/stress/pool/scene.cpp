// SPDX-License-Identifier: MIT
// What is done next.
#include "scene.hpp"

#include <stdexcept>
#include <thread>

namespace stress {

namespace {

using namespace std::chrono_literals;
using threadcount::PoolOptions;
using threadcount::WhenFull;

constexpr int kDeepest = 6;

PoolOptions options(std::uint64_t seed) {
        static constexpr std::size_t kCapacities[] = {1, 2, 3, 10, 64, 1000, 4096};
        static constexpr std::chrono::nanoseconds kSpins[] = {0ns, 1us, 30us, 200us};
        Chance chance(seed);
        return {.capacity = kCapacities[chance.roll(std::size(kCapacities))],
                .lane_capacity = kCapacities[chance.roll(std::size(kCapacities))],
                .spin = kSpins[chance.roll(std::size(kSpins))],
                .when_full = chance.one_in(2) ? WhenFull::Block : WhenFull::RunInCaller};
}

void act_without_excuse(Scene& scene, Chance& chance, int depth) {
        switch (chance.roll(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
                return use_a_future(scene, chance, depth);
        case 4:
        case 5:
                return use_a_timer(scene, chance, depth);
        case 6:
        case 7:
                return divide_work(scene, chance, depth);
        case 8:
                return use_another_pool(scene, chance, depth);
        default:
                return submit_a_task(scene, chance, depth);
        }
}

}  // namespace

Scene::Scene(std::uint64_t seed, Counts& counts)
        : pool(options(seed)), neighbour(options(~seed)), counts_(counts) {
        using threadcount::pool::LaneContext;
        pool.run([this] {
                scheduler_ = static_cast<const LaneContext*>(threadcount_this_lane)->scheduler;
        });
}

void act(Scene& scene, Chance& chance, int depth) {
        if (depth > kDeepest || runs_the_rest || scene.ledger.is_full())
                return;
        const bool was_inside = scene.is_inside() || scene.is_visit();
        try {
                act_without_excuse(scene, chance, depth);
        } catch (const std::logic_error&) {
                Scene::check(!was_inside, "a task of the pool was refused");
                Scene::check(scene.is_ending, "a pool that nobody stops has refused something");
                scene.count(Count::Refused);
        }
}

void work(Scene& scene, std::uint64_t seed, int depth) {
        Chance chance(seed);
        if (chance.one_in(500))
                std::this_thread::sleep_for(chance.us(300));
        for (auto times = chance.roll(3); times > 0; times--)
                act(scene, chance, depth + 1);
}

}  // namespace stress
