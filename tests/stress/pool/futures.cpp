// SPDX-License-Identifier: MIT
// Futures that are awaited, cancelled, followed and forgotten.
#include "scene.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace stress {

namespace {

using threadcount::Future;
using threadcount::FutureCancelled;
using Wanted = Ledger::Wanted;
using Value = std::uint64_t;

constexpr Value value_of(std::size_t number) { return 7 * number + 1; }

/// A task, and what should come of it.
struct Promised {
        Future<Value> future;
        std::size_t number;
        bool throws;
};

Promised begin(Scene& scene, Chance& chance, int depth) {
        scene.count(Count::Futures);
        Token token(scene.ledger);
        const auto number = token.number();
        const bool throws = chance.one_in(4);
        scene.ledger.want(number, Wanted::Never);
        auto future = scene.pool.async(
                [&scene, token = std::move(token), throws, seed = chance.seed(), depth]() -> Value {
                        token.ran();
                        work(scene, seed, depth);
                        if (throws)
                                throw Problem{token.number()};
                        return value_of(token.number());
                });
        scene.ledger.want(number, Wanted::Once);
        return {std::move(future), number, throws};
}

/// Nobody has cancelled it.
void take(Scene& scene, Promised& promised) {
        const Doing doing("get()");
        const auto number = promised.number;
        try {
                const auto value = promised.future.get();
                Scene::check(!promised.throws && value == value_of(number), "a wrong result",
                             number);
                Scene::check(number == Ledger::kMost || scene.ledger.has_run(number),
                             "a result of a task that has not run", number);
        } catch (const Problem& problem) {
                Scene::check(promised.throws && problem.number == number, "a wrong exception",
                             number);
        } catch (const FutureCancelled&) {
                Scene::check(scene.may_be_forgotten, "a task was cancelled by nobody", number);
        }
        Scene::check(scene.ledger.is_gone(number), "a result was ready before its task was gone",
                     number);
}

void wait_a_little(Chance& chance, const Future<Value>& future) {
        const Doing doing("wait_until()");
        const auto deadline = Clock::now() + chance.us(300);
        if (!future.wait_until(deadline))
                Scene::check(Clock::now() >= deadline, "wait_until() gave up early");
}

bool cancel(Scene& scene, const Future<Value>& future, std::size_t number) {
        if (!future.cancel())
                return false;
        scene.count(Count::Cancelled);
        scene.ledger.want(number, Wanted::Never);
        Scene::check(!scene.ledger.has_run(number), "what has run was cancelled", number);
        Scene::check(scene.ledger.is_gone(number), "what was cancelled was kept", number);
        Scene::check(future.is_ready(), "what was cancelled is not ready", number);
        return true;
}

void expect_cancelled(Promised& promised) {
        try {
                (void)promised.future.get();
        } catch (const FutureCancelled&) {
                return;
        } catch (const Problem&) {
        }
        Watchdog::fail("a cancelled task has a result", promised.number);
}

void take_or_cancel(Scene& scene, Chance& chance, Promised& promised) {
        if (chance.one_in(2))
                wait_a_little(chance, promised.future);
        if (!chance.one_in(2) || !cancel(scene, promised.future, promised.number))
                return take(scene, promised);
        Scene::check(!promised.future.cancel(), "a task was cancelled twice", promised.number);
        expect_cancelled(promised);
}

/// A task and the caller may both cancel it.
void race_to_cancel(Scene& scene, Chance& chance, int depth) {
        const auto promised = std::make_shared<Promised>(begin(scene, chance, depth));
        const auto cancelled = std::make_shared<std::atomic<int>>(0);
        const auto try_it = [&scene, promised, cancelled] {
                if (cancel(scene, promised->future, promised->number))
                        ++*cancelled;
        };
        const bool is_accepted = scene.pool.try_submit([try_it] { try_it(); });
        if (chance.one_in(2))
                std::this_thread::sleep_for(chance.us(100));
        if (!is_accepted || chance.one_in(2))
                try_it();
        const Doing doing("wait()");
        promised->future.wait();
        Scene::check(*cancelled <= 1, "a task was cancelled by two", promised->number);
}

/// Some tasks that follow one another, of which any may throw.
class Chain {
public:
        Chain(Scene& scene, Chance& chance, int depth)
                : scene_(scene), last_(begin(scene, chance, depth)) {
                links_.push_back({last_.number, last_.throws});
                for (auto more = 1 + chance.roll(4); more > 0; more--)
                        add(chance, depth);
        }

        void take() {
                const Doing doing("get() of the last of a chain");
                // The last one alone may be cancelled: the others have no future any more.
                std::optional<std::size_t> thrower;
                for (const auto& link : links_)
                        if (link.throws && !thrower)
                                thrower = link.number;
                try {
                        const auto value = last_.future.get();
                        Scene::check(!thrower && value == value_of(links_.front().number) +
                                                                  links_.size() - 1,
                                     "a wrong result of a chain", last_.number);
                        want_until(links_.back().number);
                } catch (const Problem& problem) {
                        Scene::check(thrower == problem.number, "a wrong exception of a chain",
                                     last_.number);
                        want_until(problem.number);
                } catch (const FutureCancelled&) {
                        Scene::check(scene_.may_be_forgotten, "a chain was cancelled by nobody",
                                     last_.number);
                }
        }
        /// True: the last one never runs.
        bool cancel() {
                if (!stress::cancel(scene_, last_.future, last_.number))
                        return false;
                expect_cancelled(last_);
                return true;
        }
        void wait_a_little(Chance& chance) const { stress::wait_a_little(chance, last_.future); }

private:
        struct Link {
                std::size_t number;
                bool throws;
        };

        void add(Chance& chance, int depth) {
                scene_.count(Count::Followers);
                Token token(scene_.ledger);
                const Link link{token.number(), chance.one_in(6)};
                links_.push_back(link);
                last_.number = link.number;
                last_.future = last_.future.then([&scene = scene_, token = std::move(token), link,
                                                  seed = chance.seed(), depth](Value value) {
                        token.ran();
                        if (seed % 4 == 0)
                                work(scene, seed, depth);
                        if (link.throws)
                                throw Problem{link.number};
                        return value + 1;
                });
        }
        /// All up to this one have run, and no other.
        void want_until(std::size_t number) {
                auto wanted = Wanted::Once;
                for (const auto& link : links_) {
                        scene_.ledger.want(link.number, wanted);
                        if (link.number == number)
                                wanted = Wanted::Never;
                }
        }

        Scene& scene_;
        Promised last_;
        std::vector<Link> links_;
};

void use_a_chain(Scene& scene, Chance& chance, int depth) {
        Chain chain(scene, chance, depth);
        if (chance.one_in(2))
                chain.wait_a_little(chance);
        if (chance.one_in(4))
                return;
        if (!chance.one_in(3) || !chain.cancel())
                chain.take();
}

void use_many(Scene& scene, Chance& chance, int depth) {
        std::vector<Promised> all;
        for (auto more = 1 + chance.roll(12); more > 0; more--)
                all.push_back(begin(scene, chance, depth + 1));
        if (chance.one_in(2))
                std::ranges::reverse(all);
        for (auto& promised : all)
                take_or_cancel(scene, chance, promised);
}

}  // namespace

void use_a_future(Scene& scene, Chance& chance, int depth) {
        const Doing doing("using futures");
        switch (chance.roll(6)) {
        case 0:
                (void)begin(scene, chance, depth);
                break;
        case 1:
                race_to_cancel(scene, chance, depth);
                break;
        case 2:
        case 3:
                use_a_chain(scene, chance, depth);
                break;
        case 4:
                use_many(scene, chance, depth);
                break;
        default: {
                auto promised = begin(scene, chance, depth);
                take_or_cancel(scene, chance, promised);
        }
        }
}

}  // namespace stress
