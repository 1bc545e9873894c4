// SPDX-License-Identifier: MIT
// Threads around one pool.
#include "round.hpp"

#include <memory>
#include <thread>
#include <vector>

namespace stress {

namespace {

/// Some of this and of that, or until the pool has ended.
void act_often(Scene& scene, std::uint64_t seed, bool to_the_end) {
        Chance chance(seed);
        const auto times = chance.roll(150);
        for (std::uint64_t i = 0; to_the_end ? !scene.has_ended : i < times; i++) {
                act(scene, chance, static_cast<int>(chance.roll(7)));
                if (scene.ledger.is_full())
                        return;
                if (chance.one_in(100))
                        std::this_thread::sleep_for(chance.us(500));
        }
}

class Round {
public:
        Round(std::uint64_t seed, Counts& counts) : chance_(seed), scene_(chance_.seed(), counts) {
                scene_.changes_mask = chance_.one_in(2);
        }

        void run() {
                const bool stops_in_the_middle = chance_.one_in(2);
                if (scene_.changes_mask)
                        start([](Scene& scene, std::uint64_t seed) { change_masks(scene, seed); });
                if (chance_.one_in(2))
                        start([](Scene& scene, std::uint64_t seed) {
                                wait_for_idleness(scene, seed);
                        });
                for (auto actors = 1 + chance_.roll(4); actors > 0; actors--)
                        start([stops_in_the_middle](Scene& scene, std::uint64_t seed) {
                                act_often(scene, seed, stops_in_the_middle);
                        });
                if (stops_in_the_middle)
                        std::this_thread::sleep_for(chance_.us(10'000));
                else
                        finish();
                end(scene_, chance_);
                finish();
                scene_.neighbour.stop();
                std::size_t number = 0;
                if (const auto* complaint = scene_.ledger.complaint(number))
                        Watchdog::fail(complaint, number);
        }

private:
        template <class Body>
        void start(const Body& body) {
                threads_.emplace_back([this, body, seed = chance_.seed()] { body(scene_, seed); });
        }
        void finish() {
                for (auto& thread : threads_)
                        thread.join();
                threads_.clear();
        }

        Chance chance_;
        Scene scene_;
        std::vector<std::thread> threads_;
};

}  // namespace

void run_a_round(std::uint64_t seed, Counts& counts) {
        Watchdog::set_seed(seed);
        std::make_unique<Round>(seed, counts)->run();
}

}  // namespace stress
