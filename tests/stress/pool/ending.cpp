// SPDX-License-Identifier: MIT
// The end of a pool: what has not begun is run, handed back, or forgotten.
#include "scene.hpp"

#include <utility>
#include <vector>

namespace stress {

namespace {

void stop_and_run_the_rest(Scene& scene, Chance& chance) {
        const bool forgets_some = chance.one_in(3);
        scene.may_be_forgotten = forgets_some;
        std::vector<threadcount::Task> rest;
        {
                const Doing doing("stop_and_hand_back()");
                rest = scene.pool.stop_and_hand_back();
        }
        const Doing doing("running what was handed back");
        for (auto& task : rest) {
                if (forgets_some && chance.one_in(2)) {
                        scene.count(Count::Forgotten);
                        forgets = true;
                        task = {};
                        forgets = false;
                } else {
                        scene.count(Count::HandedBack);
                        runs_the_rest = true;
                        task();
                        runs_the_rest = false;
                }
        }
}

}  // namespace

void end(Scene& scene, Chance& chance) {
        scene.is_ending = true;
        if (chance.one_in(2)) {
                const Doing doing("stop()");
                scene.pool.stop();
        } else {
                stop_and_run_the_rest(scene, chance);
        }
        scene.has_ended = true;
}

}  // namespace stress
