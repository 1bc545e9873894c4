// SPDX-License-Identifier: MIT
// Tasks of one pool that use another one, which may be their own.
#include "scene.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace stress {

namespace {

using threadcount::Pool;
using Wanted = Ledger::Wanted;

/// By a task of another pool: it must not wait for the scene's, whose tasks may wait for it.
void try_submit_back(Scene& scene) {
        Token token(scene.ledger);
        const auto number = token.number();
        scene.ledger.want(number, Wanted::Never);
        try {
                if (scene.pool.try_submit([token = std::move(token)] { token.ran(); }))
                        scene.ledger.want(number, Wanted::Once);
        } catch (const std::logic_error&) {
                Scene::check(scene.is_ending, "a pool that nobody stops has refused something");
        }
}

void submit_to_it(Scene& scene, Pool& pool) {
        Token token(scene.ledger);
        scene.ledger.want(token.number(), Wanted::Once);
        pool.submit([&scene, token = std::move(token)] {
                token.ran();
                try_submit_back(scene);
        });
}

void loop_in_it(Scene& scene, Pool& pool) {
        std::atomic<int> ran{0};
        pool.parallel_for(0, 64, [&](int i) {
                ran++;
                if (i == 0)
                        try_submit_back(scene);
        });
        Scene::check(ran == 64, "another pool's parallel_for() did not run all");
}

void wait_for_it(Scene& scene, Chance& chance, Pool& pool) {
        const Doing doing("waiting for another pool");
        switch (chance.roll(4)) {
        case 0:
                return submit_to_it(scene, pool);
        case 1:
                return loop_in_it(scene, pool);
        case 2: {
                auto future = pool.async([] { return 1; }).then([](int n) { return n + 1; });
                return Scene::check(future.get() == 2, "another pool's result is wrong");
        }
        default:
                pool.run([&] { try_submit_back(scene); });
        }
}

void use_one_of_its_own(Scene& scene, Chance& chance) {
        const Doing doing("a pool inside of a task");
        scene.count(Count::Nested);
        auto pool = std::make_unique<Pool>(threadcount::PoolOptions{
                .capacity = 1 + static_cast<std::size_t>(chance.roll(8)),
                .lane_capacity = 1 + static_cast<std::size_t>(chance.roll(8))});
        auto timer = pool->submit_every(std::chrono::microseconds{100}, [] {});
        for (auto times = chance.roll(6); times > 0; times--)
                wait_for_it(scene, chance, *pool);
        if (chance.one_in(2)) {
                // Nobody but us has the tasks that it hands back.
                for (auto& task : pool->stop_and_hand_back())
                        task();
        }
        pool.reset();
        Scene::check(!timer.cancel(), "a timer has outlived its pool");
}

}  // namespace

void use_another_pool(Scene& scene, Chance& chance, int) {
        if (chance.one_in(8))
                use_one_of_its_own(scene, chance);
        else
                wait_for_it(scene, chance, scene.neighbour);
}

}  // namespace stress
