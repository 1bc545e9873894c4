// SPDX-License-Identifier: MIT
// The mask changes, and somebody waits for idleness.
#include "scene.hpp"

#include <thread>
#include <vector>

namespace stress {

void change_masks(Scene& scene, std::uint64_t seed) {
        Chance chance(seed);
        const auto cpus = scene.pool.cpus();
        for (auto times = chance.roll(200); times > 0 && !scene.is_ending; times--) {
                const Doing doing("set_mask()");
                std::vector<int> mask;
                for (const int cpu : cpus)
                        if (chance.one_in(2))
                                mask.push_back(cpu);
                if (mask.empty())
                        mask.push_back(cpus[chance.roll(cpus.size())]);
                scene.pool.set_mask(mask);
                scene.count(Count::Masks);
                std::this_thread::sleep_for(chance.us(100));
        }
}

void wait_for_idleness(Scene& scene, std::uint64_t seed) {
        Chance chance(seed);
        for (auto times = chance.roll(20); times > 0 && !scene.is_ending; times--) {
                const Doing doing("wait_idle()");
                scene.pool.wait_idle();
                std::this_thread::sleep_for(chance.us(100));
        }
}

}  // namespace stress
