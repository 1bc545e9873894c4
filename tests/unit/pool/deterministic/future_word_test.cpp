// SPDX-License-Identifier: MIT
// The word of a future under many schedules: the threads that claim the task and sleep, the
// continuations, and the thread that destroys it.
#include "explore.hpp"
#include "platform.hpp"

#include <threadcount/pool/detail/future_word.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using deterministic::explore;
using deterministic::is_found;
using deterministic::Scheduler;
using threadcount::pool::Outcome;

namespace {

constexpr std::uint64_t kSchedules = 10'000;

/// The machine, which also sees uses of words that are gone.
struct Platform : deterministic::Platform {
        using Base = deterministic::Platform;

        template <class T>
        class Atomic : public Base::Atomic<T> {
                using Its = Base::Atomic<T>;

        public:
                using Its::Its;
                T load(std::memory_order order) const {
                        const auto now = Its::load(order);
                        expect_there(this);
                        return now;
                }
                T fetch_or(T value, std::memory_order order) {
                        const auto before = Its::fetch_or(value, order);
                        expect_there(this);
                        return before;
                }
                bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                                           std::memory_order failure) {
                        const bool is_done =
                                Its::compare_exchange_weak(expected, value, success, failure);
                        expect_there(this);
                        return is_done;
                }
        };

        static bool wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const timespec* deadline = nullptr) {
                const bool is_in_time = Base::wait(word, expected, deadline);
                expect_there(&word);
                return is_in_time;
        }
        static void wake_all(const Atomic<std::uint32_t>& word) {
                Base::wake_all(word);
                expect_there(&word);
        }

        // Nothing here orders anything: what threads see of one another is the word's matter.

        static void reset() {
                is_wrong_ = false;
                gone_count_ = 0;
                lanes_ = 0;
        }
        /// Of the pool, which is there as long as one of these is.
        static void add_lane() { lanes_.fetch_add(1, std::memory_order_relaxed); }
        static void lane_ends() { lanes_.fetch_sub(1, std::memory_order_relaxed); }
        static void expect_pool() { expect(lanes_.load(std::memory_order_relaxed) > 0); }
        static void expect(bool is_so) {
                if (!is_so)
                        is_wrong_.store(true, std::memory_order_relaxed);
        }
        [[nodiscard]] static bool is_wrong() { return is_wrong_; }
        static void is_gone(const void* word) {
                const auto at = gone_count_.fetch_add(1, std::memory_order_relaxed);
                expect(at < kMostGone);
                gone_[at % kMostGone].store(word, std::memory_order_relaxed);
        }
        static void expect_there(const void* word) {
                for (std::size_t i = 0; i < gone_count_.load(std::memory_order_relaxed); i++)
                        expect(gone_[i % kMostGone].load(std::memory_order_relaxed) != word);
        }

private:
        static constexpr std::size_t kMostGone = 8;
        static inline std::atomic<const void*> gone_[kMostGone];
        static inline std::atomic<std::size_t> gone_count_{0};
        static inline std::atomic<bool> is_wrong_{false};
        static inline std::atomic<int> lanes_{0};
};

enum class Mistake { None, ForgetsToClaim, DoesNotWaitElsewhere };

/// Does with a word what future_state.cpp does with it, for a task that returns 1, or one more than
/// what it follows.
class Node {
public:
        using Word = threadcount::pool::FutureWord<Node, Platform>;

        explicit Node(Node* first = nullptr) : first_(first) {}
        Node(const Node&) = delete;
        Node& operator=(const Node&) = delete;

        static void run_entry(Node* node, Mistake mistake = Mistake::None) {
                do {
                        if (!node->word_.claim() && mistake != Mistake::ForgetsToClaim)
                                return drop_claimed_entry(node, mistake);
                        node = node->publish(node->run(), Word::kEntry);
                } while (node != nullptr);
        }
        static void drop_entry(Node* node) {
                do {
                        if (!node->word_.claim())
                                return drop_claimed_entry(node);
                        node->drop();
                        node = node->publish(Outcome::Cancelled, Word::kEntry);
                } while (node != nullptr);
        }
        bool cancel() {
                if (!word_.claim())
                        return false;
                drop();
                (void)publish(Outcome::Cancelled, Word::kNobody);
                return true;
        }
        void wait() { Platform::expect(word_.sleep(nullptr)); }
        /// By a task.
        void wait_inside(bool is_elsewhere) {
                if (word_.outcome() != Outcome::None)
                        return;
                if (claim(is_elsewhere))
                        help(is_elsewhere);
                else
                        wait();
        }
        [[nodiscard]] bool wait_until(const timespec& deadline) { return word_.sleep(&deadline); }
        void drop_future() { let_go(Word::kFuture); }
        /// False: the caller has to start `next`.
        [[nodiscard]] bool follow(Node& next) { return word_.follow(next); }

        [[nodiscard]] Outcome outcome() const { return word_.outcome(); }
        // To be called with the outcome known, or when all have ended.
        [[nodiscard]] int value() const { return value_; }
        [[nodiscard]] int runs() const { return runs_; }
        [[nodiscard]] bool has_callable() const { return has_callable_; }
        [[nodiscard]] int destroyed() const { return destroyed_; }

private:
        static void drop_claimed_entry(Node* node, Mistake mistake = Mistake::None) {
                while (node != nullptr) {
                        Node* next = nullptr;
                        if (node->word_.is_elsewhere() &&
                            mistake != Mistake::DoesNotWaitElsewhere) {
                                node->wait();
                                next = node->word_.next();
                        }
                        node->let_go(Word::kEntry);
                        node = next;
                }
        }
        [[nodiscard]] bool claim(bool is_elsewhere) {
                return is_elsewhere ? word_.claim_elsewhere() : word_.claim();
        }
        void help(bool is_elsewhere) {
                auto* node = this;
                while (auto* const first = node->first_) {
                        if (!first->claim(is_elsewhere)) {
                                first->wait();
                                break;
                        }
                        node = first;
                }
                while (node != nullptr) {
                        node = node->publish(node->run(), Word::kNobody);
                        if (node != nullptr && !is_elsewhere)
                                (void)node->word_.let_go(Word::kEntry);
                }
        }
        Outcome run() {
                Platform::Base::pause();
                if (word_.is_elsewhere())
                        Platform::expect_pool();
                auto outcome = first_ != nullptr ? first_->outcome() : Outcome::Value;
                Platform::expect(outcome != Outcome::None);
                if (outcome == Outcome::Value) {
                        runs_++;
                        value_ = 1 + (first_ != nullptr ? first_->value() : 0);
                }
                drop();
                return outcome;
        }
        void drop() {
                has_callable_ = false;
                if (first_ != nullptr)
                        first_->drop_future();
        }
        Node* publish(Outcome outcome, Word::Owner lets_go) {
                const auto published = word_.publish(outcome, lets_go);
                if (published.is_last)
                        destroy();
                return published.next;
        }
        void let_go(Word::Owner owner) {
                if (word_.let_go(owner))
                        destroy();
        }
        // The thread sanitizer sees it if what others did with it comes later.
        void destroy() {
                destroyed_++;
                value_ = -1;
                Platform::is_gone(&word_);
        }

        Word word_;
        Node* const first_;
        int value_ = 0;
        int runs_ = 0;
        bool has_callable_ = true;
        int destroyed_ = 0;
};

/// The owner of a future does one of these.
enum class Use { Get, GetInside, GetElsewhere, TimedGet, Cancel, Nothing };
constexpr std::uint64_t kUses = 6;

/// One schedule.
class Scene {
public:
        explicit Scene(Scheduler& scheduler) : scheduler_(scheduler) { Platform::reset(); }

        Node& add(Node* first = nullptr) { return nodes_.emplace_back(first); }
        template <class Run>
        void add_lane(Run run) {
                Platform::add_lane();
                scheduler_.add([run] {
                        run();
                        Platform::lane_ends();
                });
        }

        void use(Node& node, Use use) {
                static constexpr timespec kDeadline{};
                switch (use) {
                case Use::Get:
                        node.wait();
                        return expect_result(node);
                case Use::GetInside:
                case Use::GetElsewhere:
                        node.wait_inside(use == Use::GetElsewhere);
                        return expect_result(node);
                case Use::TimedGet:
                        if (node.wait_until(kDeadline))
                                expect_result(node);
                        return;
                case Use::Cancel:
                        if (node.cancel()) {
                                cancelled_.fetch_add(1, std::memory_order_relaxed);
                                Platform::expect(node.outcome() == Outcome::Cancelled);
                                expect_result(node);
                        }
                        return;
                case Use::Nothing:
                        return;
                }
        }

        /// All end, each task has run once or never will, and nothing is left.
        [[nodiscard]] bool ends_well() {
                if (!scheduler_.go() || Platform::is_wrong())
                        return false;
                Platform::reset();
                return std::ranges::all_of(nodes_, [](const Node& node) {
                        return node.runs() == (node.outcome() == Outcome::Value ? 1 : 0) &&
                               node.outcome() != Outcome::None && !node.has_callable() &&
                               node.destroyed() == 1;
                });
        }
        [[nodiscard]] int cancelled() const { return cancelled_; }

private:
        static void expect_result(const Node& node) {
                const auto outcome = node.outcome();
                Platform::expect(outcome != Outcome::None && !node.has_callable() &&
                                 (node.value() > 0) == (outcome == Outcome::Value));
        }

        Scheduler& scheduler_;
        std::deque<Node> nodes_;
        std::atomic<int> cancelled_{0};
};

/// An entry, and a future of which several threads make use; the last one lets go of it. The
/// objects of the schedule outlive threads that sleep for ever.
[[nodiscard]] bool one_task_ends_well(Scheduler& scheduler, std::vector<Use> uses,
                                      Mistake mistake = Mistake::None) {
        static std::unique_ptr<Scene> scene;
        static std::unique_ptr<Platform::Base::Atomic<std::size_t>> users;
        scene = std::make_unique<Scene>(scheduler);
        users = std::make_unique<Platform::Base::Atomic<std::size_t>>(uses.size());
        auto& node = scene->add();
        const bool is_dropped = mistake == Mistake::None && scheduler.pick(4) == 0;
        scene->add_lane([&node, is_dropped, mistake] {
                if (is_dropped)
                        Node::drop_entry(&node);
                else
                        Node::run_entry(&node, mistake);
        });
        for (const auto use : uses)
                scheduler.add([&node, use] {
                        scene->use(node, use);
                        if (users->fetch_sub(1, std::memory_order_acq_rel) == 1)
                                node.drop_future();
                });
        return scene->ends_well() && scene->cancelled() <= 1;
}

/// `length` tasks that follow one another; the last one's future is used while the first one's
/// entry is run or dropped. A task that follows one that is ready already leaves the entry to a
/// lane. A task of another pool may have waited for the first one before anything follows it.
[[nodiscard]] bool chain_ends_well(Scheduler& scheduler, int length, Use use,
                                   bool waits_for_first = false) {
        using Starts = Platform::Base::Atomic<Node*>;
        static std::unique_ptr<Scene> scene;
        static std::deque<Starts> starts;
        static Node nobody;
        scene = std::make_unique<Scene>(scheduler);
        starts.clear();
        std::vector<Node*> chain{&scene->add()};
        for (int i = 1; i < length; i++)
                chain.push_back(&scene->add(chain.back()));
        const bool is_dropped = scheduler.pick(4) == 0;
        scene->add_lane([first = chain.front(), is_dropped] {
                is_dropped ? Node::drop_entry(first) : Node::run_entry(first);
        });
        for (int i = 1; i < length; i++) {
                starts.emplace_back(nullptr);
                scene->add_lane([&start = starts.back()] {
                        Node* node = nullptr;
                        while ((node = start.load(std::memory_order_acquire)) == nullptr)
                                Platform::yield();
                        if (node != &nobody)
                                Node::run_entry(node);
                });
        }
        scheduler.add([chain, use, waits_for_first] {
                if (waits_for_first)
                        scene->use(*chain.front(), Use::GetElsewhere);
                for (std::size_t i = 1; i < chain.size(); i++)
                        starts[i - 1].store(chain[i - 1]->follow(*chain[i]) ? &nobody : chain[i],
                                            std::memory_order_release);
                scene->use(*chain.back(), use);
                chain.back()->drop_future();
        });
        return scene->ends_well();
}

}  // namespace

TEST(FutureWordSchedules, WhoWaitsGetsWhatCameOfIt) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(one_task_ends_well(scheduler, {Use::Get, Use::Get, Use::TimedGet}));
        });
}

TEST(FutureWordSchedules, WhoGivesUpHoldsNobodyUp) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(one_task_ends_well(scheduler, {Use::TimedGet}));
        });
}

TEST(FutureWordSchedules, OneOfAllWhoClaimATaskGetsIt) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(
                        one_task_ends_well(scheduler, {Use::Cancel, Use::GetInside, Use::Cancel}));
        });
}

TEST(FutureWordSchedules, WhoLetsGoLastDestroysIt) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(one_task_ends_well(scheduler, {Use::Nothing}));
        });
}

TEST(FutureWordSchedules, AnyThreeMayUseOneFuture) {
        explore(kSchedules, [](Scheduler& scheduler) {
                std::vector<Use> uses(3);
                for (auto& use : uses)
                        use = static_cast<Use>(scheduler.pick(kUses));
                EXPECT_TRUE(one_task_ends_well(scheduler, uses));
        });
}

TEST(FutureWordSchedules, WhatFollowsStartsOnce) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(chain_ends_well(scheduler, 2, Use::Nothing));
        });
}

TEST(FutureWordSchedules, WhatFollowsMayBeUsedMeanwhile) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(chain_ends_well(scheduler, 2, static_cast<Use>(scheduler.pick(kUses))));
        });
}

TEST(FutureWordSchedules, AChainMayBeUsedMeanwhile) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(chain_ends_well(scheduler, 3, static_cast<Use>(scheduler.pick(kUses))));
        });
}

TEST(FutureWordSchedules, ATaskThatRunsElsewhereKeepsALaneOfItsPool) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(one_task_ends_well(scheduler, {Use::GetElsewhere, Use::GetInside}));
        });
}

TEST(FutureWordSchedules, AChainThatRunsElsewhereKeepsALaneOfItsPool) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(chain_ends_well(scheduler, 3, Use::GetElsewhere));
        });
}

TEST(FutureWordSchedules, WhatRanElsewhereMayBeFollowedAfterwards) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_TRUE(chain_ends_well(scheduler, 3, static_cast<Use>(scheduler.pick(kUses)),
                                            true));
        });
}

TEST(FutureWordSchedules, AnEntryThatDoesNotClaimIsSeen) {
        EXPECT_TRUE(is_found(kSchedules, [](Scheduler& scheduler) {
                return !one_task_ends_well(scheduler, {Use::Cancel}, Mistake::ForgetsToClaim);
        }));
}

TEST(FutureWordSchedules, ALaneThatDoesNotWaitForATaskElsewhereIsSeen) {
        EXPECT_TRUE(is_found(kSchedules, [](Scheduler& scheduler) {
                return !one_task_ends_well(scheduler, {Use::GetElsewhere},
                                           Mistake::DoesNotWaitElsewhere);
        }));
}
