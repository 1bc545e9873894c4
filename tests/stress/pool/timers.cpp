// SPDX-License-Identifier: MIT
// Timers that are never early, and that are cancelled.
#include "scene.hpp"

#include <memory>
#include <thread>
#include <utility>

namespace stress {

namespace {

using namespace std::chrono_literals;
using threadcount::Timer;
using Wanted = Ledger::Wanted;

constexpr std::uint64_t kMostUs = 2000;
constexpr int kMostTicks = 20;

/// Nobody but a thread from outside waits for timers: a task would keep its lane from them, or one
/// that waits for the task.
template <class Is>
void wait_until(Scene& scene, const Is& is) {
        const Doing doing("waiting for a timer");
        while (!scene.is_task() && !scene.is_ending && !is())
                std::this_thread::sleep_for(20us);
}

void cancel_once(Scene& scene, const Timer& timer, std::size_t number) {
        const bool was_ending = scene.is_ending;
        if (timer.cancel()) {
                scene.count(Count::Cancelled);
                scene.ledger.want(number, Wanted::Never);
                Scene::check(!scene.ledger.has_run(number), "a timer has run that was cancelled",
                             number);
                Scene::check(scene.ledger.is_gone(number), "a cancelled timer was kept", number);
                Scene::check(!timer.cancel(), "a timer was cancelled twice", number);
        } else if (!was_ending && !scene.is_ending) {
                scene.ledger.want(number, Wanted::Once);
        }
}

void use_one_shot(Scene& scene, Chance& chance, int depth) {
        Token token(scene.ledger);
        const auto number = token.number();
        const auto delay = chance.us(kMostUs) - 100us;  // some are over already
        const auto due = Clock::now() + delay;
        auto task = [&scene, token = std::move(token), due, seed = chance.seed(), depth] {
                Scene::check(Clock::now() >= due, "a timer was early", token.number());
                token.ran();
                work(scene, seed, depth);
        };
        const auto timer = chance.one_in(2) ? scene.pool.submit_after(delay, std::move(task))
                                            : scene.pool.submit_at(due, std::move(task));
        if (chance.one_in(4))
                return;
        if (chance.one_in(2))
                wait_until(scene,
                           [&] { return number == Ledger::kMost || scene.ledger.has_run(number); });
        else if (!scene.is_inside() && chance.one_in(2))
                std::this_thread::sleep_for(chance.us(kMostUs));
        cancel_once(scene, timer, number);
}

/// The function of a periodic timer.
struct Ticks {
        Scene& scene;
        Clock::time_point start;
        std::chrono::microseconds period;
        int ends_itself_after;
        std::atomic<int> count{0};
        std::atomic<bool> is_in_one{false};
        std::atomic<bool> is_cancelled{false};
        std::atomic<int> after_cancel{0};
        std::atomic<bool> has_handle{false};
        Timer handle;

        void tick() {
                Scene::check(!is_in_one.exchange(true), "a timer runs twice at a time");
                scene.count(Count::Ticks);
                // One may have begun.
                if (is_cancelled)
                        Scene::check(++after_cancel <= 1, "a cancelled timer goes on");
                const auto times = ++count;
                Scene::check(Clock::now() >= start + times * period, "a periodic timer was early");
                if (times >= ends_itself_after && has_handle)
                        cancel();
                is_in_one = false;
        }
        void cancel() {
                if (handle.cancel())
                        is_cancelled = true;
        }
};

void use_periodic(Scene& scene, Chance& chance) {
        // Nobody knows for how long it runs: as long as the pool does, if it is not cancelled.
        const auto ticks = std::shared_ptr<Ticks>(new Ticks{
                .scene = scene,
                .start = Clock::now(),
                .period = 50us + chance.us(kMostUs),
                .ends_itself_after =
                        chance.one_in(2) ? 1 + static_cast<int>(chance.roll(5)) : kMostTicks,
                .handle = {}});
        ticks->handle = scene.pool.submit_every(
                ticks->period, [ticks, token = Token(scene.ledger)] { ticks->tick(); });
        ticks->has_handle = true;
        if (chance.one_in(4))
                return;
        wait_until(scene, [&, wanted = static_cast<int>(chance.roll(5))] {
                return ticks->is_cancelled || ticks->count >= wanted;
        });
        ticks->cancel();
        Scene::check(!ticks->handle.cancel(), "a periodic timer was cancelled twice");
}

}  // namespace

void use_a_timer(Scene& scene, Chance& chance, int depth) {
        const Doing doing("using timers");
        scene.count(Count::Timers);
        if (chance.one_in(3))
                use_periodic(scene, chance);
        else
                use_one_shot(scene, chance, depth);
}

}  // namespace stress
