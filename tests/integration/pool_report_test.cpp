// SPDX-License-Identifier: MIT
// What a governor shows of the thread pools of this process.
#include "lease_fixture.hpp"
#include "linked_program.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <threadcount/pool.hpp>
#include <vector>

namespace {

using namespace test_support;
using governor::v1::Client;
constexpr threadcount_pool_totals kNone = THREADCOUNT_POOL_TOTALS_INIT;

/// Behaves like a pool of somebody else's.
class ForeignPool {
public:
        explicit ForeignPool(threadcount_handle* handle) : handle_(handle) {}
        void report(std::uint64_t lanes, std::uint64_t executed) {
                auto now = kNone;
                now.lanes = lanes;
                now.active = lanes;
                now.executed = executed;
                EXPECT_EQ(threadcount_pool_report(handle_, &now, &told_), 0);
        }

private:
        threadcount_handle* handle_;
        threadcount_pool_totals told_ = kNone;
};

class PoolReports : public LeaseTest {
protected:
        PoolReports() {
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = daemon_.socket().c_str();
                EXPECT_EQ(threadcount_open(&options, &handle_), 0);
                EXPECT_TRUE(becomes(1));
                // Sums are the process's: what tests before this one have told is in them.
                ForeignPool(handle_).report(0, 0);
                before_ = shown().pool();
        }
        ~PoolReports() override { threadcount_close(handle_); }

        [[nodiscard]] Client shown() const { return lease(own_pid()).value_or(Client()); }
        [[nodiscard]] std::uint64_t executed() const {
                return shown().pool().executed() - before_.executed();
        }
        [[nodiscard]] std::string said(std::vector<std::string> arguments) const {
                return ctl(daemon_, std::move(arguments)).out;
        }
        static void run(threadcount::Pool& pool, int tasks) {
                for (int i = 0; i < tasks; i++)
                        pool.submit([] {});
                pool.wait_idle();
        }

        threadcount_handle* handle_ = nullptr;
        governor::v1::Pool before_;
};

TEST_F(PoolReports, AreSeenOfAPoolThatFollows) {
        threadcount::Pool pool;
        pool.follow(handle_);
        EXPECT_EQ(shown().pool().lanes(), pool.size());
        run(pool, 100);
        ASSERT_TRUE(eventually([&] { return executed() == 100; })) << executed();
        const auto client = shown();
        EXPECT_EQ(client.pool().active(), pool.width());
        EXPECT_GE(client.pool().parked() - before_.parked(), 1U);
        EXPECT_LE(client.pool().stolen() - before_.stolen(), 100U);

        const auto json = nlohmann::json::parse(said({"clients", "--json"}));
        ASSERT_EQ(json.size(), 1U);
        EXPECT_EQ(json[0]["pool"]["lanes"], pool.size());
        EXPECT_EQ(json[0]["pool"]["executed"], before_.executed() + 100);
        const auto tasks = std::to_string(before_.executed() + 100);
        const auto table = said({"clients"});
        EXPECT_NE(table.find("LANES"), table.npos) << table;
        EXPECT_NE(table.find("  " + tasks + "  "), table.npos) << table;
        const auto why = said({"explain", std::to_string(own_pid())});
        EXPECT_NE(why.find("\n  thread pool: "), why.npos) << why;
        EXPECT_NE(why.find(" active, " + tasks + " tasks executed, "), why.npos) << why;
}

TEST_F(PoolReports, AreSeenOfAPoolThatNeverRests) {
        std::atomic<bool> is_over{false};
        threadcount::Pool pool;
        pool.follow(handle_);
        std::function<void()> again = [&] {
                if (!is_over)
                        pool.submit([&] { again(); });
        };
        pool.submit([&] { again(); });
        EXPECT_TRUE(eventually([&] { return executed() > 0; }));
        const auto at_first = executed();
        EXPECT_TRUE(eventually([&] { return executed() > at_first; }));
        is_over = true;
        pool.wait_idle();
}

TEST_F(PoolReports, KeepWhatAPoolHasDoneThatWasStopped) {
        {
                threadcount::Pool pool;
                pool.follow(handle_);
                run(pool, 10);
                pool.submit([] {});
                pool.stop();
                EXPECT_EQ(executed(), 11U);
                EXPECT_EQ(shown().pool().lanes(), 0U);
                EXPECT_EQ(shown().pool().active(), 0U);
        }
        {
                threadcount::Pool pool;
                pool.follow(handle_);
                run(pool, 5);
                (void)pool.stop_and_hand_back();
        }
        EXPECT_EQ(executed(), 16U);
        EXPECT_EQ(shown().pool().lanes(), 0U);
}

TEST_F(PoolReports, HaveNoLanesOfAPoolThatDoesNotFollowAnyMore) {
        threadcount::Pool pool;
        run(pool, 3);
        EXPECT_EQ(executed(), 0U) << "nor before";
        pool.follow(handle_);
        EXPECT_EQ(executed(), 3U);
        EXPECT_EQ(shown().pool().lanes(), pool.size());
        pool.follow(nullptr);
        EXPECT_EQ(shown().pool().lanes(), 0U);
        run(pool, 3);
        EXPECT_EQ(executed(), 3U);
}

TEST_F(PoolReports, AddUpOverPools) {
        threadcount::Pool one;
        threadcount::Pool other;
        one.follow(handle_);
        other.follow(handle_);
        run(one, 10);
        run(other, 20);
        EXPECT_TRUE(eventually([&] { return executed() == 30; })) << executed();
        EXPECT_EQ(shown().pool().lanes(), one.size() + other.size());
        one.stop();
        EXPECT_EQ(shown().pool().lanes(), other.size());
        EXPECT_EQ(executed(), 30U);
}

TEST_F(PoolReports, AreAllInTheSlotWhenSeveralThreadsHaveTold) {
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);  // sees the same slot
        const auto& slot = sibling.memory().report().pool;
        constexpr std::uint64_t kThreads = 2;
        constexpr std::uint64_t kReports = 100'000;
        for (std::uint64_t round = 1; round <= 5; round++) {
                std::vector<std::thread> threads;
                for (std::uint64_t i = 0; i < kThreads; i++)
                        threads.emplace_back([&] {
                                ForeignPool pool(handle_);
                                for (std::uint64_t executed = 1; executed <= kReports; executed++)
                                        pool.report(executed % 8, executed);
                        });
                for (auto& thread : threads)
                        thread.join();
                EXPECT_EQ(__atomic_load_n(&slot.executed, __ATOMIC_RELAXED),
                          before_.executed() + round * kThreads * kReports);
                EXPECT_EQ(__atomic_load_n(&slot.lanes, __ATOMIC_RELAXED), 0U);
        }
}

TEST_F(PoolReports, AreToldToAGovernorThatWasRestarted) {
        threadcount::Pool pool;
        pool.follow(handle_);
        run(pool, 10);
        daemon_.kill();
        daemon_.start();
        EXPECT_TRUE(eventually([&] {
                run(pool, 1);
                return shown().pool().lanes() == pool.size() && executed() > 10;
        }));
}

TEST_F(PoolReports, AreNotThoseOfAForkedChild) {
        ForeignPool pool(handle_);
        pool.report(4, 100);
        ForkedProgram child([&] {
                pool.report(4, 200);
                const Program own(daemon_);
                if (!eventually([&] { return lease(own_pid()).has_value(); }))
                        ::_exit(1);
                if (lease(own_pid())->has_pool())
                        ::_exit(2);
        });
        EXPECT_TRUE(child.finishes());
        EXPECT_EQ(executed(), 100U);
        pool.report(0, 100);
}

TEST_F(PoolReports, AreNoneOfAProgramWithoutPools) {
        ForeignPool(handle_).report(0, 1);
        const auto other = holder();
        EXPECT_FALSE(lease(other->pid())->has_pool());
        const auto why = said({"explain", std::to_string(other->pid())});
        EXPECT_EQ(why.find("thread pool"), why.npos) << why;
        for (const auto& client : nlohmann::json::parse(said({"clients", "--json"})))
                EXPECT_EQ(client["pool"].is_null(), client["pid"] == other->pid());
        EXPECT_NE(said({"clients"}).find("  -  "), std::string::npos);
}

TEST_F(PoolReports, OfOnesMakeNobodyUnreadable) {
        LeaseClient sibling(daemon_.socket());
        ASSERT_NE(sibling.hello(), nullptr);
        std::memset(&sibling.memory().report().pool, 0xff, sizeof(governor_pool_report));
        EXPECT_EQ(shown().pool().lanes(), 65'536U);
        EXPECT_EQ(nlohmann::json::parse(said({"clients", "--json"}))[0]["pool"]["executed"],
                  ~std::uint64_t{0});
        EXPECT_NE(said({"clients"}).find("65536/65536  18446744073709551615"), std::string::npos);
}

}  // namespace
